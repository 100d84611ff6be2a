"""The circuit of a switch between a pin and ground: the protection of its line, the rule for it, and its drawing.

``lines.protected``: a button or lever without the resistors and the capacitor that protect its pin.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import partial
from typing import TYPE_CHECKING

from reboard.devices.circuits.device_circuit import CircuitDrawing, Device, DeviceCircuit
from reboard.devices.contact import ContactWiring
from reboard.finding import Finding, note
from reboard.netlist.circuit import Circuit
from reboard.netlist.hardware_data import Model

if TYPE_CHECKING:
    from reboard.netlist.schematic import Pen

ROW = 4.5
"""The height of a protected line in a drawing, in drawing units."""


class ContactCircuit(DeviceCircuit):
    """The circuit of a switch between a pin and ground."""

    def rules(self, circuit: Circuit, device: Device, wiring: ContactWiring, model: Model) -> Iterator[Finding]:
        if device.config is not None and not wiring.protected:
            yield note(
                "lines.protected",
                f"The line of the {device.title} has no protection: static from a finger, or a wire on the wrong "
                "terminal, can destroy its pin.",
                "Put a 1 kΩ resistor between pin and line, a 4.7 kΩ resistor between 3.3 V and line, and 100 nF "
                f"between line and ground, close to the Pi. Write `protected = true` into [wiring.{device.wiring}].",
            )

    def drawing(self, kinds: Collection[str]) -> CircuitDrawing:
        if "line-capacitor" in kinds:
            return CircuitDrawing(partial(_switch, y=2.2), (11.0, ROW))
        return CircuitDrawing(partial(_switch, y=1.3), (9.0, 2.2))


def _switch(pen: Pen, *, y: float) -> None:
    *_, name = pen.parts
    draw_line(pen, name, y)


def draw_line(pen: Pen, name: str, y: float) -> None:
    """Draw the switch *name* between its pin and ground at the height *y*, with its protection if it has one."""
    x = pen.LEFT
    series, pull_up, capacitor = (f"{name} {part}" for part in ("series resistor", "pull-up", "capacitor"))
    if pen.has(series):
        at = (x + 2.7, y)
        pen.leads_to((series, "a"), (x, y), "left")
        pen.part(series, ("a", "b"), (x, y), (x + 2, y), beside="above")
        pen.dot(at)
        pen.part(pull_up, ("a", "b"), (at[0], y + 1.5), at, beside="right")
        pen.leads_to((pull_up, "a"), (at[0], y + 1.5), "up")
        pen.part(capacitor, ("a", "b"), at, (at[0], y - 1.2), beside="right")
        pen.leads_to((capacitor, "b"), (at[0], y - 1.2), "down")
        x += 5.2
        pen.net((name, "NO"), (x, y), align="right")
        pen.wire([(pen.LEFT + 2, y), (x, y)], (series, "b"), (pull_up, "b"), (capacitor, "a"), (name, "NO"))
    else:
        pen.leads_to((name, "NO"), (x, y), "left")
    pen.part(name, ("NO", "C"), (x, y), (x + 2.2, y), beside="above")
    if pen.parts[name].kind.symbol == "switch":  # it has a third terminal, NC
        pen.text("NO", (x + 0.4, y - 0.42), small=True)
        pen.text("C", (x + 1.7, y - 0.42), small=True)
    pen.leads_to((name, "C"), (x + 2.2, y), "down")


CIRCUIT = ContactCircuit()
