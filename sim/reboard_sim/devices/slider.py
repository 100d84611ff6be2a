"""A virtual slider: a value that the user sets, such as that of a potentiometer or of the light at a sensor."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from reboard.errors import ReboardError
from reboard_sim.devices.device import VirtualBoard, VirtualDevice
from reboard_sim.devices.opened import Opening
from reboard_sim.forms import Form, one_act


class OutOfRangeError(ReboardError, ValueError):
    """An error for a value that a slider does not have."""


class VirtualSlider(VirtualDevice):
    """A slider with a *value* from *least* to *most*, with a *unit* for users, which the bench moves by *step*.

    The functions in ``on_change`` get each new value.
    """

    def __init__(
        self, value: float = 0.5, *, least: float = 0.0, most: float = 1.0, step: float = 0.01, unit: str = ""
    ) -> None:
        self.value = value
        self.least, self.most, self.step, self.unit = least, most, step, unit
        self.on_change: list[Callable[[float], None]] = []

    def set(self, value: float) -> None:
        """Move the slider to *value*. Raises `OutOfRangeError`."""
        if not self.least <= value <= self.most:
            raise OutOfRangeError(
                f"{value:g} is not in the range from {self.least:g} to {self.most:g} {self.unit}".strip()
            )
        self.value = value
        for listener in tuple(self.on_change):
            listener(value)

    def acts(self) -> Mapping[str, Callable[..., None]]:
        return {"set": self.set}

    def state(self) -> object:
        return {name: getattr(self, name) for name in ("value", "least", "most", "step", "unit")}

    def shows(self) -> Collection[str]:
        return [f"{self.value:g}"]


FORMS = (Form("set_device", "set DEVICE NUMBER", "move a slider to this value", one_act("set")),)
TERMINALS = ()


def opened(opening: Opening, board: VirtualBoard) -> VirtualSlider:
    """Return a slider from 0 to 1, or with the value and range of *opening*."""
    settings: Mapping[str, Any] = opening.settings
    return VirtualSlider(**settings)
