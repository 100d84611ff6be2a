"""A page of A4 with a perforated board: large from above and from below, and both in their true size.

Text stands on plain baselines, because not every renderer knows others.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

from hardware.making.cables import BOARDS, PI, Cable, net_name
from hardware.making.drawings import MADE_FROM, digest
from hardware.making.perfboard import BOARD, COLUMNS, PITCH, ROWS, Box, Hole, Layout, Placed, layouts
from hardware.making.png import with_text
from hardware.making.rendering import Renderer
from reboard.netlist.circuit import UNNAMED, Part, size_of
from reboard.netlist.schematic import INK, PALE, PAPER, RAILS

PAGE = (297.0, 210.0)
LARGE = 1.9
"""Millimetres of the large views for each of the board."""
PICTURE_SCALE = 2.0
FONT = "DejaVu Sans, Arial, sans-serif"
FREE_COLOURS = ("#1a56b0", "#1b6e3c", "#6a2c91", "#8a4b08", "#00666f", "#9c1f5c", "#4a5a1a")
"""The colours of nets that are no rail, which repeat."""
WIDTHS = {"bare": 0.8, "thick": 1.7, "insulated": 0.5}
"""How wide wires are drawn, in millimetres of the board."""
LINE, LINES = 3.1, 23
"""Height of a line, and the number of lines in a column, of the lists."""
LETTERS = 2.3
LISTS_AT = (158.0, 206.0, 249.0)

MADE_OF = {"soldered": "", "XH": ": XH {}", "screws": ": screws"}


class View:
    """A view of a layout in millimetres of the board, from above or, *is_mirrored*, from below."""

    def __init__(self, layout: Layout, *, is_mirrored: bool) -> None:
        self._layout, self._is_mirrored = layout, is_mirrored
        nets = dict.fromkeys(net for net in layout.leads().values() if net and net not in RAILS)
        colours = {net: FREE_COLOURS[number % len(FREE_COLOURS)] for number, net in enumerate(nets)}
        self._colours = {**colours, **RAILS}

    def draw(self) -> Iterator[str]:
        """Yield the elements."""
        yield _rectangle(Box(0, 0, *BOARD), f'rx="1.5" fill="{PAPER}" stroke="{INK}" stroke-width=".25"')
        x, y = PITCH * (COLUMNS - 1) + 2.2, PITCH * (ROWS - 1) + 2.2
        left, top = self._x(COLUMNS - 1 if self._is_mirrored else 0) - 1.1, self._y(0) - 1.1
        yield f'<rect x="{left:.2f}" y="{top:.2f}" width="{x:.2f}" height="{y:.2f}" fill="url(#holes)"/>'
        yield from self._names()
        wires = list(self._wires())
        bodies = [part for placed in self._layout.placed for part in self._body(placed)]
        yield from (wires + bodies) if not self._is_mirrored else (bodies + wires)
        yield from (self._lead(placed, number) for placed in self._layout.placed for number in range(len(placed.holes)))
        for placed in self._layout.placed:
            yield from self._words(placed)

    def _x(self, column: float) -> float:
        x = BOARD[0] / 2 + (column - (COLUMNS - 1) / 2) * PITCH
        return BOARD[0] - x if self._is_mirrored else x

    def _y(self, row: float) -> float:
        return BOARD[1] / 2 + (row - (ROWS - 1) / 2) * PITCH

    def _names(self) -> Iterator[str]:
        for column in range(COLUMNS):
            for y in (2.0, BOARD[1] - 0.8):
                yield _text(str(column + 1), (self._x(column), y), 1.3, "middle", PALE)
        for row in range(ROWS):
            for x in (2.9, BOARD[0] - 2.9):
                yield _text(chr(ord("A") + row), (x, self._y(row) + 0.5), 1.4, "middle", PALE)

    def _wires(self) -> Iterator[str]:
        groups = [(group, self._layout.net_of(group)) for group in self._layout.groups()]
        for wire in self._layout.solder:
            net = next(net for group, net in groups if wire.path[0] in group)
            colour, width = self._colours[net], WIDTHS[wire.style]
            points = " ".join(f"{self._x(at.column):.2f},{self._y(at.row):.2f}" for at in wire.path)
            dashes = ' stroke-dasharray="1.4 .7"' if wire.style == "insulated" else ""
            pale = "" if self._is_mirrored else ' stroke-opacity=".35"'
            yield (
                f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="{width:g}"{dashes}{pale} '
                f'stroke-linejoin="round" stroke-linecap="round"/>'
            )
            ends = wire.joins() if wire.style == "insulated" else []
            yield from (self._dot(at, 0.5, colour) for at in ends)

    def _dot(self, at: Hole, radius: float, colour: str) -> str:
        return f'<circle cx="{self._x(at.column):.2f}" cy="{self._y(at.row):.2f}" r="{radius:g}" fill="{colour}"/>'

    def _lead(self, placed: Placed, number: int) -> str:
        at, net = placed.holes[number], placed.nets[number]
        colour = self._colours[net] if net else PALE
        if number == 0 and isinstance(placed.item, Cable):
            x, y = self._x(at.column) - 0.6, self._y(at.row) - 0.6
            return f'<rect x="{x:.2f}" y="{y:.2f}" width="1.2" height="1.2" fill="{colour}"/>'
        return self._dot(at, 0.6, colour)

    def _body(self, placed: Placed) -> Iterator[str]:
        """Yield the outline of a part: from below only faintly, to find one's way."""
        box = self._box(placed.body)
        pen = f'stroke="{PALE}" stroke-width=".15"' if self._is_mirrored else f'stroke="{INK}" stroke-width=".25"'
        fill = f'fill="{PAPER}" fill-opacity="{0 if self._is_mirrored else 0.75:g}"'
        start, end = placed.holes[0], placed.holes[-1]
        if placed.footprint.shape == "axial":
            ends = f'x1="{self._x(start.column):.2f}" y1="{self._y(start.row):.2f}"'
            yield f'<line {ends} x2="{self._x(end.column):.2f}" y2="{self._y(end.row):.2f}" {pen}/>'
        if placed.footprint.shape == "round":
            x, y = (box.left + box.right) / 2, (box.top + box.bottom) / 2
            yield f'<circle cx="{x:.2f}" cy="{y:.2f}" r="{(box.right - box.left) / 2:.2f}" {fill} {pen}/>'
        else:
            dashes = ' stroke-dasharray=".6 .4"' if placed.footprint.shape == "wires" else ""
            yield _rectangle(box, f"{fill} {pen}{dashes}")
        if not self._is_mirrored:
            yield from self._marks(placed)

    def _box(self, body: Box) -> Box:
        columns = sorted((self._x(body.left), self._x(body.right)))
        return Box(columns[0], self._y(body.top), columns[1], self._y(body.bottom))

    def _marks(self, placed: Placed) -> Iterator[str]:
        """Yield the stripe of a diode or of a capacitor's -, and the metal back of a transistor."""
        kind = placed.item.kind.name if isinstance(placed.item, Part) else ""
        footprint = placed.footprint
        end = placed.length + footprint.ends
        marks = {
            "diode": (end - 1.5, end - 0.7),
            "bulk-capacitor": (end - 1.5, end - 0.7, 3.0, 3.0),
            "mosfet": (-footprint.ends, end, footprint.left, 0.9 - footprint.left),
        }
        if kind in marks:
            yield _rectangle(self._box(placed.box(*marks[kind])), f'fill="{INK}"')

    def _words(self, placed: Placed) -> Iterator[str]:
        is_upright = not placed.direction[0]
        if isinstance(placed.item, Cable):
            # beside the wires, on the side of the nearer edge of the board
            column, row = placed.point(placed.length / 2, 0)
            is_far = column > (COLUMNS - 1) / 2 if is_upright else row > (ROWS - 1) / 2
            beside = 0.85 if is_far else -0.85
            at = (column + beside, row) if is_upright else (column, row + beside)
            yield self._label(placed.name, at, 1.5, is_upright=is_upright)
            return
        kind = placed.item.kind.name
        if kind == "mosfet":
            yield self._label(placed.name, placed.point(placed.length / 2, 1.3), 1.2, is_upright=is_upright)
            for number, terminal in enumerate(placed.item.nets):
                yield self._label(terminal, placed.point(PITCH * number + 1, -1), 1.1)
            return
        before = 0.7 if kind == "diode" else 0  # its stripe
        yield self._label(placed.name, placed.point(placed.length / 2 - before, 0), 1.4, is_upright=is_upright)
        if kind == "bulk-capacitor":
            yield self._label("+", placed.point(-1.6, 0), 1.8)

    def _label(self, words: str, at: tuple[float, float], size: float, *, is_upright: bool = False) -> str:
        """Return words in the middle of a point in columns and rows."""
        x, y, lower = self._x(at[0]), self._y(at[1]), 0.35 * size
        place = (x + lower, y) if is_upright else (x, y + lower)
        return _text(words, place, size, "middle", PALE if self._is_mirrored else INK, turned=is_upright)


