"""SVG on paper, in millimetres: the head of a page, and texts on plain baselines: not every renderer knows others."""

from __future__ import annotations

from xml.sax.saxutils import escape

from reboard.netlist.schematic import INK, PAPER

FONT = "DejaVu Sans, Arial, sans-serif"


def head(width: float, height: float, spaces: str = "") -> str:
    """Return the start of a page. *spaces* are further XML namespaces."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg"{spaces} width="{width:g}mm" height="{height:g}mm" '
        f'viewBox="0 0 {width:g} {height:g}" font-family="{FONT}">'
    )


def paper(width: float, height: float) -> str:
    """Return the white of a page."""
    return f'<rect width="{width:g}" height="{height:g}" fill="{PAPER}"/>'


def text(
    words: str,
    at: tuple[float, float],
    size: float,
    colour: str = INK,
    anchor: str = "start",
    *,
    is_bold: bool = False,
    is_upright: bool = False,
    digits: str = "g",
) -> str:
    """Return *words* on a baseline, at their *anchor*. *digits* is how the place is written."""
    x, y = (format(axis, digits) for axis in at)
    more = f' transform="rotate(-90 {x} {y})"' if is_upright else ""
    more += ' font-weight="bold"' if is_bold else ""
    look = f'font-size="{size:g}" fill="{colour}" text-anchor="{anchor}"{more}'
    return f'<text x="{x}" y="{y}" {look}>{escape(words)}</text>'
