"""The header's forty pins, and who is on each of those that are used."""

from __future__ import annotations

from collections.abc import Sequence

from schemdraw import Drawing, elements

from reboard.wiring.circuit import Circuit
from reboard.wiring.connections import RAIL_NAMES, Connection, at_pins, called, short_list
from reboard.wiring.drawing.colours import ACCESSORIES, INK, PALE, PAPER, RAILS
from reboard.wiring.drawing.pen import LINE_HEIGHT, SMALL, Point, label
from reboard.wiring.pi import header

ROW = 0.72
HEIGHT = ROW * 20 + 2.2
WIDTH = 12.4
MIDDLE = WIDTH / 2
LONGEST = 26
"""Characters between a pin's name and the edge."""

LEGEND = (
    "Pin 1 is in the corner of the board; filled pins are used.",
    "A flag in a schematic is a wire to that pin, and so is each ground.",
    "A pin takes one wire: ends that share one meet on the board first.",
)


def draw_header(drawing: Drawing, circuit: Circuit, origin: Point) -> None:
    """The header, its lower left corner at *origin*, and beside each used pin what goes there."""
    x, y = origin
    users = at_pins(circuit)
    top = y + HEIGHT - 1.9
    for place, words in enumerate(LEGEND):
        drawing.add(label(words, (x, top + 1.2 - 0.32 * place), size=SMALL, align="left", colour=PALE))
    frame = elements.Rect(corner1=(x + MIDDLE - 0.8, top + 0.35), corner2=(x + MIDDLE + 0.8, top - ROW * 19 - 0.35))
    drawing.add(frame.at((0, 0)).theta(0).color(INK))
    for number, wire in enumerate(header(), start=1):
        side = -1 if number % 2 else 1
        at = (x + MIDDLE + 0.38 * side, top - ROW * ((number - 1) // 2))
        _draw_pin(drawing, number, wire, at, side, users.get(number, ()))


def _draw_pin(drawing: Drawing, number: int, wire: str, at: Point, side: int, users: Sequence[Connection]) -> None:
    is_used = bool(users)
    colour = RAILS.get(wire) or ACCESSORIES[users[0].part.accessory] if is_used else PALE
    if number == 1:
        drawing.add(elements.Rect(corner1=(-0.3, -0.3), corner2=(0.3, 0.3)).at(at).theta(0).color(colour))
    circle = elements.Dot(radius=0.26, open=not is_used).at(at).color(colour)
    drawing.add(circle.fill(colour if is_used else PAPER))
    drawing.add(label(str(number), (at[0] - 0.09, at[1]), size=8, colour=PAPER if is_used else PALE, middle=True))
    words = RAIL_NAMES.get(wire, wire)
    align = "left" if side > 0 else "right"
    drawing.add(label(words, (at[0] + 0.6 * side, at[1]), size=SMALL, colour=colour, align=align, middle=True))
    lines = short_list([called(user) for user in users], LONGEST) if is_used else []
    for place, line in enumerate(lines):
        there = (at[0] + 2.05 * side, at[1] + LINE_HEIGHT * ((len(lines) - 1) / 2 - place))
        drawing.add(label(line, there, size=SMALL, colour=INK, align=align, middle=True))
