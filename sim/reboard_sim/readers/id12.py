"""A virtual ID-12LA: it says each card once, when it comes."""

from __future__ import annotations

import asyncio
import random

from reboard.parts.slots.id12 import FRAME_END
from reboard_sim.readers.em4100 import disturbance, frame_of
from reboard_sim.serial_line import VirtualSerialLine

PERIOD_S = 0.1
"""It looks for a card this often."""

LONGEST_S = 0.5
"""A flickering card is lost and found again, and so said again, at least this often."""


class VirtualId12:
    """A reader on *line*, a `reboard_sim.readers.virtual_reader.VirtualReader`.

    A card that lies there when it gets power is not said: a real one says it long before anybody listens.
    """

    speaks_once = True

    def __init__(self, line: VirtualSerialLine, *, rng: random.Random) -> None:
        self._loop = asyncio.get_running_loop()
        self._line = line
        self._rng = rng
        self._noise = False
        self._flicker = False
        self._said_at = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self.card: str | None = None

    @staticmethod
    def says(card: str) -> str:
        """The card's ten digits."""
        return card

    def put(self, card: str) -> None:
        """Lay a card on the reader, instead of one that lies there."""
        self._say(card)
        self.card = card.upper()
        self._look()

    def take(self) -> None:
        """Take the card away, if one is there."""
        self.card = None

    def noise(self, on: bool) -> None:
        """Disturb the line: stray bytes, halves of frames, frames with wrong checksums."""
        self._noise = on
        self._look()

    def flicker(self, on: bool) -> None:
        """Lose a card that lies still and find it again, over and over."""
        self._flicker = on
        self._look()

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
        self._stop_timer()

    def _look(self) -> None:
        self._stop_timer()
        if self._noise:
            self._line.send(disturbance(FRAME_END, self._rng))
        if self._flicker and self.card is not None:
            is_due = self._loop.time() - self._said_at > LONGEST_S - PERIOD_S
            if is_due or self._rng.random() < 0.25:
                self._say(self.card)
        if self._noise or (self._flicker and self.card is not None):
            self._timer = self._loop.call_later(PERIOD_S, self._look)

    def _say(self, card: str) -> None:
        self._line.send(frame_of(card, FRAME_END))
        self._said_at = self._loop.time()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
