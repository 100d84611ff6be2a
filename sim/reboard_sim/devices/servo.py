"""A virtual servo."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from reboard.devices.device import FittedDevice
from reboard.devices.servo import MOST_DEGREES
from reboard_sim.board.line import Line
from reboard_sim.devices.device import VirtualBoard, VirtualDevice

MIDDLE, MOST = 0.075, 0.025
"""The duty cycle of a pulse of 1.5 ms in 20 ms, and its difference at the largest angle."""


class VirtualServo(VirtualDevice):
    """A servo whose angle is the duty cycle of *line*. Without pulses, the arm stays where it is."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._degrees = 0.0

    @property
    def degrees(self) -> float:
        """The angle of the arm."""
        if self._line.duty:
            self._degrees = round((self._line.duty - MIDDLE) / MOST * MOST_DEGREES, 1)
        return self._degrees

    def state(self) -> object:
        return {"on": bool(self._line.duty), "turns": round(self.degrees / 360, 4), "degrees": self.degrees}

    def shows(self) -> Collection[str]:
        return ["on" if self._line.duty else "off", f"{self.degrees:g}"]


def wired(device: FittedDevice[int, Any], board: VirtualBoard) -> VirtualServo:
    """Return a servo on the pin of *device*."""
    assert device.config is not None
    return VirtualServo(board.pins.line(device.config))