def sheet(layout: Layout) -> bytes:
    """Return the page of a layout as SVG."""
    lines = [*_head(layout), *_views(layout), *_lists(layout), "</svg>"]
    return ("\n".join(lines) + "\n").encode()


def _head(layout: Layout) -> Iterator[str]:
    width, height = PAGE
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="{width:g}mm" '
        f'height="{height:g}mm" viewBox="0 0 {width:g} {height:g}" font-family="{FONT}">'
    )
    across = (BOARD[0] - PITCH * COLUMNS) / 2
    along = (BOARD[1] - PITCH * ROWS) / 2
    middle = PITCH / 2
    yield (
        f'<defs><pattern id="holes" x="{across:g}" y="{along:g}" width="{PITCH}" height="{PITCH}" '
        f'patternUnits="userSpaceOnUse"><circle cx="{middle:g}" cy="{middle:g}" r=".7" fill="none" stroke="#c9c9c9" '
        f'stroke-width=".3"/></pattern>'
    )
    for name, is_mirrored in (("above", False), ("below", True)):
        yield f'<g id="{name}">'
        yield from View(layout, is_mirrored=is_mirrored).draw()
        yield "</g>"
    yield "</defs>"
    yield f'<rect width="{width:g}" height="{height:g}" fill="{PAPER}"/>'
    yield _text(layout.title, (10, 14), 6)
    yield _text(
        f"On a perforated board of {BOARD[1] / 10:g} × {BOARD[0] / 10:g} cm, {ROWS} × {COLUMNS} holes, {PITCH} mm. "
        "Wires go where the pale lines are, below the board. A square is the first wire of a cable.",
        (10, 20),
        3,
    )


