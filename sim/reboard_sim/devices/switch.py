"""A virtual switch that stays as the user leaves it, or a sensor that sees something or not, such as of motion."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from reboard_sim.board.line import Line
from reboard_sim.devices.contact import SET
from reboard_sim.devices.device import VirtualBoard, VirtualDevice
from reboard_sim.devices.opened import Opening

FORMS = (SET,)


class VirtualSwitch(VirtualDevice):
    """A switch that drives its *line* high or low while the Pi feeds it. It does not bounce."""

    def __init__(self, line: Line, *, active_high: bool = True) -> None:
        self._line = line
        self._active_high = active_high
        self._has_power = False
        self.is_on = False

    def set(self, on: bool) -> None:
        """Switch on, or let the sensor see something, or undo it."""
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


def opened(opening: Opening, board: VirtualBoard) -> VirtualSwitch:
    """Return a switch on its pin."""
    return VirtualSwitch(board.pins.line(opening.pin), active_high=opening.active_high)
