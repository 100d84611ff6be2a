"""The lever of the apple: a bar that is pulled out of the front, and a rubber band that takes it back.

At the end of its travel its nose presses the roller of a switch. Places count from the middle of the apple; its front
is at negative y. A *pulled* lever has moved so far to the front.
"""

from __future__ import annotations

from manifold3d import Manifold

from hardware.making.housings.measures import measures, require
from hardware.making.housings.solids import Place, between, block, rod, upside_down


def lever() -> Manifold:
    """Return the lever, lying on its upper side as it is printed."""
    return upside_down(lever_in_place())


def lever_in_place(pulled: float = 0) -> Manifold:
    """Return the lever in place. Its knob is above the rails, so that it can be put in from the middle."""
    dims, low, (wide, high) = measures("lever"), measures("shell")["floor"], measures("lever")["bar"]
    (foot_high, foot_long), (knob_wide, knob_long) = dims["foot"], dims["knob"]
    front, outside = dims["stop"] + dims["travel"], -measures("apple")["diameter"] / 2
    back, middle, top = front + foot_long, low + foot_high, low + foot_high + high
    neck_wide, neck_long = dims["neck"]
    neck = outside - measures("printer")["gap"]
    knob = neck - neck_long
    body = _dovetail(front, back, low) + between((-wide / 2, knob, middle), (wide / 2, back, top))
    body += between((-neck_wide / 2, knob, middle), (neck_wide / 2, neck, top))
    body += between((-knob_wide / 2, knob - knob_long, middle), (knob_wide / 2, knob, top))
    body += _nose(middle, top)
    body -= rod(measures("screw")["m3_pilot"], 99).translate((0, back - wide / 2, middle - 2))
    return body.translate((0, -pulled, 0))


def rails() -> Manifold:
    """Return the rails of the lever on the base of the apple. It cannot be lifted out of them."""
    dims, floor, gap = measures("lever"), measures("shell")["floor"], measures("printer")["gap"]
    high, long = dims["foot"]
    wide = dims["bar"][0] + 2 * high + 2 * gap + 4 * measures("shell")["wall"]
    stop = dims["stop"]
    front, back = stop - measures("shell")["wall"], stop + dims["travel"] + long
    body = between((-wide / 2, front, 0), (wide / 2, back, floor + high - gap))
    return body - _dovetail(stop, 99, floor, more=gap)


def switch(part: Manifold) -> Manifold:
    """Return a *part* of the lever's switch in place: it lies on its side, with its roller to the bar."""
    x, y = switch_place()
    return part.rotate((0, -90, 0)).mirror((0, 1, 0)).translate((x, y, switch_middle()))


def switch_place() -> Place:
    """Return the place of the hole at the hinge of the switch."""
    dims, made = measures("lever"), measures("microswitch")
    x = dims["bar"][0] / 2 + dims["nose"] - dims["pressed"] + made["operates_at"]
    return float(x), float(dims["switch"] + made["roller_from_hole"])


def switch_middle() -> float:
    """Return the height of the middle of the switch, which is that of the bar."""
    dims = measures("lever")
    return float(measures("shell")["floor"] + dims["foot"][0] + dims["bar"][1] / 2)


def switch_feet() -> Manifold:
    """Return the feet of the switch on the base of the apple."""
    made, (x, y) = measures("microswitch"), switch_place()
    long, wide, high = made["body"]
    first, left = y + made["hole_from_hinge_end"] - long, x - high + made["hole_above_bottom"]
    return between((left, first, 0), (left + high, first + long, switch_middle() - wide / 2))


def switch_holes() -> Manifold:
    """Return the slits for the screws of the switch, through its feet and the base."""
    made, (x, y), reach = measures("microswitch"), switch_place(), measures("lever")["switch_slit"]
    hole = rod(made["screw"], 99).translate((x, y, -50))
    long_hole = Manifold.batch_hull([hole.translate((side, 0, 0)) for side in (-reach, reach)])
    return long_hole + long_hole.translate((0, -made["holes_apart"], 0))


def _dovetail(front: float, back: float, low: float, *, more: float = 0) -> Manifold:
    high, half = measures("lever")["foot"][0], measures("lever")["bar"][0] / 2 + more
    outline = [(-half - high, low), (half + high, low), (half, low + high), (-half, low + high)]
    points = [(x, y, z) for y in (front, back) for x, z in outline]
    taller = block(2 * half, back - front, 1).translate((0, (front + back) / 2, low + high)) if more else Manifold()
    return Manifold.hull_points(points) + taller


def _nose(low: float, high: float) -> Manifold:
    # at its full height where the roller is at the end of the travel, with a ramp of 45° before it
    dims = measures("lever")
    side, at_end = dims["bar"][0] / 2, dims["switch"] + dims["travel"]
    tall, half = dims["nose"], measures("microswitch")["roller"][0] / 4
    outline = [
        (side - 1, at_end - half - tall - 1),
        (side + tall, at_end - half),
        (side + tall, at_end + 2 * half),
        (side - 1, at_end + 2 * half),
    ]
    return Manifold.hull_points([(x, y, z) for z in (low, high) for x, y in outline])


def check() -> None:
    """Raise ``MeasureError`` if the lever does not move, or does not press its switch."""
    dims, made, apple = measures("lever"), measures("microswitch"), measures("apple")
    wall, gap = measures("shell")["wall"], measures("printer")["gap"]
    (bar_wide, bar_high), (foot_high, foot_long) = dims["bar"], dims["foot"]
    require(dims["travel"] >= 10, "a child does not feel the pull. Increase [lever] travel to 10 or more.")
    require(
        apple["diameter"] / 2 + dims["stop"] >= 2 * wall + gap,
        "the lever's stop is in the wall. Move [lever] stop nearer to 0, or increase [apple] diameter.",
    )
    require(
        foot_high >= 2 + gap and foot_long >= bar_wide, "the lever slips out. Increase [lever] foot or decrease bar."
    )
    require(
        bar_wide >= 3 + measures("screw")["m3_pilot"] and bar_high >= 3,
        "the rubber band's screw does not hold. Increase [lever] bar or decrease [screw] m3_pilot.",
    )
    require(dims["knob"][1] >= 2, "the knob breaks. Increase the second number of [lever] knob to 2 or more.")
    require(2 * apple["edge"] >= wall, "the lever's slit is too short. Increase [apple] edge or decrease [shell] wall.")
    require(
        dims["nose"] >= 1 + dims["pressed"] + made["travels_back"],
        "the switch never lets go. Increase [lever] nose or decrease pressed or [microswitch] travels_back.",
    )
    require(
        dims["pressed"] <= made["overtravel"],
        "the lever breaks its switch. Decrease [lever] pressed or increase [microswitch] overtravel.",
    )
    require(
        0.8 <= dims["switch_slit"] <= round(made["hole_above_bottom"] - made["screw"] / 2 - 0.2, 6),
        "the switch's slits are too short, or outside its feet. Set [lever] switch_slit to 0.8 or more, up to "
        "[microswitch] hole_above_bottom less half of screw and 0.2.",
    )
