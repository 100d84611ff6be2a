"""A microswitch with a roller on its lever, as what it lies within.

Its hole at the hinge is at 0, 0, 0, its lever runs along the y axis, and its roller is above.
"""

from __future__ import annotations

from manifold3d import Manifold

from hardware.making.housings.measures import measures
from hardware.making.housings.solids import at, block, rod


def body() -> Manifold:
    """The body without its terminals, its holes open."""
    said = measures("microswitch")
    long, wide, high = said["body"]
    whole = block(wide, long, high).translate((0, long / 2 - said["hole_from_hinge_end"], -said["hole_above_bottom"]))
    hole = rod(said["hole"], 2 * wide).translate((0, 0, -wide)).rotate((0, 90, 0))
    return whole - hole - hole.translate((0, said["holes_apart"], 0))


def terminals() -> Manifold:
    """The three terminals, below the body."""
    said = measures("microswitch")
    across, thick, long = said["terminal"]
    places = [(0.0, far_end() - away) for away in said["terminals"]]
    return at(block(across, thick, long), places, -said["hole_above_bottom"] - long)


def roller(top: float) -> Manifold:
    """The roller when its top is at that height: ``operates_at`` is where the switch clicks."""
    said = measures("microswitch")
    diameter, wide = said["roller"]
    lying = rod(diameter, wide).translate((0, 0, -wide / 2)).rotate((0, 90, 0))
    return lying.translate((0, said["roller_from_hole"], top - diameter / 2))


def lever(top: float) -> Manifold:
    """The lever with its bracket, below the roller's middle: a wedge between the hinge and the roller."""
    said = measures("microswitch")
    diameter, wide = said["roller"]
    upper = said["body"][2] - said["hole_above_bottom"]
    bracket = block(wide + 2 * said["bracket"], diameter, 1).translate(
        (0, said["roller_from_hole"], top - diameter / 2 - 1)
    )
    hinge = block(wide + 2 * said["bracket"], 2, 0.5).translate((0, 1, upper))
    end = block(wide + 2 * said["bracket"], diameter, 0.1).translate((0, said["roller_from_hole"], upper))
    return Manifold.batch_hull([bracket, hinge, end])


def far_end() -> float:
    """Where the body ends that is away from the hinge, along its lever."""
    said = measures("microswitch")
    return float(said["body"][0] - said["hole_from_hinge_end"])
