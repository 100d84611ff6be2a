"""A virtual RDM6300: what one says on its serial line, in its own bytes, on good days and on bad ones."""

from __future__ import annotations

import asyncio
import random

from reboard.parts.slots.rdm6300 import FRAME_END
from reboard_sim.readers.em4100 import disturbance, frame_of
from reboard_sim.serial_line import VirtualSerialLine

PERIOD_S = 0.065
"""A frame comes this often while a card is there."""

MOST_MISSED = 3
"""A flickering card is missed this many times in a row at the most: it is silent for up to 0.26 s."""


class VirtualRdm6300:
    """A reader on *line*, a `reboard_sim.readers.virtual_reader.VirtualReader`."""

    speaks_once = False

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
        self._frame = frame_of(card, FRAME_END)
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
            self._line.send(disturbance(FRAME_END, self._rng))
        if self._frame is not None and not self._misses():
            self._line.send(self._frame)
        if self._noise or self._frame is not None:
            self._timer = self._loop.call_later(PERIOD_S, self._speak)

    def _misses(self) -> bool:
        missed = self._flicker and self._missed < MOST_MISSED and self._rng.random() < 0.5
        self._missed = self._missed + 1 if missed else 0
        return missed
