"""What the drawings of all accessories share: a way to draw a circuit, and what occurs in several of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from reboard.wiring.connections import USB
from reboard.wiring.drawing.pen import SMALL, End, Pen, Point

TAG_X = 3.2
"""Where flags on the left end, and wires begin."""


class Look(NamedTuple):
    """A way to draw a circuit, and the paper that it takes: width and height."""

    draw: Callable[[Pen], None]
    size: Point


def ground_beside(pen: Pen, end: End, at: Point) -> None:
    """A ground a little to the left of a box's terminal."""
    beside = (at[0] - 0.5, at[1])
    pen.wire([at, beside], end)
    pen.leads_to(end, beside, "down")


def on_usb(pen: Pen) -> None:
    """A part that is only plugged in."""
    [name] = pen.parts
    pen.box(name, (TAG_X, 1.4), (3.0, 1.0))
    pen.text("to USB", (TAG_X - 0.2, 0.9), size=SMALL, align="right", middle=True)
    pen.spare((name, USB))
