from __future__ import annotations

import random
import re

from hypothesis import given
from hypothesis import strategies as st

from reboard.parts.slots.pn532 import GET_FIRMWARE, LOOK_FOR_ONE_CARD, VIRTUAL_CARD_OFF, WAKE_UP
from reboard.parts.slots.pn532_frames import ACK, ChipFrames, command
from reboard_sim.decoders.chip_frames import ChipFrameDecoder
from reboard_sim.readers.pn532 import FIRMWARE, frame_of

CARD_FOUND = frame_of(bytes.fromhex("4B 01 01 00 04 08 04 3E 30 86 CE"))


def to_chip(data: bytes) -> list[str]:
    return [piece.means for piece in ChipFrameDecoder().to_chip(data)]


def from_chip(*sent: bytes) -> list[str]:
    decoder = ChipFrameDecoder()
    return [piece.means for data in sent for piece in decoder.from_chip(data)]


def test_commands_are_called_by_their_names() -> None:
    assert to_chip(WAKE_UP + command(VIRTUAL_CARD_OFF)) == ["wakes the chip", "SAMConfiguration: read cards, be none"]
    assert to_chip(command(GET_FIRMWARE)) == ["GetFirmwareVersion: which chip are you?"]
    assert to_chip(ACK + command(LOOK_FOR_ONE_CARD)) == [
        "ACK: give up what you are at",
        "InListPassiveTarget: look for one card",
    ]
    assert to_chip(command(b"\x44")) == ["command 0x44"]


def test_answers_are_told_with_the_cards_uid() -> None:
    assert from_chip(ACK) == ["ACK: understood"]
    assert from_chip(frame_of(b"\x15")) == ["SAMConfiguration answered: done"]
    assert from_chip(frame_of(b"\x03" + FIRMWARE)) == ["GetFirmwareVersion answered: PN532, firmware 1.6"]
    assert from_chip(CARD_FOUND) == ["InListPassiveTarget answered: card 3E3086CE"]
    assert from_chip(frame_of(b"\x4b\x00")) == ["InListPassiveTarget answered: no card with a UID of its own"]


def test_what_is_no_frame_is_told_as_what_it_is() -> None:
    damaged = bytearray(CARD_FOUND)
    damaged[10] ^= 1
    assert from_chip(bytes(damaged)) == ["a damaged frame"]
    assert from_chip(b"\xaa\xbb" + CARD_FOUND) == ["noise", "InListPassiveTarget answered: card 3E3086CE"]
    assert from_chip(CARD_FOUND[:9]) == ["half a frame"]
    assert from_chip(bytes(9)) == ["zeros, which mean nothing"]
    assert to_chip(CARD_FOUND) == ["a damaged frame"]
    assert to_chip(command(GET_FIRMWARE).replace(b"\xd4\x02", b"\xd4\x03")) == ["a damaged frame"]


def test_half_a_frame_is_ended_by_the_rest_unless_the_firmware_asked_anew() -> None:
    found = "InListPassiveTarget answered: card 3E3086CE"
    assert from_chip(CARD_FOUND[:9], CARD_FOUND[9:]) == ["half a frame", found]
    decoder = ChipFrameDecoder()
    assert [piece.means for piece in decoder.from_chip(CARD_FOUND[:9])] == ["half a frame"]
    assert [piece.is_bad for piece in decoder.to_chip(command(LOOK_FOR_ONE_CARD))] == [False]
    assert [piece.means for piece in decoder.from_chip(CARD_FOUND[9:])] == ["noise"]
    assert [piece.means for piece in decoder.from_chip(CARD_FOUND)] == [found]


def stream_of(seed: int) -> bytes:
    """Frames, parts of frames and noise."""
    rng = random.Random(seed)
    choices = (CARD_FOUND, ACK, CARD_FOUND[:7], rng.randbytes(6), b"\x00\xff" * 3, bytes(4))
    return b"".join(rng.choice(choices) for _ in range(12))


@given(st.integers(0, 2**32))
def test_the_answers_are_those_that_the_firmware_finds(seed: int) -> None:
    stream = stream_of(seed)
    pieces = list(ChipFrameDecoder().from_chip(stream))
    answers = ["ACK" if answer == b"" else "InListPassiveTarget" for answer in ChipFrames().feed(stream)]
    assert [re.split(r"\W", piece.means)[0] for piece in pieces if re.match("ACK|InList", piece.means)] == answers


@given(st.integers(0, 2**32), st.lists(st.integers(0, 40)))
def test_every_byte_is_told_once_and_no_card_is_missed_however_the_bytes_were_cut(seed: int, cuts: list[int]) -> None:
    stream = stream_of(seed)
    sent, rest = [], stream
    for cut in cuts:
        sent.append(rest[:cut])
        rest = rest[cut:]
    decoder, firmware = ChipFrameDecoder(), ChipFrames()
    pieces = [piece for data in (*sent, rest) for piece in decoder.from_chip(data)]
    cards = [answer for data in (*sent, rest) for answer in firmware.feed(data) if answer]
    assert bytes.fromhex("".join(piece.written for piece in pieces)) == stream
    assert sum("card" in piece.means for piece in pieces) == len(cards)
