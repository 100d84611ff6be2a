"""The wiring drawing: a sheet with the header and a schematic of each device."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import NamedTuple

import schemdraw
from schemdraw import Drawing, elements

from reboard.accessories.installed import accessories
from reboard.devices.circuits.circuit_lookup import circuit_of_kind
from reboard.devices.circuits.device_circuit import CircuitDrawing
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
from reboard.wiring.table_netlist import title_of

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
        drawing.add(elements.Rect(corner1=(-0.34, -0.34), corner2=(0.34, 0.34)).at(at).theta(0).color(colour))
    circle = elements.Dot(radius=0.3, open=not is_used).at(at).color(colour)
    drawing.add(circle.fill(colour if is_used else PAPER))
    drawing.add(label(str(number), at, size=SMALL, colour=PAPER if is_used else PALE, middle=True))
    words = RAIL_NAMES.get(net, net)
    align = "left" if side > 0 else "right"
    drawing.add(label(words, (at[0] + 0.6 * side, at[1]), size=SMALL, colour=colour, align=align, middle=True))
    lines = short_list([called(user) for user in users], LONGEST) if is_used else []
    for place, line in enumerate(lines):
        there = (at[0] + 2.05 * side, at[1] + LINE_HEIGHT * ((len(lines) - 1) / 2 - place))
        drawing.add(label(line, there, size=SMALL, colour=INK, align=align, middle=True))


HEADING = 0.9
GAP = 0.6
MARGIN = 0.8
TITLE = 20
ABOVE = 1.4
"""The height of the title, in drawing units."""

WARNING_WIDTH = 5.4
"""The number of characters of a warning for each drawing unit of the width of a sheet."""

WARNING_HEIGHT = 0.42
WARNING_COLOUR = "#b3261e"

PAGE = (297, 210)
"""The size of a sheet in mm: A4 in landscape format."""

SMALLEST_MM = 2.12
"""The smallest font size on paper: 6 points."""

LARGEST = [SMALL / 36 * side / SMALLEST_MM - 2 * MARGIN - 0.3 for side in PAGE]
"""The largest width and height of what is on a sheet, in drawing units. schemdraw adds 0.13 units on each side."""

WIDEST = PAGE[0] / PAGE[1]


class _Layout(NamedTuple):
    """The lower left corner of each subcircuit on a sheet, and the width and height of the sheet."""

    places: Mapping[Subcircuit, Point]
    width: float
    height: float

    def fits(self, warnings: Sequence[str]) -> bool:
        """Return whether the sheet is readable on A4."""
        height = self.height + ABOVE + WARNING_HEIGHT * len(_wrapped(warnings, self.width))
        return self.width <= LARGEST[0] and height <= LARGEST[1]


def sheets_of(circuit: Circuit, title: str, *, live: bool = False, warnings: Sequence[str] = ()) -> list[bytes]:
    """Return the wiring drawing of *circuit* with a *title* and the *warnings* below it, as self-contained SVGs.

    Each is a sheet of A4 that can be read when it is printed. The first one has the header. An accessory is on two
    sheets only if it does not fit on one. If *live* is true, there is only one sheet, and a page that contains it can
    set the colour of each GPIO net with a CSS property such as ``--GPIO17``.
    """
    drawings = _drawings(circuit)
    rest = list(drawings)
    layouts: list[_Layout] = []
    while rest or not layouts:
        left = 0.0 if layouts else WIDTH
        ends = range(len(rest), 0, -1)
        some = {
            end: _layout({subcircuit: drawings[subcircuit].size for subcircuit in rest[:end]}, left) for end in ends
        }
        fitting = [end for end, layout in some.items() if live or layout.fits(warnings)]
        whole = [end for end in fitting if end == len(rest) or rest[end - 1].accessory != rest[end].accessory]
        end = next(iter([*whole, *fitting]), min(1, len(rest)))
        layouts.append(some[end] if end else _layout({}, left))
        rest = rest[end:]
    sheets = []
    for number, layout in enumerate(layouts, start=1):
        words = f"{title} ({number} of {len(layouts)})" if len(layouts) > 1 else title
        sheets.append(_sheet(circuit, drawings, layout, words, live=live, warnings=warnings, has_header=number == 1))
    return sheets


def _sheet(
    circuit: Circuit,
    drawings: Mapping[Subcircuit, CircuitDrawing],
    layout: _Layout,
    title: str,
    *,
    live: bool,
    warnings: Sequence[str],
    has_header: bool,
) -> bytes:
    live_colours = _LiveColours()
    net_colour = live_colours if live else same_colour
    schemdraw.use("svg")
    schemdraw.svgconfig.useBatik = True  # librsvg does not know `dominant-baseline`
    drawing = schemdraw.Drawing(show=False)
    drawing.config(fontsize=USUAL, font="DejaVu Sans, Arial, sans-serif", lw=1.6, bgcolor=PAPER, unit=2)
    width, height = layout.width, layout.height
    lines = _wrapped(warnings, width)
    above = height + 0.4 + WARNING_HEIGHT * len(lines)
    top = above + ABOVE - 0.4 + MARGIN
    wide, high = width + 2 * MARGIN, top + MARGIN
    beside, below = max(0, high * WIDEST - wide) / 2, max(0, wide / WIDEST - high)
    corners = {"corner1": (-MARGIN - beside, -MARGIN - below), "corner2": (width + MARGIN + beside, top)}
    paper = elements.Rect(**corners).at((0, 0))
    drawing.add(paper.color(PAPER).fill(PAPER).zorder(-1))
    drawing.add(label(title, (0, above), size=TITLE, align="left"))
    for place, line in enumerate(lines, start=1):
        at = (0, above - 0.2 - WARNING_HEIGHT * place)
        drawing.add(label(line, at, size=USUAL, align="left", colour=WARNING_COLOUR))
    if has_header:
        _draw_header(drawing, circuit, (0, height - HEIGHT), net_colour)
    titles = Counter(subcircuit.title for subcircuit in drawings)
    for subcircuit, (x, y) in layout.places.items():
        drawn, words = drawings[subcircuit], subcircuit.title
        if titles[words] > 1:
            words = f"{title_of(subcircuit.accessory)}: {subcircuit.label.rpartition('.')[2]}"
        drawing.add(label(words, (x, y + drawn.size[1]), size=LARGE, align="left"))
        pen = Pen(drawing, circuit, subcircuit, (x, y), colour=colour_of(subcircuit.accessory), net_colour=net_colour)
        drawn.draw(pen)
        pen.finish()
    svg = live_colours.insert(bytes(drawing.get_imagedata("svg"))).replace(b"stroke-dasharray:-;", b"")
    return SIZE.sub(b'height="%dmm" width="%dmm"' % PAGE[::-1], svg, count=1)


SIZE = re.compile(rb'height="[0-9.]+pt" width="[0-9.]+pt"')


def _wrapped(warnings: Sequence[str], width: float) -> list[str]:
    return [line for words in warnings for line in wrap(words, int(width * WARNING_WIDTH), subsequent_indent="    ")]


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


def _layout(sizes: Mapping[Subcircuit, Point], left: float) -> _Layout:
    """Place the subcircuits. The header is *left* wide, or 0 if it is on another sheet.

    The height is the smallest one at which the width-to-height ratio is at most `WIDEST`.
    """
    height = HEIGHT if left else max(size[1] for size in sizes.values()) + HEADING
    while True:
        layout = _columns(sizes, left, height)
        if layout.width + 2 * MARGIN <= (height + ABOVE + 2 * MARGIN) * WIDEST:
            return layout
        height += 0.2


@dataclass(slots=True)
class _Column:
    """A column of subcircuits: its left edge, its width, and the y coordinate from which on it is empty."""

    x: float
    width: float
    y: float


def _columns(sizes: Mapping[Subcircuit, Point], left: float, height: float) -> _Layout:
    """Place each subcircuit in the first column with room for it. The first column begins below the header."""
    columns = [_Column(0, left, height - HEIGHT)] if left else []
    places: dict[Subcircuit, Point] = {}
    for subcircuit, (wide, high) in sizes.items():
        for column in columns:
            is_last = column is columns[-1] and (column.x or not left)
            if column.y - high - HEADING >= 0 and (wide <= column.width or is_last):
                break
        else:
            x = columns[-1].x + columns[-1].width + GAP if columns else 0.0
            column = _Column(x, 0.0, height)
            columns.append(column)
        column.y -= high + HEADING
        column.width = max(column.width, wide)
        places[subcircuit] = (column.x, column.y)
    return _Layout(places, columns[-1].x + columns[-1].width, height)
