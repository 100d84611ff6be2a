"""How the circuits of the question block look."""

from __future__ import annotations

from schemdraw import elements

from reboard.wiring.drawing.look import TAG_X, Look
from reboard.wiring.drawing.pen import Pen


def look(circuit: str, kinds: set[str]) -> Look | None:
    """How to draw the *circuit* that has parts of these *kinds*, ``None``: it is not the block's."""
    if circuit == "lamp":
        return Look(_bright_lamp, (9.0, 6.0)) if "transistor" in kinds else Look(_lamp, (9.0, 2.2))
    return Look(_button, (9.0, 2.2)) if circuit == "button" else None


def _button(pen: Pen) -> None:
    y = 1.3
    pen.leads_to(("button", "NO"), (TAG_X, y), "left")
    pen.part("button", ("NO", "C"), (TAG_X, y), (TAG_X + 2.2, y))
    pen.leads_to(("button", "C"), (TAG_X + 2.2, y), "down")


def _lamp(pen: Pen) -> None:
    y, x = 1.3, TAG_X
    if pen.has("lamp resistor"):
        pen.leads_to(("lamp resistor", "a"), (x, y), "left")
        pen.part("lamp resistor", ("a", "b"), (x, y), (x + 2, y))
        pen.wire([(x + 2, y), (x + 2.2, y)], ("lamp resistor", "b"), ("lamp", "+"))
        x += 2.2
    else:
        pen.leads_to(("lamp", "+"), (x, y), "left")
    pen.part("lamp", ("+", "-"), (x, y), (x + 2, y), beside="bottom")
    pen.leads_to(("lamp", "-"), (x + 2, y), "down")


def _bright_lamp(pen: Pen) -> None:
    y, x = 1.4, TAG_X
    pen.leads_to(("base resistor", "a"), (x, y), "left")
    pen.part("base resistor", ("a", "b"), (x, y), (x + 2, y))
    legs = pen.symbol(elements.BjtNpn(circle=True), (x + 2.2, y), "base")
    pen.wire([(x + 2, y), (x + 2.2, y)], ("base resistor", "b"), ("lamp transistor", "base"))
    pen.leads_to(("lamp transistor", "emitter"), legs["emitter"], "down")
    x, y = legs["collector"]
    pen.wire([(x, y), (x, y + 0.2)], ("lamp transistor", "collector"), ("lamp", "-"))
    pen.part("lamp", ("+", "-"), (x, y + 1.6), (x, y + 0.2), beside="bottom")
    if pen.has("lamp resistor"):
        pen.wire([(x, y + 1.6), (x, y + 1.7)], ("lamp", "+"), ("lamp resistor", "b"))
        pen.part("lamp resistor", ("a", "b"), (x, y + 3.1), (x, y + 1.7), beside="bottom")
        pen.leads_to(("lamp resistor", "a"), (x, y + 3.1), "up")
    else:
        pen.leads_to(("lamp", "+"), (x, y + 1.6), "up")
