from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from reboard.devices.readers.pn532 import (
    ACK,
    ChipFrames,
)
from reboard_sim.decoders.card_readers import ChipFrameDecoder
from reboard_sim.devices.readers.pn532 import FIRMWARE, frame_of

CARD_FOUND = frame_of(bytes.fromhex("4B 01 01 00 04 08 04 3E 30 86 CE"))


def from_chip(*sent: bytes) -> list[str]:
    decoder = ChipFrameDecoder()
    return [piece.means for data in sent for piece in decoder.from_chip(data)]


def test_an_answer_shows_the_uid_of_the_card() -> None:
    assert from_chip(ACK) == ["ACK: understood"]
    assert from_chip(frame_of(b"\x15")) == ["SAMConfiguration answered: done"]
    assert from_chip(frame_of(b"\x03" + FIRMWARE)) == ["GetFirmwareVersion answered: PN532, firmware 1.6"]
    assert from_chip(CARD_FOUND) == ["InListPassiveTarget answered: card 3E3086CE"]
    assert from_chip(frame_of(b"\x4b\x00")) == ["InListPassiveTarget answered: no card with a UID of its own"]


def stream_of(seed: int) -> bytes:
    """Frames, parts of frames and noise."""
    rng = random.Random(seed)
    choices = (CARD_FOUND, ACK, CARD_FOUND[:7], rng.randbytes(6), b"\x00\xff" * 3, bytes(4))
    return b"".join(rng.choice(choices) for _ in range(12))


@given(st.integers(0, 2**32), st.lists(st.integers(0, 40)))
def test_every_byte_and_card_appears_once_for_any_split(seed: int, cuts: list[int]) -> None:
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
