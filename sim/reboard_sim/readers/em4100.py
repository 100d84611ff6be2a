"""EM4100 cards as serial readers spell them, rightly and wrongly."""

from __future__ import annotations

import random
import re
from functools import reduce
from operator import xor

from reboard_sim.readers.virtual_reader import NoSuchCardError


def frame_of(card: str, end: bytes) -> bytes:
    """What a reader sends for *card*, ten hex digits. Raises `NoSuchCardError` for anything else."""
    if not re.fullmatch("[0-9A-Fa-f]{10}", card):
        raise NoSuchCardError(f"an EM4100 card is ten hex digits, not {card!r}")
    checksum = reduce(xor, bytes.fromhex(card))
    return f"\x02{card.upper()}{checksum:02X}".encode() + end


def disturbance(end: bytes, rng: random.Random) -> bytes:
    """Something that must not become a card: made from a card that is not there, or from nothing."""
    frame = frame_of(rng.randbytes(5).hex(), end)
    position = rng.randrange(1, len(frame))
    match rng.randrange(4):
        case 0:
            return rng.randbytes(position)
        case 1:
            return frame[:position]
        case 2:
            return frame[:position] + frame[position + 1 :]
        case _:
            wrong_digit = b"0" if frame[1:2] != b"0" else b"1"
            return frame[:1] + wrong_digit + frame[2:]
