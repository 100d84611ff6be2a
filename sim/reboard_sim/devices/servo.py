"""A virtual servo."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from reboard.devices.device import FittedDevice
from reboard.devices.servo import MOST_DEGREES
from reboard_sim.board.line import Line
from reboard_sim.devices.device import VirtualBoard, VirtualDevice
from reboard_sim.devices.opened import Opening

MIDDLE_S, MOST_S = 0.0015, 0.0005
"""The length of the pulse at 0 degrees, and its difference at `MOST_DEGREES`, in seconds."""

STOP_DEGREES = 90
"""The angle at which the arm of a usual servo meets its stop."""

USUAL_HZ = 50.0


class VirtualServo(VirtualDevice):
    """A servo whose angle is the length of the pulses on *line*. Without pulses, the arm stays where it is."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._degrees = 0.0

    @property
    def degrees(self) -> float:
        """The angle of the arm."""
        if 0 < self._line.duty < 1:
            pulse_s = self._line.duty / (self._line.hz or USUAL_HZ)
            degrees = (pulse_s - MIDDLE_S) / MOST_S * MOST_DEGREES
            self._degrees = round(min(max(degrees, -STOP_DEGREES), STOP_DEGREES), 1)
        return self._degrees

    def state(self) -> object:
        return {"on": bool(self._line.duty), "turns": round(self.degrees / 360, 4), "degrees": self.degrees}

    def shows(self) -> Collection[str]:
        return ["on" if self._line.duty else "off", f"{self.degrees:g}"]


def wired(device: FittedDevice[int, Any], board: VirtualBoard) -> VirtualServo:
    """Return a servo on the pin of *device*."""
    assert device.config is not None
    return VirtualServo(board.pins.line(device.config))


def opened(opening: Opening, board: VirtualBoard) -> VirtualServo:
    """Return a servo on its pin."""
    return VirtualServo(board.pins.line(opening.pin))
