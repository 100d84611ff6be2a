"""A virtual sensor that sees something or not, such as a motion or line sensor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from reboard.devices.device import FittedDevice
from reboard_sim.board.line import Line
from reboard_sim.devices.contact import SET
from reboard_sim.devices.device import VirtualBoard, VirtualDevice
from reboard_sim.devices.opened import Opening

FORMS = (SET,)


class VirtualSensor(VirtualDevice):
    """A sensor with electronics, which drives its *line* while the Pi feeds it: high while it is on, or low."""

    def __init__(self, line: Line, *, active_high: bool = True) -> None:
        self._line = line
        self._active_high = active_high
        self._has_power = False
        self.is_on = False

    def set(self, on: bool) -> None:
        """Let the sensor see something, or nothing."""
        self.is_on = on
        self._line.drive((on == self._active_high) if self._has_power else None, by=self)

    def power_on(self) -> None:
        self._has_power = True
        self.set(self.is_on)

    def power_off(self) -> None:
        self._has_power = False
        self.set(self.is_on)

    def acts(self) -> Mapping[str, Callable[..., None]]:
        return {"set": self.set}

    def state(self) -> object:
        return self.is_on


def widget(device: FittedDevice[Opening, Any]) -> str:
    """Return the name of the control."""
    return "switch"


def opened(opening: Opening, board: VirtualBoard) -> VirtualSensor:
    """Return a sensor on its pin."""
    return VirtualSensor(board.pins.line(opening.pin), active_high=opening.active_high)
