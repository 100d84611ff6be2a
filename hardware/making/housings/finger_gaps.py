"""Keeps fingers from being caught by what moves in the apple.

The rule: a gap that a rod of 5 mm goes into has to stay so wide that one of 12 mm goes in, or has to be out of reach.
Annex A.13 of EN 71-1 (2005) advises 12 mm at hinges; the 5 mm are from memory. Nothing was tested to EN 71.
"""

from __future__ import annotations

import math

from hardware.making.housings import wobble, worm_apple
from hardware.making.housings.measures import measures, require

CLOSED_MM = 5.0
"""No finger goes into a gap that is narrower."""

OPEN_MM = 12.0
"""A finger is not caught in a gap that never gets narrower."""

LEDGE_MM = 2.0
"""A ledge that is no wider holds no finger against a wall."""


def beside_plate() -> float:
    """Return the width of the gap between the plate's raised edge and the fence: the most of the motion."""
    return worm_apple.fence_radius() - wobble.plate_edge()[0]


def below_plate() -> float:
    """Return the distance from the plate to the far end of the motor: the least of the motion."""
    motor = measures("motor")
    long, wide, thick = motor["body"]
    end = math.hypot(long - motor["shaft_from_end"], wide / 2)
    return float(worm_apple.cam_height() + wobble.plate_bottom(end) - worm_apple.motor_height() - thick)


def above_board() -> float:
    """Return the distance from the plate to the far corner of the solder board: the least of the motion."""
    wide, deep, high = measures("solder-board")["size"]
    x, y = measures("apple")["solder_board"]
    corner = math.hypot(abs(x) + wide / 2, abs(y) + deep / 2)
    return float(worm_apple.cam_height() + wobble.plate_bottom(corner) - measures("shell")["floor"] - high)


def check() -> None:
    """Raise ``MeasureError`` if a finger can be caught."""
    lever, fence, gap = measures("lever"), measures("apple")["fence"], measures("printer")["gap"]
    require(
        worm_apple.above_plate() >= OPEN_MM,
        f"between plate and collars a gap of {worm_apple.above_plate():.1f} mm is left, which crushes a finger: "
        f"{OPEN_MM:g} mm have to stay. Decrease [apple] stroke, shows or the second number of collar, or increase "
        "worm.",
    )
    require(
        beside_plate() < CLOSED_MM,
        f"a finger gets through the gap of {beside_plate():.1f} mm between plate and fence. Decrease the second number "
        f"of [apple] fence, stroke, or [cam] hub or plate: less than {CLOSED_MM:g} mm are allowed.",
    )
    require(
        2 * measures("cam")["tongue_gap"] < CLOSED_MM,
        f"a finger gets in beside the plate's tongue. Decrease [cam] tongue_gap to less than {CLOSED_MM / 2:g}.",
    )
    require(
        below_plate() >= OPEN_MM,
        f"between plate and motor a gap of {below_plate():.1f} mm is left: {OPEN_MM:g} mm have to stay. Decrease "
        "[apple] stroke, or increase [cam] hub or above_socket.",
    )
    require(
        above_board() >= OPEN_MM,
        f"between plate and solder board a gap of {above_board():.1f} mm is left: {OPEN_MM:g} mm have to stay. "
        "Decrease the height of [solder-board] size, or [apple] stroke.",
    )
    require(
        fence[0] >= 0.8 and fence[1] >= 0.5,
        "the fence breaks, or the plate rubs on it. Increase [apple] fence to 0.8 and 0.5 or more.",
    )
    neck_wide, neck_long = lever["neck"]
    require(
        neck_long >= OPEN_MM,
        f"the knob catches a finger that pulls it. Increase the second number of [lever] neck to {OPEN_MM:g} or more.",
    )
    require(
        1 <= (neck_wide - lever["bar"][0]) / 2 - gap <= LEDGE_MM,
        "the neck slips into its slit, or catches a finger. Set the first number of [lever] neck to 2 to "
        f"{2 * LEDGE_MM:g} mm more than that of bar and two of [printer] gap.",
    )
    require(
        lever["knob"][0] >= 8 + neck_wide,
        "no finger holds the knob. Increase the first number of [lever] knob or decrease that of neck.",
    )
