"""A virtual lamp."""

from __future__ import annotations

from typing import Any

from reboard.devices.device import FittedDevice
from reboard_sim.board.line import Line
from reboard_sim.devices.device import VirtualBoard, VirtualDevice


class VirtualLamp(VirtualDevice):
    """A lamp that is lit while its *line* is high."""

    def __init__(self, line: Line) -> None:
        self.line = line

    @property
    def is_on(self) -> bool:
        """Whether the lamp is lit."""
        return self.line.level

    def state(self) -> object:
        return self.is_on


def wired(device: FittedDevice[int, Any], board: VirtualBoard) -> VirtualLamp:
    """Return a lamp on the pin of *device*."""
    assert device.config is not None
    return VirtualLamp(board.pins.line(device.config))
