"""Upright slits in a wall, side by side, that let warm air out. They need no support, and no finger goes in."""

from __future__ import annotations

from manifold3d import Manifold

from hardware.making.housings.measures import measures, require
from hardware.making.housings.solids import at, bar

LEAST_MM2 = 1500.0
"""The least open area of a housing. 5 W then warm the air in our smallest one by 22 K; with closed walls by 31 K."""

Row = tuple[float, float, float]
"""The length of wall that has slits, and the heights where they begin and end."""


def slit(low: float, high: float) -> Manifold:
    """Return one slit through a wall along the x axis, with its middle at 0, 0. Its ends slope at 45°."""
    wide, deep = measures("vents")["wide"], 2 * measures("shell")["wall"]
    ends = [bar(wide, deep, edges=4).translate((0, 0, height)) for height in (low + wide / 2, high - wide / 2)]
    return Manifold.batch_hull(ends)


def places(room: float) -> list[float]:
    """Return the middles of the slits in *room* millimetres of wall."""
    dims = measures("vents")
    count = int((room - dims["wide"]) // dims["apart"]) + 1
    return [(number - (count - 1) / 2) * dims["apart"] for number in range(count)]


def slits(row: Row) -> Manifold:
    """Return a row of slits through a wall along the x axis, with its middle at 0, 0."""
    room, low, high = row
    return at(slit(low, high), [(x, 0) for x in places(room)])


def open_mm2(row: Row) -> float:
    """Return the open area of a row."""
    room, low, high = row
    wide = measures("vents")["wide"]
    return float(len(places(room)) * wide * (high - low - wide / 2))


def check_row(row: Row, size: str, rows: int = 1) -> None:
    """Raise ``MeasureError`` if the *rows* of a housing let too little air out. *size* is the measure of its size."""
    found = max(rows * open_mm2(row), 0)
    require(
        found >= LEAST_MM2,
        f"the Pi gets too warm: {found:.0f} mm² of the walls are open, and {LEAST_MM2:g} are needed. Increase {size}, "
        "or decrease [vents] apart.",
    )


def check() -> None:
    """Raise ``MeasureError`` if fingers or too little air go through a slit, or the wall breaks."""
    wide, apart = measures("vents")["wide"], measures("vents")["apart"]
    require(1.5 <= wide <= 4, "a slit is closed, or a finger goes in. Set [vents] wide to 1.5 or more, up to 4.")
    require(apart >= wide + 2, "the wall between two slits breaks. Increase [vents] apart to 2 more than wide.")
