"""A virtual RGB LED."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from reboard.devices.device import FittedDevice
from reboard.devices.rgb_led import RgbLedConfig
from reboard_sim.board.line import Line
from reboard_sim.devices.device import VirtualBoard, VirtualDevice


class VirtualRgbLed(VirtualDevice):
    """An RGB LED whose colours are as bright as the duty cycles of the three *lines*."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = lines

    @property
    def colour(self) -> str:
        """The colour, such as ``#ff8000``."""
        return "#" + "".join(f"{round(255 * line.duty):02x}" for line in self._lines)

    def state(self) -> object:
        return {"on": self.colour != "#000000", "colour": self.colour}

    def shows(self) -> Collection[str]:
        return ["off"] if self.colour == "#000000" else ["on", self.colour]


def wired(device: FittedDevice[RgbLedConfig, Any], board: VirtualBoard) -> VirtualRgbLed:
    """Return an RGB LED on the pins of *device*."""
    assert device.config is not None
    return VirtualRgbLed([board.pins.line(pin) for pin in device.config.pins.values()])
