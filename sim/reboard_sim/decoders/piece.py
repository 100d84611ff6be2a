"""What a decoder makes of what passed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of what was sent in one go: as it is *written*, and what it *means*.

    It *is_bad* when nobody can do anything with it: noise, half a frame, a sum that is not right.
    """

    written: str
    means: str
    is_bad: bool = False


def as_hex(data: bytes) -> str:
    """Two capital digits a byte, with spaces between."""
    return data.hex(" ").upper()
