"""The circuit of a keypad."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from reboard.devices.circuits.device_circuit import CircuitDrawing, DeviceCircuit
from reboard.devices.keypad import LEGEND

if TYPE_CHECKING:
    from reboard.netlist.schematic import Pen


class KeypadCircuit(DeviceCircuit):
    """The circuit of a matrix keypad: each row and each column is wired to a pin."""

    def drawing(self, kinds: Collection[str]) -> CircuitDrawing:
        return CircuitDrawing(_keypad, (9.0, 7.0))


def _keypad(pen: Pen) -> None:
    corner, wires = (pen.LEFT, 5.9), list(pen.parts["keypad"].nets)
    pen.box("keypad", corner, (4.2, 0.35 + 0.7 * len(wires)), left=wires)
    for place, terminal in enumerate(wires):
        pen.leads_to(("keypad", terminal), pen.row(corner, place), "left")
    for row, keys in enumerate(LEGEND):
        for column, key in enumerate(keys):
            at = (pen.LEFT + 1.0 + 0.85 * column, 4.9 - 0.9 * row)
            pen.text(key, at, small=True, middle=True, pale=True)


CIRCUIT = KeypadCircuit()
