"""Heights of the worm apple's wobble plate and of the cam below it, and whether their measures go together.

The sloping face of the cam turns below the plate, and the plate wobbles without turning. So each worm rises and falls
once in a turn, at its own time, and only the hub in the middle rubs.
"""

from __future__ import annotations

import math

from hardware.making.housings.measures import measures, require

WASHER = 12
"""Millimetres. It keeps the plate on the cam, and worms stand around it."""

BEYOND = 3
"""Millimetres of the plate beyond the outer worms."""


def slope() -> float:
    """Return the slope of the cam in degrees: it lifts the worms of the outer ring by their stroke."""
    dims = measures("apple")
    return math.degrees(math.atan(dims["stroke"] / 2 / max(away for _, away in dims["rings"])))


def cam_height() -> float:
    """Return the height from the foot of the cam to the middle of its face."""
    dims = measures("cam")
    return float(dims["socket"] + dims["above_socket"] + dims["diameter"] / 2 * math.tan(math.radians(slope())))


def plate_height(away: float, around: float, turned: float) -> float:
    """Return the height of the plate's upper side above the middle of the cam's face.

    *away* is the distance from the shaft, *around* an angle in degrees.
    """
    dims, tilt = measures("cam"), math.radians(slope())
    middle = (dims["hub"] + dims["plate"]) / math.cos(tilt)
    return float(middle - away * math.tan(tilt) * math.cos(math.radians(around - turned)))


def plate_radius() -> float:
    """Return the radius of the area for the worms."""
    dims = measures("apple")
    return float(max(away for _, away in dims["rings"]) + dims["worm"][0] / 2 + BEYOND)


def plate_edge() -> tuple[float, float]:
    """Return the distance of the plate's edge from the shaft, on the side that is up and on the one that is down."""
    dims, tilt, loose = measures("cam"), math.radians(slope()), measures("cam")["gap"]
    flat, bottom = plate_radius() * math.cos(tilt), dims["hub"] * math.sin(tilt)
    top = (dims["hub"] + dims["plate"]) * math.sin(tilt)
    return float(flat - bottom - loose), float(flat + top + loose)


def plate_top() -> float:
    """Return the height of the plate's upper side above the middle of the cam's face, where its edge is highest."""
    return plate_height(plate_radius(), 180, 0) + _rocks(plate_radius())


def plate_bottom(away: float) -> float:
    """Return the least height of the plate's under side above the middle of the cam's face, *away* from the shaft."""
    tilt = math.radians(slope())
    return float(measures("cam")["hub"] / math.cos(tilt) - away * math.tan(tilt) - _rocks(away))


def _rocks(away: float) -> float:
    # the plate lifts off one side of the cam until its other side is below the washer
    foot = measures("cam")["diameter"] / 2
    return float(measures("cam")["gap"] * (foot + away) / (foot + WASHER / 2))


def check() -> None:
    """Raise ``MeasureError`` if the motor does not turn the cam, or the plate does not stay on it."""
    dims, motor = measures("cam"), measures("motor")
    (diameter, flats), spindle = motor["shaft"], dims["spindle"]
    tongue_wide, tongue_long = dims["tongue"]
    require(dims["socket"] >= 4, "the shaft does not hold the cam. Increase [cam] socket to 4 or more.")
    require(
        abs(motor["shaft_long"][0] - dims["socket"] - dims["above_motor"]) <= 0.5,
        "the shaft has to end where the cam's socket ends. Make [cam] socket and above_motor together as long as the "
        "first number of [motor] shaft_long.",
    )
    require(diameter >= flats + 4 * motor["fit"], "the shaft slips in the cam. Decrease [motor] fit, or look at shaft.")
    require(
        dims["diameter"] >= max(2.4 + diameter + 2 * motor["fit"], 4 + spindle),
        "the cam is too thin for the shaft or the spindle. Increase [cam] diameter or decrease spindle, or [motor] "
        "shaft or fit.",
    )
    require(
        spindle >= 2.4 + measures("screw")["m3_pilot"],
        "too little plastic is left around the plate's screw. Increase [cam] spindle or decrease [screw] m3_pilot.",
    )
    require(
        spindle + 2 * dims["gap"] <= WASHER - 1,
        f"a washer of {WASHER} mm does not hold the plate. Decrease [cam] spindle or gap.",
    )
    require(
        dims["gap"] >= 0.05 and min(dims["plate"], dims["above_socket"]) >= 1 and dims["hub"] >= 2,
        "the plate breaks or jams. Increase [cam] gap to 0.05, plate and above_socket to 1, and hub to 2 or more.",
    )
    require(
        tongue_wide >= 2 * dims["tongue_gap"] >= 1 and tongue_long >= 4,
        "the plate turns with the cam. Set [cam] tongue_gap to 0.5 or more, up to half of the first number of tongue; "
        "the second is 4 or more.",
    )
