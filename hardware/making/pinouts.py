"""Sheets of A4 with the pins of each part in their order, as seen from a side that it names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hardware.making.header_sheet import HEIGHT, WIDTH
from hardware.making.svg import head, paper, text
from reboard.netlist.hardware_data import PartKind, kinds
from reboard.netlist.schematic import INK, PAPER, printed_on

MARGIN, TOP, COLUMN, ROW = 12.0, 41.0, 96.0, 36.0
ON_A_SHEET = 14
BOX, BOX_HEIGHT = 86.0, 12.0
LONGEST_PITCH = 24.0
WARNING = "#b3261e"

NOTES = (
    "Filled pins are wired, open ones stay free. Where no data sheet is named, the order is only the usual one.",
    "If the names printed on your board are in another order, they are right.",
)


def sheets() -> list[bytes]:
    """Return the sheets as SVG."""
    shown = [kind for kind in kinds().values() if kind.pinout]
    return [_sheet(shown[first : first + ON_A_SHEET]) for first in range(0, len(shown), ON_A_SHEET)]


def _sheet(shown: Sequence[PartKind]) -> bytes:
    parts = [
        head(WIDTH, HEIGHT),
        paper(WIDTH, HEIGHT),
        text("Pinouts", (MARGIN, 18), 8),
        *(text(words, (MARGIN, 25.5 + 4.6 * place), 3.2) for place, words in enumerate(NOTES)),
    ]
    for place, kind in enumerate(shown):
        parts += _pinout(kind, MARGIN + COLUMN * (place % 2), TOP + ROW * (place // 2))
    return ("\n".join([*parts, "</svg>"]) + "\n").encode()


def _pinout(kind: PartKind, x: float, y: float) -> Iterator[str]:
    """Draw the pins of a *kind* on the edges of a box: a single row on the lower edge."""
    source, colour = "Not checked against a data sheet.", WARNING
    if kind.pinout_from:
        source, colour = f"Checked: {kind.pinout_from}.", INK
    elif kind.symbol == "module":
        source = "Not checked, varies from seller to seller: read the names on yours."
    yield text(printed_on(kind), (x, y), 3.6, is_bold=True)
    yield text(kind.function, (x + BOX, y), 2.4, anchor="end")
    yield text(f"Seen from {kind.seen_from}.", (x, y + 4.2), 2.4)
    yield text(source, (x, y + 7.8), 2.4, colour)
    top, bottom = y + 12, y + 12 + BOX_HEIGHT
    yield (
        f'<rect x="{x:g}" y="{top:g}" width="{BOX:g}" height="{BOX_HEIGHT:g}" rx="1" fill="none" stroke="{INK}" '
        f'stroke-width=".4"/>'
    )
    *above, below = kind.pinout
    for row in above:
        yield from _row(kind, row, x, top, is_above=True)
    yield from _row(kind, below, x, bottom, is_above=False)


def _row(kind: PartKind, pins: Sequence[str], x: float, y: float, *, is_above: bool) -> Iterator[str]:
    pitch = min(LONGEST_PITCH, BOX / len(pins))
    first = x + (BOX - pitch * (len(pins) - 1)) / 2
    for place, pin in enumerate(pins):
        is_wired, at = pin in kind.terminals, first + pitch * place
        yield (
            f'<circle cx="{at:g}" cy="{y:g}" r="1.2" fill="{INK if is_wired else PAPER}" stroke="{INK}" '
            f'stroke-width=".4"/>'
        )
        yield text(pin, (at, y + (4.2 if is_above else -2.2)), 2.4, anchor="middle", is_bold=is_wired)
