"""How the speaker looks."""

from __future__ import annotations

from schemdraw import elements

from reboard.wiring.drawing.look import TAG_X, Look, ground_beside, on_usb
from reboard.wiring.drawing.pen import Pen


def look(circuit: str, kinds: set[str]) -> Look | None:
    """How to draw the *circuit* that has parts of these *kinds*, ``None``: it is not the speaker's."""
    if circuit != "speaker":
        return None
    return Look(on_usb, (9.0, 2.4)) if "usb-speaker" in kinds else Look(_amplifier, (9.0, 5.8))


def _amplifier(pen: Pen) -> None:
    terminals = ["VIN", "BCLK", "LRC", "DIN", "GND"]
    corner = (TAG_X, 4.6)
    pen.box("amplifier", corner, (3.4, 3.85), left=terminals, right=["speaker +", "speaker -"])
    for place, terminal in enumerate(terminals[:4]):
        pen.leads_to(("amplifier", terminal), pen.row(corner, place), "left")
    ground_beside(pen, ("amplifier", "GND"), pen.row(corner, 4))
    plus, minus = pen.row((TAG_X + 3.4, 4.6), 0), pen.row((TAG_X + 3.4, 4.6), 1)
    at = pen.symbol(elements.Speaker(), (plus[0] + 0.8, plus[1]), "in1")
    pen.wire([plus, at["in1"]], ("amplifier", "speaker +"), ("speaker", "+"))
    pen.wire(
        [minus, (minus[0] + 0.4, minus[1]), (minus[0] + 0.4, at["in2"][1]), at["in2"]],
        ("amplifier", "speaker -"),
        ("speaker", "-"),
    )
    pen.text("speaker", (plus[0] + 1.4, plus[1] + 0.85))
