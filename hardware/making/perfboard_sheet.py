"""A page of A4 with a perforated board: large from above and from below, and both in their true size."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from hardware.making.cables import BOARDS, PI, Cable
from hardware.making.perfboard import BOARD, COLUMNS, PITCH, ROWS, Layout, Placed, layouts, leads_of
from hardware.making.perfboard_view import WIDTHS, View, text
from hardware.making.svg import head, paper
from reboard.netlist.circuit import UNNAMED, Part, size_of
from reboard.netlist.schematic import INK

PAGE = (297.0, 210.0)
LARGE = 1.9
"""Millimetres of the large views for each of the board."""
LINE, LINES = 3.1, 23
"""Height of a line, and the number of lines in a column, of the lists."""
LETTERS = 2.3
LISTS_AT = (158.0, 206.0, 249.0)

MADE_OF = {"soldered": "", "XH": ": XH {}", "screws": ": screws"}


def sheet(layout: Layout) -> bytes:
    """Return the page of a layout as SVG."""
    lines = [*_head(layout), *_views(layout), *_lists(layout), "</svg>"]
    return ("\n".join(lines) + "\n").encode()


def _head(layout: Layout) -> Iterator[str]:
    width, height = PAGE
    yield head(width, height, ' xmlns:xlink="http://www.w3.org/1999/xlink"')
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
    yield paper(width, height)
    yield text(layout.title, (10, 14), 6)
    yield text(
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
        yield text(title, (x, y - 1.5), 3)
        yield f'<use xlink:href="#{view}" transform="translate({x:g} {y:g}) scale({scale:g})"/>'
    y = 189.0
    yield f'<path d="M10 {y - 1:g}v2M10 {y:g}h50M60 {y - 1:g}v2" stroke="{INK}" stroke-width=".3" fill="none"/>'
    yield text("Print at 100 %: this line is then 50 mm long.", (64, y + 1), 3)
    used = {wire.style for wire in layout.solder}
    styles = {
        "bare": "bare wire, soldered at each hole it passes",
        "thick": "bare wire, 0.8 mm Ø or thicker: the motor's current",
        "insulated": "insulated wire from hole to hole",
    }
    for row, (style, words) in enumerate((style, words) for style, words in styles.items() if style in used):
        x, y = 10 + 70 * (row % 2), 196 + 5 * (row // 2)
        dashes = ' stroke-dasharray="2.6 1.3"' if style == "insulated" else ""
        width = WIDTHS[style] * LARGE
        yield f'<path d="M{x} {y - 1:g}h8" stroke="{INK}" stroke-width="{width:g}" stroke-linecap="round"{dashes}/>'
        yield text(words, (x + 11, y), 2.4)


def _lists(layout: Layout) -> Iterator[str]:
    blocks = [["*Parts", *(_part_line(placed) for placed in layout.placed if isinstance(placed.item, Part))]]
    blocks += [_cable_lines(layout, placed) for placed in layout.placed if isinstance(placed.item, Cable)]
    column = row = 0
    for block in blocks:
        if row + len(block) > LINES and row:
            column, row = column + 1, 0
        for line in block:
            at = (LISTS_AT[column], 132 + LINE * row)
            yield text(line.removeprefix("*"), at, LETTERS, is_bold=line.startswith("*"))
            row += 1
        row += 1 if row else 0


def _part_line(placed: Placed) -> str:
    part = placed.item
    assert isinstance(part, Part)
    value = size_of(part) or part.kind.short_value
    if placed.footprint.across:
        return f"{placed.name}: {value}, pin 1 in {placed.holes[len(placed.holes) // 2]}"
    ends = [
        str(at) if terminal in UNNAMED else f"{terminal} {at}"
        for terminal, at in zip(leads_of(part), placed.holes, strict=True)
    ]
    return f"{placed.name}: {value}, {', '.join(ends)}"


def _cable_lines(layout: Layout, placed: Placed) -> list[str]:
    cable = placed.item
    assert isinstance(cable, Cable)
    other = layout.harness.called(cable.other_end(layout.name))
    lines = [f"*{cable.name} to {other}{MADE_OF[cable.plug].format(cable.positions)}"]
    for number, (net, colour) in enumerate(zip(cable.nets, cable.colours, strict=True)):
        pin = f", pin {cable.header_pins[number]}" if cable.other_end(layout.name) == PI else ""
        lines.append(f"{placed.holes[number]}: {colour}, {layout.label(net)}{pin}")
    return [*lines, *(f"{at}: free" for at in placed.holes[len(cable.nets) :])]


def write() -> list[Path]:
    """Write all pages."""
    pages = {BOARDS / f"{layout.name}.svg": sheet(layout) for layout in layouts()}
    for file, content in pages.items():
        file.write_bytes(content)
    return list(pages)
