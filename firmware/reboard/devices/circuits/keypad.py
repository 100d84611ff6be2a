"""The circuit of a keypad."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from reboard.devices.circuits.device_circuit import CircuitDrawing, DeviceCircuit
from reboard.devices.keypad import LEGEND

if TYPE_CHECKING:
    from reboard.netlist.schematic import Pen

ROW, COLUMN = 0.9, 1.55
KEY = (1.0, 0.46)


class KeypadCircuit(DeviceCircuit):
    """The circuit of a matrix keypad: each row and each column is wired to a pin."""

    def drawing(self, kinds: Collection[str]) -> CircuitDrawing:
        return CircuitDrawing(_keypad, (10.8, 8.2))


def _keypad(pen: Pen) -> None:
    """Draw each key between the row above it and the column on its right, which it connects."""
    corner, wires = (pen.LEFT, 7.1), list(pen.parts["keypad"].nets)
    pen.box("keypad", corner, (7.4, ROW * len(wires)), left=wires, pitch=ROW)
    for place, terminal in enumerate(wires):
        pen.leads_to(("keypad", terminal), pen.row(corner, place, ROW), "left")
    rows = [(pen.LEFT + 0.7, pen.row(corner, place, ROW)[1]) for place in range(len(LEGEND))]
    columns = [pen.LEFT + 2.3 + COLUMN * place for place in range(len(LEGEND[0]))]
    for place, (x, y) in enumerate(rows):
        pen.wire([(x, y), (columns[-1] - 0.3, y)], ("keypad", f"R{place + 1}"))
    for place, x in enumerate(columns):
        y = pen.row(corner, len(rows) + place, ROW)[1]
        pen.wire([(rows[0][0], y), (x, y), (x, rows[0][1] - 0.2)], ("keypad", f"C{place + 1}"))
    for (_, y), keys in zip(rows, LEGEND, strict=True):
        for x, key in zip(columns, keys, strict=True):
            pen.key(key, (x - 0.28 - KEY[0], y - 0.16), KEY, row=y, column=x)


CIRCUIT = KeypadCircuit()
