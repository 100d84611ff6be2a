"""A virtual servo."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from reboard.devices.device import FittedDevice
from reboard.devices.servo import MOST_DEGREES
from reboard_sim.board.line import Line
from reboard_sim.devices.device import VirtualBoard, VirtualDevice
from reboard_sim.devices.opened import Opening

LEAST_S, MOST_S = 0.001, 0.002
"""The lengths of the pulse at the largest angles, in seconds."""

USUAL_HZ = 50.0


class VirtualServo(VirtualDevice):
    """A servo whose angle is the length of the pulses on *line*. Without pulses, the arm stays where it is.

    *pulses_s* has the lengths of the pulse at the first and the last of the *angles*, in seconds. There it stops.
    """

    def __init__(
        self,
        line: Line,
        *,
        pulses_s: tuple[float, float] = (LEAST_S, MOST_S),
        angles: tuple[float, float] = (-MOST_DEGREES, MOST_DEGREES),
    ) -> None:
        self._line = line
        self._pulses_s, self._angles = pulses_s, angles
        self._degrees = 0.0

    @property
    def degrees(self) -> float:
        """The angle of the arm."""
        if 0 < self._line.duty < 1:
            pulse_s = self._line.duty / (self._line.hz or USUAL_HZ)
            (shortest_s, longest_s), (first, last) = self._pulses_s, self._angles
            share = (pulse_s - shortest_s) / (longest_s - shortest_s)
            self._degrees = round(first + min(max(share, 0), 1) * (last - first), 1)
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
    """Return a servo on its pin, with the pulses and angles that gpiozero's ``AngularServo`` has by default."""
    settings = opening.settings
    return VirtualServo(
        board.pins.line(opening.pin),
        pulses_s=(settings.get("min_pulse_width", LEAST_S), settings.get("max_pulse_width", MOST_S)),
        angles=(settings.get("min_angle", -90), settings.get("max_angle", 90)),
    )
