"""A virtual lamp."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from reboard.devices.device import FittedDevice
from reboard_sim.board.line import Line
from reboard_sim.devices.device import VirtualBoard, VirtualDevice
from reboard_sim.devices.opened import Opening


class VirtualLamp(VirtualDevice):
    """A lamp that is as bright as the duty cycle of its *line*. If *active_high* is false, it is lit by a low line."""

    def __init__(self, line: Line, *, active_high: bool = True) -> None:
        self.line = line
        self._active_high = active_high

    @property
    def level(self) -> float:
        """The brightness, from 0 to 1."""
        if self._active_high:
            return self.line.duty
        return 1 - self.line.duty if self.line.is_output else 0.0  # no current flows into an input

    @property
    def is_on(self) -> bool:
        """Whether the lamp is lit."""
        return self.level > 0

    def state(self) -> object:
        """Return whether the lamp is lit, or the brightness of a lamp that is dimmed."""
        return round(self.level, 3) if 0 < self.level < 1 else self.is_on

    def shows(self) -> Collection[str]:
        """Return ``on`` or ``off``, and the brightness of a lamp that is dimmed, such as ``0.5``."""
        dimmed = [f"{self.level:.3g}"] if 0 < self.level < 1 else []
        return ["on" if self.is_on else "off", *dimmed]


def wired(device: FittedDevice[int, Any], board: VirtualBoard) -> VirtualLamp:
    """Return a lamp on the pin of *device*."""
    assert device.config is not None
    return VirtualLamp(board.pins.line(device.config))


def opened(opening: Opening, board: VirtualBoard) -> VirtualLamp:
    """Return a lamp on its pin."""
    return VirtualLamp(board.pins.line(opening.pin), active_high=opening.active_high)
