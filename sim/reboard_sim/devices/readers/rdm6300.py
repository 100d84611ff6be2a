"""A virtual RDM6300, which repeats the frame of a card while the card is in the slot."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf
from random import Random
from typing import Any, ClassVar, Self

from reboard.devices.readers.em4100 import RDM6300_END
from reboard.devices.readers.kinds.rdm6300 import KIND
from reboard_sim.board.serial_line import VirtualSerialLine
from reboard_sim.devices.device import VirtualBoard
from reboard_sim.devices.readers.em4100 import VirtualRepeatingReader

STOPS_AFTER = 28
"""The number of frames after which a reader that stops repeating is silent, although its card stays in the slot."""


class VirtualRdm6300(VirtualRepeatingReader):
    """An RDM6300 on a serial line, or a clone that *sends_once*."""

    period_s = KIND.period_s
    frame_end = RDM6300_END
    meanings: ClassVar = {
        "once": "Its reader sends a card once and does not repeat it. For `rdm6300`.",
        "stops": "Its reader stops repeating a card after two seconds. For `rdm6300`.",
    }

    def __init__(self, line: VirtualSerialLine, *, rng: Random, sends_once: bool = False) -> None:
        super().__init__(line, rng=rng)
        self.reports_once = sends_once
        self._most = self._usual = 1 if sends_once else inf

    @classmethod
    def wired(cls, config: Any, board: VirtualBoard) -> Self:
        return cls(board.add_serial_line(config.port), rng=board.rng, sends_once=config.sends == "once")

    def faults(self) -> Mapping[str, Callable[[bool], None]]:
        return {
            **super().faults(),
            "once": lambda on: self._stop_after(1 if on else self._usual),
            "stops": lambda on: self._stop_after(STOPS_AFTER if on else self._usual),
        }

    def _stop_after(self, frames: float) -> None:
        self._most = frames


READER = VirtualRdm6300
