"""Upright slits in a wall, side by side, that let warm air out. They need no support, and no finger goes in."""

from __future__ import annotations

from hardware.making.housings.measures import measures, require

LEAST_MM2 = 1500.0
"""The least open area of a housing. 5 W then warm the air in our smallest one by 22 K; with closed walls by 31 K."""

Row = tuple[float, float, float]
"""The length of wall that has slits, and the heights where they begin and end."""


def places(room: float) -> list[float]:
    """Return the middles of the slits in *room* millimetres of wall."""
    dims = measures("vents")
    count = int((room - dims["wide"]) // dims["apart"]) + 1
    return [(number - (count - 1) / 2) * dims["apart"] for number in range(count)]


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
