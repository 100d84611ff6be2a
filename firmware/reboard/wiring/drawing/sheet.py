"""A sheet: the header on the left, and the schematics of all circuits beside it."""

from __future__ import annotations

from collections.abc import Mapping

import schemdraw
from schemdraw import elements

from reboard.wiring.circuit import Circuit
from reboard.wiring.drawing.circuits import look_of
from reboard.wiring.drawing.colours import PAPER
from reboard.wiring.drawing.header_view import HEIGHT, WIDTH, draw_header
from reboard.wiring.drawing.pen import LARGE, USUAL, Pen, Point, label

HEADING = 0.9
GAP = 0.6
TITLE = 20
WIDEST = 1.42
"""A sheet's width by its height: that of A4 lying on its side."""


def drawing_of(circuit: Circuit, title: str) -> bytes:
    """*circuit* as an SVG that needs nothing from elsewhere."""
    schemdraw.use("svg")
    drawing = schemdraw.Drawing(show=False)
    drawing.config(fontsize=USUAL, font="DejaVu Sans, Arial, sans-serif", lw=1.6, bgcolor=PAPER, unit=2)
    looks = {name: look_of(name, kinds) for name, kinds in _kinds(circuit).items()}
    places, width, height = _places({name: look.size for name, look in looks.items()})
    paper = elements.Rect(corner1=(-0.5, -0.8), corner2=(width + 0.5, height + 1.5)).at((0, 0))
    drawing.add(paper.color(PAPER).fill(PAPER).zorder(-1))
    drawing.add(label(title, (0, height + 0.4), size=TITLE, align="left"))
    draw_header(drawing, circuit, (0, height - HEIGHT))
    for name, at in places.items():
        pen = Pen(drawing, circuit, name, at)
        pen.text(name, (0, looks[name].size[1]), size=LARGE, align="left")
        looks[name].draw(pen)
        pen.finish()
    return bytes(drawing.get_imagedata("svg"))


def _kinds(circuit: Circuit) -> Mapping[str, set[str]]:
    kinds: dict[str, set[str]] = {}
    for part in circuit.parts:
        kinds.setdefault(part.circuit, set()).add(part.kind.name)
    return kinds


def _places(sizes: Mapping[str, Point]) -> tuple[Mapping[str, Point], float, float]:
    """Where each circuit goes, and how wide and high the sheet is: the lowest that is not wider than paper is."""
    height = HEIGHT
    while True:
        places, width = _columns(sizes, height)
        if width <= height * WIDEST:
            return places, width, height
        height += 1


def _columns(sizes: Mapping[str, Point], height: float) -> tuple[Mapping[str, Point], float]:
    """The circuits in columns of *height* beside the header, and how wide all of it is."""
    places: dict[str, Point] = {}
    x, y, width = WIDTH + GAP, height, 0.0
    for name, size in sizes.items():
        if width and y - size[1] - HEADING < 0:
            x, y, width = x + width + GAP, height, 0.0
        y -= size[1] + HEADING
        width = max(width, size[0])
        places[name] = (x, y)
    return places, x + width
