from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reboard.parts.slots import id12, rdm6300
from reboard.parts.slots.em4100 import TagFrames
from reboard_sim.deck import DECK
from reboard_sim.decoders.piece import Piece
from reboard_sim.decoders.tag_frames import TagFrameDecoder
from reboard_sim.readers.em4100 import disturbance, frame_of

END = rdm6300.FRAME_END
CARD = DECK[0]
FRAME = frame_of(CARD, END)


def told(*sent: bytes, end: bytes = END) -> list[tuple[str, str, bool]]:
    decoder = TagFrameDecoder(end)
    return [(piece.written, piece.means, piece.is_bad) for data in sent for piece in decoder.feed(data)]


@pytest.mark.parametrize("end", [rdm6300.FRAME_END, id12.FRAME_END], ids=["RDM6300", "ID-12LA"])
def test_a_frame_is_a_card_with_its_bytes(end: bytes) -> None:
    frame = frame_of(CARD, end)
    assert told(frame, end=end) == [(frame.hex(" ").upper(), f"card {CARD}, checksum right", False)]


def test_a_checksum_that_is_wrong_is_told() -> None:
    wrong = FRAME[:1] + b"0" + FRAME[2:]
    assert told(wrong) == [(wrong.hex(" ").upper(), f"card 0{CARD[1:]}, checksum wrong", True)]


def test_noise_around_a_frame_is_told_apart_from_it() -> None:
    assert [means for _, means, _ in told(b"\xff\x00" + FRAME + b"!")] == [
        "noise",
        f"card {CARD}, checksum right",
        "noise",
    ]


def test_half_a_frame_is_told_and_what_ends_it_is_the_card() -> None:
    assert told(FRAME[:5], FRAME[5:]) == [
        (FRAME[:5].hex(" ").upper(), "half a frame", True),
        (FRAME[5:].hex(" ").upper(), f"card {CARD}, checksum right", False),
    ]


def test_half_a_frame_that_nothing_ends_hides_no_card() -> None:
    assert [means for _, means, _ in told(FRAME[:5], FRAME)] == ["half a frame", f"card {CARD}, checksum right"]


@given(st.integers(0, 2**32), st.lists(st.integers(0, 40)))
def test_every_byte_is_told_once_and_the_cards_are_those_that_the_firmware_finds(seed: int, cuts: list[int]) -> None:
    rng = random.Random(seed)
    stream = b"".join(rng.choice([FRAME, disturbance(END, rng)]) for _ in range(12))
    sent, rest = [], stream
    for cut in cuts:
        sent.append(rest[:cut])
        rest = rest[cut:]
    pieces = [Piece(*row) for row in told(*sent, rest)]
    assert bytes.fromhex("".join(piece.written for piece in pieces)) == stream
    firmware = TagFrames(END)
    tags = [tag for data in (*sent, rest) for tag in firmware.feed(data)]
    assert [piece.means.split()[1].rstrip(",") for piece in pieces if not piece.is_bad] == tags
