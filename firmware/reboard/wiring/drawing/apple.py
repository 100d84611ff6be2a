"""How the circuits of the worm apple look."""

from __future__ import annotations

from schemdraw import elements

from reboard.wiring.drawing.look import TAG_X, Look
from reboard.wiring.drawing.pen import SMALL, Pen


def look(circuit: str, kinds: set[str]) -> Look | None:
    """How to draw the *circuit* that has parts of these *kinds*, ``None``: it is not the apple's."""
    if circuit == "motor":
        if "mosfet" not in kinds:
            return Look(_motor_on_a_pin, (9.0, 2.2))
        return Look(_motor, (17.0, 6.4)) if "battery-box" in kinds else Look(_motor, (13.4, 6.4))
    return Look(_lever, (9.0, 2.2)) if circuit == "lever" else None


def _lever(pen: Pen) -> None:
    y = 1.3
    pen.leads_to(("lever", "NO"), (TAG_X, y), "left")
    pen.part("lever", ("NO", "C"), (TAG_X, y), (TAG_X + 2.2, y))
    pen.text("NO", (TAG_X + 0.35, y + 0.12), size=SMALL)
    pen.text("C", (TAG_X + 1.9, y + 0.12), size=SMALL)
    pen.leads_to(("lever", "C"), (TAG_X + 2.2, y), "down")


def _motor(pen: Pen) -> None:
    x, y = TAG_X, 2.0
    pen.leads_to(("gate resistor", "a"), (x, y), "left")
    pen.part("gate resistor", ("a", "b"), (x, y), (x + 2, y))
    gate = (x + 3.6, y)
    legs = pen.symbol(elements.NFet(bulk=False).reverse(), gate, "gate")
    pen.wire([(x + 2, y), gate], ("gate resistor", "b"), ("transistor", "G"))
    source, drain = legs["source"], legs["drain"]
    pen.text("G", (gate[0] - 0.15, y + 0.1), size=SMALL)
    pen.text("D", (drain[0] + 0.3, drain[1] - 0.35), size=SMALL)
    pen.text("S", (source[0] + 0.3, source[1] - 0.15), size=SMALL)
    pen.text(pen.printed_on("transistor"), (source[0] + 0.25, y - 0.1), size=SMALL, align="left")
    low = 0.55
    if pen.has("gate's pull-down"):
        at = x + 2.6
        pen.dot((at, y))
        pen.part("gate's pull-down", ("a", "b"), (at, y), (at, low), beside="bottom")
        pen.wire([(at, low), (source[0], low)], ("gate's pull-down", "b"), ("transistor", "S"))
        pen.spare(("gate's pull-down", "a"))
    pen.wire([source, (source[0], low)], ("transistor", "S"))
    top, right = drain[1] + 2.0, drain[0] + 1.9
    pen.part("motor", ("+", "-"), (drain[0], top), (drain[0], drain[1] + 0.2), beside="top")
    pen.wire([drain, (drain[0], drain[1] + 0.2)], ("transistor", "D"), ("motor", "-"))
    pen.text("+", (drain[0] - 0.6, top - 0.5))
    if pen.has("flyback diode"):
        pen.dot((drain[0], drain[1] + 0.2))
        pen.dot((drain[0], top))
        pen.wire([(drain[0], drain[1] + 0.2), (right, drain[1] + 0.2)], ("flyback diode", "anode"), ("motor", "-"))
        pen.part("flyback diode", ("anode", "cathode"), (right, drain[1] + 0.2), (right, top), beside="bottom")
        pen.wire([(drain[0], top), (right, top)], ("flyback diode", "cathode"), ("motor", "+"))
    left, bulk = drain[0] - 2.4, right + 2.0
    if pen.has("suppression capacitor"):
        pen.wire([(left, top), (drain[0], top)], ("suppression capacitor", "a"), ("motor", "+"))
        pen.part("suppression capacitor", ("a", "b"), (left, top), (left, drain[1] + 0.2), beside="top")
        pen.wire([(left, drain[1] + 0.2), (drain[0], drain[1] + 0.2)], ("suppression capacitor", "b"), ("motor", "-"))
    if pen.has("bulk capacitor"):
        pen.wire([(right, top), (bulk, top)], ("bulk capacitor", "+"), ("motor", "+"))
        pen.part("bulk capacitor", ("+", "-"), (bulk, top), (bulk, low), beside="top")
        pen.wire([(bulk, low), (source[0], low)], ("bulk capacitor", "-"), ("transistor", "S"))
    if pen.has("battery box"):
        battery = bulk + 2.4
        pen.wire([(drain[0], top), (battery, top)], ("battery box", "+"), ("motor", "+"))
        pen.part("battery box", ("+", "-"), (battery, top), (battery, low), beside="bottom")
        pen.wire([(battery, low), (source[0], low)], ("battery box", "-"), ("transistor", "S"))
    else:
        pen.leads_to(("motor", "+"), (drain[0], top), "up")
    if pen.goes_to_header("transistor", "S"):
        pen.leads_to(("transistor", "S"), (source[0], low), "down")


def _motor_on_a_pin(pen: Pen) -> None:
    y = 1.3
    pen.leads_to(("motor", "+"), (TAG_X, y), "left")
    pen.part("motor", ("+", "-"), (TAG_X, y), (TAG_X + 2.2, y))
    pen.leads_to(("motor", "-"), (TAG_X + 2.2, y), "down")
