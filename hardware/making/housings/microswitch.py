"""A microswitch with a roller on its lever, as solids that enclose it.

Its hole at the hinge is at 0, 0, 0, its lever is along the y axis, and its roller is above.
"""

from __future__ import annotations

from manifold3d import Manifold

from hardware.making.housings.measures import measures, require
from hardware.making.housings.meshes import at, block, rod


def body() -> Manifold:
    """Return the body without its terminals, with its holes."""
    dims = measures("microswitch")
    long, wide, high = dims["body"]
    whole = block(wide, long, high).translate((0, long / 2 - dims["hole_from_hinge_end"], -dims["hole_above_bottom"]))
    hole = rod(dims["hole"], 2 * wide).translate((0, 0, -wide)).rotate((0, 90, 0))
    return whole - hole - hole.translate((0, dims["holes_apart"], 0))


def terminals() -> Manifold:
    """Return the three terminals, below the body."""
    dims = measures("microswitch")
    across, thick, long = dims["terminal"]
    places = [(0.0, far_end() - away) for away in dims["terminals"]]
    return at(block(across, thick, long), places, -dims["hole_above_bottom"] - long)


def roller(top: float) -> Manifold:
    """Return the roller with its top at a height: the switch clicks at ``operates_at``."""
    dims = measures("microswitch")
    diameter, wide = dims["roller"]
    wheel = rod(diameter, wide).translate((0, 0, -wide / 2)).rotate((0, 90, 0))
    return wheel.translate((0, dims["roller_from_hole"], top - diameter / 2))


def lever(top: float) -> Manifold:
    """Return the lever with its bracket, as a wedge between the hinge and the roller."""
    dims = measures("microswitch")
    diameter, wide = dims["roller"]
    upper = dims["body"][2] - dims["hole_above_bottom"]
    bracket = block(wide + 2 * dims["bracket"], diameter, 1).translate(
        (0, dims["roller_from_hole"], top - diameter / 2 - 1)
    )
    hinge = block(wide + 2 * dims["bracket"], 2, 0.5).translate((0, 1, upper))
    end = block(wide + 2 * dims["bracket"], diameter, 0.1).translate((0, dims["roller_from_hole"], upper))
    return Manifold.batch_hull([bracket, hinge, end])


def far_end() -> float:
    """Return the end of the body that is away from the hinge."""
    dims = measures("microswitch")
    return float(dims["body"][0] - dims["hole_from_hinge_end"])


def check() -> None:
    """Raise ``MeasureError`` if no switch can have such measures, or its roller does not go into a well."""
    dims = measures("microswitch")
    (long, wide, high), hole, bottom = dims["body"], dims["hole"], dims["hole_above_bottom"]
    (roller, roller_wide), (first, second, third) = dims["roller"], dims["terminals"]
    across, thick, _ = dims["terminal"]
    require(
        long >= dims["hole_from_hinge_end"] + dims["holes_apart"] + hole / 2
        and min(dims["hole_from_hinge_end"], bottom) >= hole / 2
        and high >= bottom + hole / 2,
        "a hole is not in the switch. Look at [microswitch] body, hole, hole_from_hinge_end, hole_above_bottom and "
        "holes_apart.",
    )
    require(dims["holes_apart"] >= 1 + hole, "the holes touch. Increase [microswitch] holes_apart or decrease hole.")
    require(2 <= dims["screw"] <= hole, "an M2 screw does not fit. Set [microswitch] screw to 2 or more, up to hole.")
    require(
        dims["operates_at"] + bottom >= high + dims["overtravel"],
        "a switch clicks when its roller is in its body. Increase [microswitch] operates_at or hole_above_bottom, or "
        "decrease body or overtravel.",
    )
    require(
        dims["operates_at"] >= roller,
        "a switch clicks below its own roller. Increase [microswitch] operates_at or decrease roller.",
    )
    require(
        dims["free_at_most"] >= dims["operates_at"] + dims["travels_back"],
        "a switch never lets go. Increase [microswitch] free_at_most or decrease operates_at or travels_back.",
    )
    require(
        long >= dims["roller_from_hole"],
        "the roller is beyond the switch. Decrease [microswitch] roller_from_hole or increase body.",
    )
    require(
        wide + 2 * measures("switch-box")["well_gap"] >= roller_wide + 2 * dims["bracket"],
        "a roller with its bracket does not go through a well. Decrease [microswitch] roller or bracket, or increase "
        "body or [switch-box] well_gap.",
    )
    require(
        second >= 3 + first + thick and third >= second + thick and long >= third,
        "a switch's terminals need room for a screw between the first two. Look at [microswitch] terminals, terminal "
        "and body.",
    )
    require(wide >= across, "a terminal is wider than its switch. Decrease [microswitch] terminal or increase body.")