class Shown(NamedTuple):
    """A view on the page."""

    view: str
    title: str
    at: tuple[float, float]
    scale: float


VIEWS = (
    Shown("above", "From above, with the parts", (10, 28), LARGE),
    Shown("below", "From below, mirrored: solder this side", (154, 28), LARGE),
    Shown("above", "1 : 1, from above", (10, 133), 1),
    Shown("below", "1 : 1, from below", (84, 133), 1),
)


def _views(layout: Layout) -> Iterator[str]:
    for view, title, (x, y), scale in VIEWS:
        yield _text(title, (x, y - 1.5), 3)
        yield f'<use xlink:href="#{view}" transform="translate({x:g} {y:g}) scale({scale:g})"/>'
    y = 189.0
    yield f'<path d="M10 {y - 1:g}v2M10 {y:g}h50M60 {y - 1:g}v2" stroke="{INK}" stroke-width=".3" fill="none"/>'
    yield _text("Print at 100 %: this line is then 50 mm long.", (64, y + 1), 3)
    used = {wire.style for wire in layout.solder}
    styles = {
        "bare": "bare wire, soldered at each hole it passes",
        "thick": "bare wire of 0.5 mm² or more: the motor's current",
        "insulated": "insulated wire from hole to hole",
    }
    for row, (style, words) in enumerate((style, words) for style, words in styles.items() if style in used):
        x, y = 10 + 70 * (row % 2), 196 + 5 * (row // 2)
        dashes = ' stroke-dasharray="2.6 1.3"' if style == "insulated" else ""
        width = WIDTHS[style] * LARGE
        yield f'<path d="M{x} {y - 1:g}h8" stroke="{INK}" stroke-width="{width:g}" stroke-linecap="round"{dashes}/>'
        yield _text(words, (x + 11, y), 2.4)


def _lists(layout: Layout) -> Iterator[str]:
    blocks = [["*Parts", *(_part_line(placed) for placed in layout.placed if isinstance(placed.item, Part))]]
    blocks += [_cable_lines(layout, placed) for placed in layout.placed if isinstance(placed.item, Cable)]
    column = row = 0
    for block in blocks:
        if row + len(block) > LINES and row:
            column, row = column + 1, 0
        for line in block:
            at = (LISTS_AT[column], 132 + LINE * row)
            yield _text(line.removeprefix("*"), at, LETTERS, is_bold=line.startswith("*"))
            row += 1
        row += 1 if row else 0


def _part_line(placed: Placed) -> str:
    part = placed.item
    assert isinstance(part, Part)
    value = size_of(part) or part.kind.value.partition(",")[0]
    ends = [
        str(at) if terminal in UNNAMED else f"{terminal} {at}"
        for terminal, at in zip(part.nets, placed.holes, strict=True)
    ]
    return f"{placed.name}: {value}, {', '.join(ends)}"


def _cable_lines(layout: Layout, placed: Placed) -> list[str]:
    cable = placed.item
    assert isinstance(cable, Cable)
    other = layout.harness.called(cable.other_end(layout.name))
    lines = [f"*{cable.name} to {other}{MADE_OF[cable.plug].format(cable.positions)}"]
    for number, (net, colour) in enumerate(zip(cable.nets, cable.colours, strict=True)):
        pin = f", pin {cable.header_pins[number]}" if cable.other_end(layout.name) == PI else ""
        lines.append(f"{placed.holes[number]}: {colour}, {net_name(net)}{pin}")
    return [*lines, *(f"{at}: free" for at in placed.holes[len(cable.nets) :])]


def _rectangle(box: Box, look: str) -> str:
    size = f'width="{box.right - box.left:.2f}" height="{box.bottom - box.top:.2f}"'
    return f'<rect x="{box.left:.2f}" y="{box.top:.2f}" {size} {look}/>'


def _text(
    words: str,
    at: tuple[float, float],
    size: float,
    anchor: str = "start",
    colour: str = INK,
    *,
    is_bold: bool = False,
    turned: bool = False,
) -> str:
    x, y = at
    more = f' transform="rotate(-90 {x:.2f} {y:.2f})"' if turned else ""
    more += ' font-weight="bold"' if is_bold else ""
    return (
        f'<text x="{x:.2f}" y="{y:.2f}" font-size="{size:g}" fill="{colour}" text-anchor="{anchor}"{more}>'
        f"{escape(words)}</text>"
    )


def write() -> list[Path]:
    """Write all pages, and a picture of each."""
    written = []
    with Renderer() as renderer:
        for layout in layouts():
            svg, png = (BOARDS / f"{layout.name}.{suffix}" for suffix in ("svg", "png"))
            svg.write_bytes(sheet(layout))
            png.write_bytes(with_text(renderer.picture(svg, PICTURE_SCALE), MADE_FROM, digest(svg)))
            written += [svg, png]
    return written
