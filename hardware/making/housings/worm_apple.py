"""Places and heights in the worm apple, and whether its measures go together.

In place, its middle is at 0, 0, its front at negative y, and it stands at height 0.
"""

from __future__ import annotations

import math
from itertools import pairwise

from hardware.making.housings import vents, wobble
from hardware.making.housings.measures import measures, require
from hardware.making.housings.places import Place, in_a_disc

MOST_RINGS = 20
"""Rings of worms: a bed has no room for more."""


def motor_height() -> float:
    """Return the height of the under side of the motor."""
    return float(measures("shell")["floor"] + measures("motor")["shaft_long"][1] + measures("motor")["free_below"])


def cam_height() -> float:
    """Return the height of the middle of the cam's face."""
    return motor_height() + float(measures("motor")["body"][2] + measures("cam")["above_motor"]) + wobble.cam_height()


def height() -> float:
    """Return the height of the apple, at which a worm that is down shows as much as it has to."""
    dims = measures("apple")
    outer = max(away for _, away in dims["rings"])
    lowest = cam_height() + wobble.plate_height(outer, 0, 0)
    return float(lowest + dims["worm"][1] - dims["shows"])


def above_plate() -> float:
    """Return the distance from the raised edge of the plate to the collars: the least of the motion."""
    inside = height() - measures("shell")["floor"]
    return float(inside - measures("apple")["collar"][1] - cam_height() - wobble.plate_top())


def fence_radius() -> float:
    """Return the inner radius of the fence, which the lowered edge of the plate does not touch."""
    return wobble.plate_edge()[1] + float(measures("apple")["fence"][1])


def holes() -> list[Place]:
    """Return the places of the worms."""
    polar = [
        (away, 360 * (number + 0.5) / count)
        for count, away in measures("apple")["rings"]
        for number in range(int(count))
    ]
    return [(away * math.cos(math.radians(angle)), away * math.sin(math.radians(angle))) for away, angle in polar]


def vent_row() -> vents.Row:
    """Return the row of slits around the back."""
    dims, made = measures("apple"), measures("shell")
    low = made["floor"] + max(dims["cable"][1], made["rim"]) + 3
    return dims["diameter"] * 0.4, low, height() - 2 * dims["edge"]


def screws() -> list[Place]:
    """Return the places of the screws that hold the base to the shell."""
    side = measures("apple")["screws"] / math.sqrt(2)
    return [(x, y) for x in (-side, side) for y in (-side, side)]


def speaker_holes() -> list[Place]:
    """Return the places of the holes in the base, over which the speaker lies."""
    x, y = measures("apple")["speaker"]
    hole = measures("apple")["grille_hole"]
    return [(x + right, y + up) for right, up in in_a_disc(measures("speaker")["diameter"] - 6, hole, 1.6 * hole)]


def check() -> None:
    """Raise ``MeasureError`` if the worms have no room, or the apple is too small for what is inside."""
    dims, wall = measures("apple"), measures("shell")["wall"]
    vents.check_row(vent_row(), "[apple] diameter")
    rings = sorted((away, count) for count, away in dims["rings"])
    require(
        1 <= len(rings) <= MOST_RINGS and all(count >= 1 and count == int(count) for _, count in rings),
        f"[apple] rings needs 1 to {MOST_RINGS} rings, each with 1, 2, 3 … worms.",
    )
    radius, (worm, worm_long), (inner, _), (outer, _) = dims["diameter"] / 2, dims["worm"], rings[0], rings[-1]
    cable_wide, cable_high = dims["cable"]
    wide = worm + 2 * dims["hole_gap"] + 2 * dims["collar"][0]
    narrower = "or decrease [apple] worm, hole_gap or collar"
    for away, count in rings:
        require(
            count == 1 or 2 * math.sin(math.pi / count) * away >= wide,
            f"{count:g} worms do not go into a ring. Put it further out or take fewer worms in [apple] rings, "
            f"{narrower}.",
        )
    for (one, _), (other, _) in pairwise(rings):
        require(other - one >= wide, f"two rings of worms touch. Move [apple] rings apart, {narrower}.")
    require(
        inner >= (wobble.WASHER + worm) / 2,
        "a worm stands on the cam's washer. Put the inner one of [apple] rings further out, or decrease worm.",
    )
    require(
        radius >= outer + wide / 2 + dims["edge"],
        "the outer worms do not come out of the flat top. Increase [apple] diameter, or decrease rings, edge, worm, "
        "hole_gap or collar.",
    )
    require(
        radius >= wobble.plate_radius() + measures("cam")["tongue"][1] + wall,
        "the wobble plate and its tongue reach the wall. Increase [apple] diameter, or decrease rings, worm, "
        "[cam] tongue or [shell] wall.",
    )
    require(
        dims["screws"] >= fence_radius() + dims["fence"][0] + measures("screw")["pillar"] / 2,
        "the pillars of the screws reach into the fence. Increase [apple] screws, or decrease rings, worm, fence or "
        "[screw] pillar.",
    )
    require(
        dims["collar"][1] >= worm / 4,
        "the collars are too short to guide the worms. Increase the second number of [apple] collar to a quarter of "
        "the first one of worm, or more.",
    )
    require(
        worm >= 3 and dims["hole_gap"] >= 0.1 and dims["collar"][0] >= 0.8,
        "worms jam. Increase [apple] worm to 3, hole_gap to 0.1, and collar to 0.8 or more.",
    )
    require(
        radius >= 1 + dims["screws"] + measures("screw")["m3_countersunk"] / 2,
        "the base's screws are not in it. Decrease [apple] screws or [screw] m3_countersunk, or increase "
        "[apple] diameter.",
    )
    require(
        min(cable_wide, cable_high) >= 3 and dims["diameter"] >= 6 * cable_wide and worm_long >= 2 * cable_high,
        "the cable's hole is too small, or larger than the wall. Set [apple] cable to 3 or more, or decrease it.",
    )
