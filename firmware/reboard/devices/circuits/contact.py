"""The circuit of a switch between a pin and ground."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from reboard.devices.circuits.device_circuit import CircuitDrawing, DeviceCircuit

if TYPE_CHECKING:
    from reboard.netlist.schematic import Pen


class ContactCircuit(DeviceCircuit):
    """The circuit of a switch between a pin and ground."""

    def drawing(self, kinds: Collection[str]) -> CircuitDrawing:
        return CircuitDrawing(_contact, (9.0, 2.2))


def _contact(pen: Pen) -> None:
    y = 1.3
    [name] = pen.parts
    pen.leads_to((name, "NO"), (pen.LEFT, y), "left")
    pen.part(name, ("NO", "C"), (pen.LEFT, y), (pen.LEFT + 2.2, y))
    if pen.parts[name].kind.symbol == "switch":  # it has a third terminal, NC
        pen.text("NO", (pen.LEFT + 0.35, y + 0.12), small=True)
        pen.text("C", (pen.LEFT + 1.9, y + 0.12), small=True)
    pen.leads_to((name, "C"), (pen.LEFT + 2.2, y), "down")


CIRCUIT = ContactCircuit()
