"""The circuit of a module with a box: its signals, each through a resistor if there is one, its supply and ground."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from reboard.devices.circuits.device_circuit import CircuitDrawing, DeviceCircuit

if TYPE_CHECKING:
    from reboard.netlist.schematic import Pen

RESISTOR = 2.6
"""The distance from a flag to the box, as wide as a resistor's label."""
PITCH, WIDE_PITCH = 0.7, 1.2
"""The distance of two terminals, and that of two resistors with their values above them."""


class ModuleCircuit(DeviceCircuit):
    """The circuit of the module *name*, whose last one of the *terminals* is ground."""

    def __init__(self, name: str, *terminals: str) -> None:
        self._name = name
        self._terminals: Sequence[str] = terminals

    def drawing(self, kinds: Collection[str]) -> CircuitDrawing:
        return CircuitDrawing(self._draw, (10.0, 2.2 + _pitch("resistor" in kinds) * len(self._terminals)))

    def _draw(self, pen: Pen) -> None:
        has_resistors = any(pen.has(f"{terminal} resistor") for terminal in self._terminals)
        pitch = _pitch(has_resistors)
        corner = (pen.LEFT + RESISTOR * has_resistors, 1.1 + pitch * len(self._terminals))
        pen.module(self._name, corner, 2.4, self._terminals, pitch=pitch, is_on_header=not has_resistors)
        for place, terminal in enumerate(self._terminals[:-1] if has_resistors else ()):
            x, y = pen.row(corner, place, pitch)
            if pen.has(resistor := f"{terminal} resistor"):
                pen.leads_to((resistor, "a"), (x - RESISTOR, y), "left")
                pen.part(resistor, ("a", "b"), (x - RESISTOR, y), (x, y), beside="above")
                pen.wire([(x, y), (x, y)], (resistor, "b"), (self._name, terminal))
            else:
                pen.leads_to((self._name, terminal), (x, y), "left")


def _pitch(has_resistors: bool) -> float:
    return WIDE_PITCH if has_resistors else PITCH
