"""A virtual RDM6300: what one says on its serial line, in its own bytes, on good days and on bad ones."""

from __future__ import annotations

import asyncio
import random
import re
from functools import reduce
from operator import xor

from reboard_sim.readers.virtual_reader import NoSuchCardError
from reboard_sim.serial_line import VirtualSerialLine

PERIOD_S = 0.065
"""A frame comes this often while a card is there."""

MOST_MISSED = 3
"""A flickering card is missed this many times in a row at the most: it is silent for up to 0.26 s."""


def frame_of(tag: str) -> bytes:
    """What the reader sends for *tag*, ten hex digits. Raises `NoSuchCardError` for anything else."""
    if not re.fullmatch("[0-9A-Fa-f]{10}", tag):
        raise NoSuchCardError(f"an EM4100 tag is ten hex digits, not {tag!r}")
    checksum = reduce(xor, bytes.fromhex(tag))
    return f"\x02{tag.upper()}{checksum:02X}\x03".encode()


class VirtualRdm6300:
    """A reader on *line*, a `reboard_sim.readers.virtual_reader.VirtualReader`."""

    def __init__(self, line: VirtualSerialLine, *, rng: random.Random) -> None:
        self._loop = asyncio.get_running_loop()
        self._line = line
        self._rng = rng
        self._frame: bytes | None = None
        self._noise = False
        self._flicker = False
        self._missed = 0
        self._timer: asyncio.TimerHandle | None = None
        self.card: str | None = None

    @staticmethod
    def says(card: str) -> str:
        """The card's ten digits."""
        return card

    def put(self, card: str) -> None:
        """Lay a card on the reader, instead of one that lies there."""
        self._frame = frame_of(card)
        self.card = card.upper()
        self._missed = MOST_MISSED
        self._speak()

    def take(self) -> None:
        """Take the card away, if one is there."""
        self.card = self._frame = None

    def noise(self, on: bool) -> None:
        """Disturb the line: stray bytes, halves of frames, frames with wrong checksums."""
        self._noise = on
        self._speak()

    def flicker(self, on: bool) -> None:
        """Miss about every second look at the card, and up to three in a row."""
        self._flicker = on

    def plug(self) -> None:
        """Put its plug in."""
        self._line.plug()

    def unplug(self) -> None:
        """Pull its plug: what it says then is lost."""
        self._line.unplug()

    def close(self) -> None:
        """Fall silent and give the line back. May be called twice."""
        self._line.close()
        self.take()
        self._noise = False
        if self._timer is not None:
            self._timer.cancel()

    def _speak(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._noise:
            self._line.send(self._disturbance())
        if self._frame is not None and not self._misses():
            self._line.send(self._frame)
        if self._noise or self._frame is not None:
            self._timer = self._loop.call_later(PERIOD_S, self._speak)

    def _misses(self) -> bool:
        missed = self._flicker and self._missed < MOST_MISSED and self._rng.random() < 0.5
        self._missed = self._missed + 1 if missed else 0
        return missed

    def _disturbance(self) -> bytes:
        """Something that must not become a card: made from a card that is not there, or from nothing."""
        frame = frame_of(self._rng.randbytes(5).hex())
        position = self._rng.randrange(1, len(frame))
        match self._rng.randrange(4):
            case 0:
                return self._rng.randbytes(position)
            case 1:
                return frame[:position]
            case 2:
                return frame[:position] + frame[position + 1 :]
            case _:
                wrong_digit = b"0" if frame[1:2] != b"0" else b"1"
                return frame[:1] + wrong_digit + frame[2:]
