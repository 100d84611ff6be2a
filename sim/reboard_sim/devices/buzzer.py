"""A virtual buzzer."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from reboard.devices.device import FittedDevice
from reboard_sim.board.line import Line
from reboard_sim.devices.device import VirtualBoard, VirtualDevice


class VirtualBuzzer(VirtualDevice):
    """A buzzer that sounds with the frequency of the pulses on *line*."""

    def __init__(self, line: Line) -> None:
        self._line = line

    @property
    def hz(self) -> float:
        """The tone, or 0 without one."""
        return round(self._line.hz, 1) if self._line.duty else 0.0

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
