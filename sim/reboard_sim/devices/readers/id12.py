"""A virtual ID-12LA: it sends the frame of a card once, when the card comes."""

from __future__ import annotations

import asyncio
import random

from reboard.devices.readers.em4100 import ID12_END
from reboard_sim.board.serial_line import VirtualSerialLine
from reboard_sim.devices.readers.virtual_reader import VirtualReader, disturbance, frame_of

PERIOD_S = 0.1
"""The time between two looks for a card."""

LONGEST_S = 0.5
"""The most time in which flicker loses a card and finds it again, which sends its frame again."""


class VirtualId12(VirtualReader):
    """An ID-12LA on *line*.

    It does not send a card that is there at power-up: a real one sends it long before the firmware listens.
    """

    speaks_once = True

    def __init__(self, line: VirtualSerialLine, *, rng: random.Random) -> None:
        self._loop = asyncio.get_running_loop()
        self._line = line
        self._rng = rng
        self._noise = False
        self._flicker = False
        self._sent_at = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def put(self, card: str) -> None:
        self._send(card)
        self.card = card.upper()
        self._look()

    def take(self) -> None:
        self.card = None

    def noise(self, on: bool) -> None:
        self._noise = on
        self._look()

    def flicker(self, on: bool) -> None:
        self._flicker = on
        self._look()

    def plug(self) -> None:
        self._line.plug()

    def unplug(self) -> None:
        self._line.unplug()

    def close(self) -> None:
        self._line.close()
        self.take()
        self._noise = False
        self._stop_timer()

    def _look(self) -> None:
        self._stop_timer()
        if self._noise:
            self._line.send(disturbance(ID12_END, self._rng))
        if self._flicker and self.card is not None:
            is_due = self._loop.time() - self._sent_at > LONGEST_S - PERIOD_S
            if is_due or self._rng.random() < 0.25:
                self._send(self.card)
        if self._noise or (self._flicker and self.card is not None):
            self._timer = self._loop.call_later(PERIOD_S, self._look)

    def _send(self, card: str) -> None:
        self._line.send(frame_of(card, ID12_END))
        self._sent_at = self._loop.time()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
