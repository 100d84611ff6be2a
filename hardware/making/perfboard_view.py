"""A perforated board in millimetres, from above or from below."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from hardware.making.cables import Cable
from hardware.making.perfboard import BOARD, COLUMNS, PITCH, ROWS, Box, Hole, Layout, Placed, leads_of
from hardware.making.svg import text as text_at
from reboard.netlist.circuit import Part
from reboard.netlist.schematic import INK, PALE, PAPER, RAILS

FREE_COLOURS = ("#1a56b0", "#1b6e3c", "#6a2c91", "#8a4b08", "#00666f", "#9c1f5c", "#4a5a1a")
"""The colours of nets that are no rail, which repeat."""
WIDTHS = {"bare": 0.8, "thick": 1.7, "insulated": 0.5}
"""The width of drawn wires, in millimetres of the board."""
text = partial(text_at, digits=".2f")


class View:
    """A view of a layout in millimetres of the board, from above or, *is_mirrored*, from below."""

    def __init__(self, layout: Layout, *, is_mirrored: bool) -> None:
        self._layout, self._is_mirrored = layout, is_mirrored
        nets = dict.fromkeys(net for net in layout.leads().values() if net and net not in RAILS)
        colours = {net: FREE_COLOURS[number % len(FREE_COLOURS)] for number, net in enumerate(nets)}
        self._colours = {**colours, **RAILS}

    def draw(self) -> Iterator[str]:
        """Yield the elements."""
        yield rectangle(Box(0, 0, *BOARD), f'rx="1.5" fill="{PAPER}" stroke="{INK}" stroke-width=".25"')
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
                yield text(str(column + 1), (self._x(column), y), 1.3, PALE, "middle")
        for row in range(ROWS):
            for x in (2.9, BOARD[0] - 2.9):
                yield text(chr(ord("A") + row), (x, self._y(row) + 0.5), 1.4, PALE, "middle")

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
            yield rectangle(box, f"{fill} {pen}{dashes}")
        if not self._is_mirrored:
            yield from self._marks(placed)

    def _box(self, body: Box) -> Box:
        columns = sorted((self._x(body.left), self._x(body.right)))
        return Box(columns[0], self._y(body.top), columns[1], self._y(body.bottom))

    def _marks(self, placed: Placed) -> Iterator[str]:
        """Yield the stripe of a diode or of a capacitor's -, a transistor's metal back, and a chip's notch."""
        kind = placed.item.kind.name if isinstance(placed.item, Part) else ""
        footprint = placed.footprint
        end = placed.length + footprint.ends
        marks = {
            "diode": (end - 1.5, end - 0.7),
            "bulk-capacitor": (end - 1.5, end - 0.7, 3.0, 3.0),
            "buffer": (-footprint.ends, 1 - footprint.ends, -2.6, 5),
            "mosfet": (-footprint.ends, end, footprint.left, 0.9 - footprint.left),
        }
        if kind in marks:
            yield rectangle(self._box(placed.box(*marks[kind])), f'fill="{INK}"')

    def _words(self, placed: Placed) -> Iterator[str]:
        is_upright = not placed.direction[0]
        if isinstance(placed.item, Cable):
            # beside the wires, on the side of the nearer edge of the board
            column, row = placed.middle
            is_far = column > (COLUMNS - 1) / 2 if is_upright else row > (ROWS - 1) / 2
            beside = 0.85 if is_far else -0.85
            at = (column + beside, row) if is_upright else (column, row + beside)
            yield self._label(placed.name, at, 1.5, is_upright=is_upright)
            return
        kind = placed.item.kind.name
        if kind == "mosfet":
            yield self._label(placed.name, placed.point(placed.length / 2, 1.3), 1.2, is_upright=is_upright)
            for number, terminal in enumerate(leads_of(placed.item)):
                yield self._label(terminal, placed.point(PITCH * number + 1, -1), 1.1)
            return
        before = 0.7 / PITCH if kind == "diode" else 0  # its stripe
        (column, row), (x, y) = placed.middle, placed.direction
        yield self._label(placed.name, (column - x * before, row - y * before), 1.4, is_upright=is_upright)
        if kind == "bulk-capacitor":
            yield self._label("+", placed.point(-1.6, 0), 1.8)

    def _label(self, words: str, at: tuple[float, float], size: float, *, is_upright: bool = False) -> str:
        """Return words in the middle of a point in columns and rows."""
        x, y, lower = self._x(at[0]), self._y(at[1]), 0.35 * size
        place = (x + lower, y) if is_upright else (x, y + lower)
        return text(words, place, size, PALE if self._is_mirrored else INK, "middle", is_upright=is_upright)


def rectangle(box: Box, look: str) -> str:
    """Return a rectangle with the attributes *look*."""
    size = f'width="{box.right - box.left:.2f}" height="{box.bottom - box.top:.2f}"'
    return f'<rect x="{box.left:.2f}" y="{box.top:.2f}" {size} {look}/>'
