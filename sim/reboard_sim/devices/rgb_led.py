"""A virtual RGB LED."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from reboard.devices.device import FittedDevice
from reboard.devices.rgb_led import RgbLedConfig
from reboard_sim.devices.device import VirtualBoard, VirtualDevice
from reboard_sim.devices.lamp import VirtualLamp
from reboard_sim.devices.opened import Opening

COLOURS = ("red", "green", "blue")
TERMINALS = (COLOURS,)

NAMES = {
    "#ff0000": "red",
    "#00ff00": "green",
    "#0000ff": "blue",
    "#ffff00": "yellow",
    "#00ffff": "cyan",
    "#ff00ff": "magenta",
    "#ffffff": "white",
}
"""The names of the colours in which each lamp is either fully on or off."""


class VirtualRgbLed(VirtualDevice):
    """An RGB LED with a lamp for red, green and blue."""

    def __init__(self, lamps: Sequence[VirtualLamp]) -> None:
        self._lamps = lamps

    @property
    def colour(self) -> str:
        """The colour, such as ``#ff8000``."""
        return "#" + "".join(f"{round(255 * lamp.level):02x}" for lamp in self._lamps)

    def state(self) -> object:
        return {"on": self.colour != "#000000", "colour": self.colour}

    def shows(self) -> Collection[str]:
        if self.colour == "#000000":
            return ["off"]
        return ["on", self.colour, *([NAMES[self.colour]] if self.colour in NAMES else [])]


def wired(device: FittedDevice[RgbLedConfig, Any], board: VirtualBoard) -> VirtualRgbLed:
    """Return an RGB LED on the pins of *device*."""
    assert device.config is not None
    return VirtualRgbLed([VirtualLamp(board.pins.line(pin)) for pin in device.config.pins.values()])


def opened(opening: Opening, board: VirtualBoard) -> VirtualRgbLed:
    """Return an RGB LED on its pins ``red``, ``green`` and ``blue``."""
    return VirtualRgbLed(
        [VirtualLamp(board.pins.line(opening.pins[name]), active_high=opening.active_high) for name in COLOURS]
    )
