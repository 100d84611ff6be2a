"""The wiring drawing: a sheet with the header and a schematic of each device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap

import schemdraw
from schemdraw import Drawing, elements

from reboard.accessories.accessory import accessories
from reboard.devices.circuits.device_circuit import CircuitDrawing, circuit_of_kind
from reboard.devices.speaker import SPEAKER
from reboard.netlist.circuit import RAIL_NAMES, Circuit, Connection, Subcircuit, at_pins, called, short_list
from reboard.netlist.hardware_data import header
from reboard.netlist.schematic import (
    INK,
    LARGE,
    LINE_HEIGHT,
    PALE,
    PAPER,
    RAILS,
    SMALL,
    USUAL,
    NetColour,
    Pen,
    Point,
    label,
    same_colour,
)

COLOURS = ("#1a56b0", "#1b6e3c", "#6a2c91", "#8a4b08", "#9c1f5c", "#4a5a1a")
"""The colours of the accessories, in the order of `accessories`. They repeat if there are more accessories."""

SPEAKER_COLOUR = "#00666f"

ROW = 0.72
HEIGHT = ROW * 20 + 2.2
WIDTH = 12.4
MIDDLE = WIDTH / 2
LONGEST = 26
"""The maximum number of characters in a line beside the name of a pin."""

LEGEND = (
    "Pin 1 is in the corner of the board; filled pins are used.",
    "A flag or ground symbol in a schematic is a wire to that pin.",
    "A pin takes one wire: join wires that share a pin on a board first.",
)


def colour_of(accessory: str) -> str:
    """Return the colour of an accessory or of the speaker in the drawing."""
    if accessory == SPEAKER:
        return SPEAKER_COLOUR
    return COLOURS[list(accessories()).index(accessory) % len(COLOURS)]


class _LiveColours:
    """A `NetColour` with a placeholder for each GPIO net. `insert` replaces it with a CSS variable."""

    def __init__(self) -> None:
        self._variables: dict[str, str] = {}

    def __call__(self, net: str, colour: str) -> str:
        if not net.startswith("GPIO"):
            return colour
        variable = f"var(--{net}, {colour})"
        return self._variables.setdefault(variable, f"#01{len(self._variables):04x}")

    def insert(self, svg: bytes) -> bytes:
        """Return *svg* with each placeholder replaced by the CSS variable of its net."""
        for variable, own in self._variables.items():
            svg = svg.replace(own.encode(), variable.encode())
        return svg


def _draw_header(drawing: Drawing, circuit: Circuit, origin: Point, net_colour: NetColour) -> None:
    x, y = origin
    users = at_pins(circuit)
    top = y + HEIGHT - 1.9
    for place, words in enumerate(LEGEND):
        drawing.add(label(words, (x, top + 1.2 - 0.32 * place), size=SMALL, align="left", colour=PALE))
    frame = elements.Rect(corner1=(x + MIDDLE - 0.8, top + 0.35), corner2=(x + MIDDLE + 0.8, top - ROW * 19 - 0.35))
    drawing.add(frame.at((0, 0)).theta(0).color(INK))
    for number, net in enumerate(header(), start=1):
        side = -1 if number % 2 else 1
        at = (x + MIDDLE + 0.38 * side, top - ROW * ((number - 1) // 2))
        _draw_pin(drawing, number, net, at, side, users.get(number, ()), net_colour)


def _draw_pin(
    drawing: Drawing,
    number: int,
    net: str,
    at: Point,
    side: int,
    users: Sequence[Connection],
    net_colour: NetColour,
) -> None:
    is_used = bool(users)
    colour = RAILS.get(net) or colour_of(users[0].part.subcircuit.accessory) if is_used else PALE
    if is_used:
        colour = net_colour(net, colour)
    if number == 1:
        drawing.add(elements.Rect(corner1=(-0.3, -0.3), corner2=(0.3, 0.3)).at(at).theta(0).color(colour))
    circle = elements.Dot(radius=0.26, open=not is_used).at(at).color(colour)
    drawing.add(circle.fill(colour if is_used else PAPER))
    drawing.add(label(str(number), (at[0] - 0.09, at[1]), size=8, colour=PAPER if is_used else PALE, middle=True))
    words = RAIL_NAMES.get(net, net)
    align = "left" if side > 0 else "right"
    drawing.add(label(words, (at[0] + 0.6 * side, at[1]), size=SMALL, colour=colour, align=align, middle=True))
    lines = short_list([called(user) for user in users], LONGEST) if is_used else []
    for place, line in enumerate(lines):
        there = (at[0] + 2.05 * side, at[1] + LINE_HEIGHT * ((len(lines) - 1) / 2 - place))
        drawing.add(label(line, there, size=SMALL, colour=INK, align=align, middle=True))


HEADING = 0.9
GAP = 0.6
TITLE = 20
WARNING_WIDTH = 5.4
"""The number of characters of a warning for each drawing unit of the width of a sheet."""

WARNING_HEIGHT = 0.42
WARNING_COLOUR = "#b3261e"

WIDEST = 1.42
"""The maximum ratio of the width of a sheet to its height. It is the ratio of A4 in landscape format."""


def drawing_of(circuit: Circuit, title: str, *, live: bool = False, warnings: Sequence[str] = ()) -> bytes:
    """Return the wiring drawing of *circuit* with a *title* and the *warnings* below it, as a self-contained SVG.

    If *live* is true, a page that contains the SVG can set the colour of each GPIO net with a CSS property such as
    ``--GPIO17``.
    """
    live_colours = _LiveColours()
    net_colour = live_colours if live else same_colour
    schemdraw.use("svg")
    drawing = schemdraw.Drawing(show=False)
    drawing.config(fontsize=USUAL, font="DejaVu Sans, Arial, sans-serif", lw=1.6, bgcolor=PAPER, unit=2)
    drawings = _drawings(circuit)
    places, width, height = _places({subcircuit: drawn.size for subcircuit, drawn in drawings.items()})
    lines = [line for words in warnings for line in wrap(words, int(width * WARNING_WIDTH), subsequent_indent="    ")]
    above = height + 0.4 + WARNING_HEIGHT * len(lines)
    paper = elements.Rect(corner1=(-0.5, -0.8), corner2=(width + 0.5, above + 1.1)).at((0, 0))
    drawing.add(paper.color(PAPER).fill(PAPER).zorder(-1))
    drawing.add(label(title, (0, above), size=TITLE, align="left"))
    for place, line in enumerate(lines, start=1):
        at = (0, above - 0.2 - WARNING_HEIGHT * place)
        drawing.add(label(line, at, size=USUAL, align="left", colour=WARNING_COLOUR))
    _draw_header(drawing, circuit, (0, height - HEIGHT), net_colour)
    for subcircuit, (x, y) in places.items():
        drawn = drawings[subcircuit]
        drawing.add(label(subcircuit.title, (x, y + drawn.size[1]), size=LARGE, align="left"))
        pen = Pen(drawing, circuit, subcircuit, (x, y), colour=colour_of(subcircuit.accessory), net_colour=net_colour)
        drawn.draw(pen)
        pen.finish()
    return live_colours.insert(bytes(drawing.get_imagedata("svg")))


def _drawings(circuit: Circuit) -> Mapping[Subcircuit, CircuitDrawing]:
    kinds: dict[Subcircuit, set[str]] = {}
    for part in circuit.parts:
        kinds.setdefault(part.subcircuit, set()).add(part.kind.name)
    drawings = {}
    for subcircuit, names in kinds.items():
        of_kind = circuit_of_kind(subcircuit.kind)
        assert of_kind, f"the device kind {subcircuit.kind} has no circuit"
        drawings[subcircuit] = of_kind.drawing(names)
    return drawings


def _places(sizes: Mapping[Subcircuit, Point]) -> tuple[Mapping[Subcircuit, Point], float, float]:
    """Return the lower left corner of each subcircuit, and the width and height of the sheet.

    The height is the smallest one at which the width-to-height ratio is at most `WIDEST`.
    """
    height = HEIGHT
    while True:
        places, width = _columns(sizes, height)
        if width <= height * WIDEST:
            return places, width, height
        height += 1


def _columns(sizes: Mapping[Subcircuit, Point], height: float) -> tuple[Mapping[Subcircuit, Point], float]:
    """Place the subcircuits in columns next to the header. Return their lower left corners and the sheet's width."""
    places: dict[Subcircuit, Point] = {}
    x, y, width = WIDTH + GAP, height, 0.0
    for subcircuit, size in sizes.items():
        if width and y - size[1] - HEADING < 0:
            x, y, width = x + width + GAP, height, 0.0
        y -= size[1] + HEADING
        width = max(width, size[0])
        places[subcircuit] = (x, y)
    return places, x + width
