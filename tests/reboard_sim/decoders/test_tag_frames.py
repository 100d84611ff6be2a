from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from reboard.devices.readers.em4100 import RDM6300_END, TagFrames
from reboard_sim.decoders.card_readers import Piece, TagFrameDecoder
from reboard_sim.devices.readers.virtual_reader import DECK, disturbance, frame_of

END = RDM6300_END
CARD = DECK[0]
FRAME = frame_of(CARD, END)


def told(*sent: bytes, end: bytes = END) -> list[tuple[str, str, bool]]:
    decoder = TagFrameDecoder(end)
    return [(piece.written, piece.means, piece.is_bad) for data in sent for piece in decoder.feed(data)]


def test_a_wrong_checksum_is_reported() -> None:
    wrong = FRAME[:1] + b"0" + FRAME[2:]
    assert told(wrong) == [(wrong.hex(" ").upper(), f"card 0{CARD[1:]}, checksum wrong", True)]


def test_half_a_frame_is_reported_and_its_rest_completes_the_card() -> None:
    assert told(FRAME[:5], FRAME[5:]) == [
        (FRAME[:5].hex(" ").upper(), "half a frame", True),
        (FRAME[5:].hex(" ").upper(), f"card {CARD}, checksum right", False),
    ]


@given(st.integers(0, 2**32), st.lists(st.integers(0, 40)))
def test_every_byte_appears_once_and_the_cards_are_those_of_the_firmware(seed: int, cuts: list[int]) -> None:
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
