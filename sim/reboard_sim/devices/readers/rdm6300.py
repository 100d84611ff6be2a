"""A virtual RDM6300: it sends the frame of a card over and over."""

from __future__ import annotations

import asyncio
import random

from reboard.devices.readers.em4100 import RDM6300_END
from reboard_sim.board.serial_line import VirtualSerialLine
from reboard_sim.devices.readers.virtual_reader import VirtualReader, disturbance, frame_of

PERIOD_S = 0.065
"""The time between two frames while a card is there."""

MOST_MISSED = 3
"""The most frames in a row that flicker leaves out: the reader is silent for up to 0.26 s."""


class VirtualRdm6300(VirtualReader):
    """An RDM6300 on *line*."""

    def __init__(self, line: VirtualSerialLine, *, rng: random.Random) -> None:
        self._loop = asyncio.get_running_loop()
        self._line = line
        self._rng = rng
        self._frame: bytes | None = None
        self._noise = False
        self._flicker = False
        self._missed = 0
        self._timer: asyncio.TimerHandle | None = None

    def put(self, card: str) -> None:
        self._frame = frame_of(card, RDM6300_END)
        self.card = card.upper()
        self._missed = MOST_MISSED
        self._speak()

    def take(self) -> None:
        self.card = self._frame = None

    def noise(self, on: bool) -> None:
        self._noise = on
        self._speak()

    def flicker(self, on: bool) -> None:
        self._flicker = on

    def plug(self) -> None:
        self._line.plug()

    def unplug(self) -> None:
        self._line.unplug()

    def close(self) -> None:
        self._line.close()
        self.take()
        self._noise = False
        if self._timer is not None:
            self._timer.cancel()

    def _speak(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._noise:
            self._line.send(disturbance(RDM6300_END, self._rng))
        if self._frame is not None and not self._misses():
            self._line.send(self._frame)
        if self._noise or self._frame is not None:
            self._timer = self._loop.call_later(PERIOD_S, self._speak)

    def _misses(self) -> bool:
        missed = self._flicker and self._missed < MOST_MISSED and self._rng.random() < 0.5
        self._missed = self._missed + 1 if missed else 0
        return missed
