"""The line of a switch: its protection, the rules for it, and its drawing.

``lines.protected``: a button or lever without the resistors and the capacitor that protect its pin.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reboard.devices.circuits.device_circuit import Device
from reboard.finding import Finding, note

if TYPE_CHECKING:
    from reboard.netlist.schematic import Pen

ROW = 4.5
"""The height of a protected line in a drawing, in drawing units."""


def unprotected(device: Device, pull_up: str) -> Finding:
    """Return the finding on a *device* whose switch is wired to its pin without protection."""
    return note(
        "lines.protected",
        f"The line of the {device.title} has no protection: static from a finger, or a wire on the wrong terminal, can "
        "destroy its pin.",
        f"Put a 1 kΩ resistor between pin and line, a {pull_up} resistor between 3.3 V and line, and 100 nF between "
        f"line and ground, close to the Pi. Write `protected = true` into [wiring.{device.wiring}].",
    )


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
