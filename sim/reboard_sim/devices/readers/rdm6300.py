"""A virtual RDM6300, which repeats the frame of a card while the card is in the slot."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from math import inf
from typing import Any, ClassVar, Self

from reboard.devices.readers.em4100 import RDM6300_END
from reboard_sim.board.serial_line import VirtualSerialLine
from reboard_sim.devices.device import VirtualBoard
from reboard_sim.devices.readers.em4100 import VirtualEm4100Reader, frame_of

RDM6300_PERIOD_S = 0.065
"""The time between two frames while a card is in the slot, in seconds."""

STOPS_AFTER = 28
"""The number of frames after which a reader that stops repeating is silent, although its card stays in the slot."""

MOST_MISSED = 3
"""The maximum number of frames in a row that a flickering reader omits. It is silent for up to 0.26 s."""


class VirtualRdm6300(VirtualEm4100Reader):
    """An RDM6300 on a serial line, or a clone that *sends_once*."""

    period_s = RDM6300_PERIOD_S
    frame_end = RDM6300_END
    meanings: ClassVar = {
        "once": "Its reader sends a card once and does not repeat it. For `rdm6300`.",
        "stops": "Its reader stops repeating a card after two seconds. For `rdm6300`.",
    }

    def __init__(self, line: VirtualSerialLine, *, rng: random.Random, sends_once: bool = False) -> None:
        super().__init__(line, rng=rng)
        self.reports_once = sends_once
        self._missed = 0
        self._sent = 0
        self._most = self._usual = 1 if sends_once else inf

    @classmethod
    def wired(cls, config: Any, board: VirtualBoard) -> Self:
        return cls(board.add_serial_line(config.port), rng=board.rng, sends_once=config.sends == "once")

    def put(self, card: str) -> None:
        frame_of(card, RDM6300_END)  # rejects a card that this reader cannot read
        self.card = card.upper()
        self._missed = MOST_MISSED
        self._sent = 0
        self._poll()

    def faults(self) -> Mapping[str, Callable[[bool], None]]:
        return {
            **super().faults(),
            "once": lambda on: self._stop_after(1 if on else self._usual),
            "stops": lambda on: self._stop_after(STOPS_AFTER if on else self._usual),
        }

    def _stop_after(self, frames: float) -> None:
        self._most = frames

    def _send_again(self, card: str) -> bool:
        misses = self._flicker and self._missed < MOST_MISSED and self._rng.random() < 0.5
        self._missed = self._missed + 1 if misses else 0
        if not misses and self._sent < self._most:
            self._sent += 1
            self._send(card)
        return True


READER = VirtualRdm6300
