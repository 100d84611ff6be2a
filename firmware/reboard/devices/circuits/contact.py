"""The circuit of a switch between a pin and ground."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from reboard.devices.circuits.device_circuit import CircuitDrawing, Device, DeviceCircuit
from reboard.devices.circuits.switch_line import ROW, draw_line, unprotected
from reboard.devices.contact import ContactWiring
from reboard.finding import Finding
from reboard.netlist.circuit import Circuit
from reboard.netlist.hardware_data import Model

if TYPE_CHECKING:
    from reboard.netlist.schematic import Pen


class ContactCircuit(DeviceCircuit):
    """The circuit of a switch between a pin and ground."""

    def rules(self, circuit: Circuit, device: Device, wiring: ContactWiring, model: Model) -> Iterator[Finding]:
        if device.config is not None and not wiring.protected:
            yield unprotected(device, "4.7 kΩ")

    def drawing(self, kinds: Collection[str]) -> CircuitDrawing:
        if "line-capacitor" in kinds:
            return CircuitDrawing(_protected, (11.0, ROW))
        return CircuitDrawing(_bare, (9.0, 2.2))


def _protected(pen: Pen) -> None:
    *_, name = pen.parts
    draw_line(pen, name, 2.2)


def _bare(pen: Pen) -> None:
    [name] = pen.parts
    draw_line(pen, name, 1.3)


CIRCUIT = ContactCircuit()
