"""A virtual buzzer."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from reboard.devices.device import FittedDevice
from reboard_sim.board.line import Line
from reboard_sim.devices.device import VirtualBoard, VirtualDevice
from reboard_sim.devices.opened import Opening

OWN_HZ = 2400.0
"""The tone of a buzzer with electronics, such as TDB05: 2300 ± 300 Hz in its data sheet."""


class VirtualBuzzer(VirtualDevice):
    """A buzzer that sounds with the frequency of the pulses on *line*.

    One with electronics sounds with *own_hz* while the line is at the level *active_high*, without pulses.
    """

    def __init__(self, line: Line, *, own_hz: float = 0.0, active_high: bool = True) -> None:
        self._line = line
        self._own_hz = own_hz
        self._active_high = active_high

    @property
    def hz(self) -> float:
        """The tone, or 0 without one."""
        line = self._line
        if line.hz:
            return round(line.hz, 1) if line.duty else 0.0
        return self._own_hz if line.is_output and line.level == self._active_high else 0.0

    def state(self) -> object:
        return {"on": self.hz > 0, "hz": self.hz}

    def shows(self) -> Collection[str]:
        return ["on", f"{self.hz:g} Hz"] if self.hz else ["off"]

    def follow(self, kind: str, *values: Any) -> None:
        if kind == "event" and values[0]["event"] == "buzzer":
            self._line.hz = values[0]["hz"]


def wired(device: FittedDevice[int, Any], board: VirtualBoard) -> VirtualBuzzer:
    """Return a buzzer on the pin of *device*."""
    assert device.config is not None
    return VirtualBuzzer(board.pins.line(device.config))


def opened(opening: Opening, board: VirtualBoard) -> VirtualBuzzer:
    """Return a buzzer on its pin, which sounds with pulses and without."""
    return VirtualBuzzer(board.pins.line(opening.pin), own_hz=OWN_HZ, active_high=opening.active_high)
