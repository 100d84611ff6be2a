"""The apple's lever: a bar that is pulled out of its front, and a rubber band that takes it back. At the end of its way
its nose presses the roller of a switch.

All is where it is in the apple: its middle is at 0, 0, its front at the left of the y axis, and it stands on 0. A
lever that is *pulled* so far has moved as much to the front.
"""

from __future__ import annotations

from manifold3d import Manifold

from hardware.making.housings.measures import measures
from hardware.making.housings.solids import Place, between, block, rod, upside_down


def lever() -> Manifold:
    """The lever, lying on its upper side as it is printed."""
    return upside_down(lever_in_place())


def lever_in_place(pulled: float = 0) -> Manifold:
    """A foot between the rails, the bar on it, and a knob outside, which is above the rails: so the lever can be put in
    from the middle."""
    said, low, (wide, high) = measures("lever"), measures("shell")["floor"], measures("lever")["bar"]
    (foot_high, foot_long), (knob_wide, knob_long) = said["foot"], said["knob"]
    front, outside = said["stop"] + said["travel"], -measures("apple")["diameter"] / 2
    back, middle, top = front + foot_long, low + foot_high, low + foot_high + high
    knob = outside - measures("printer")["gap"]
    body = _dovetail(front, back, low) + between((-wide / 2, knob, middle), (wide / 2, back, top))
    body += between((-knob_wide / 2, knob - knob_long, middle), (knob_wide / 2, knob, top))
    body += _nose(middle, top)
    body -= rod(measures("screw")["m3_pilot"], 99).translate((0, back - wide / 2, middle - 2))
    return body.translate((0, -pulled, 0))


def rails() -> Manifold:
    """What the lever runs in, on the apple's base, and cannot be lifted out of."""
    said, floor, gap = measures("lever"), measures("shell")["floor"], measures("printer")["gap"]
    high, long = said["foot"]
    wide = said["bar"][0] + 2 * high + 2 * gap + 4 * measures("shell")["wall"]
    stop = said["stop"]
    front, back = stop - measures("shell")["wall"], stop + said["travel"] + long
    body = between((-wide / 2, front, 0), (wide / 2, back, floor + high - gap))
    return body - _dovetail(stop, 99, floor, more=gap)


def switch(part: Manifold) -> Manifold:
    """A *part* of the lever's switch, where it is: it lies on its side, with its roller to the bar."""
    x, y = switch_place()
    return part.rotate((0, -90, 0)).mirror((0, 1, 0)).translate((x, y, switch_middle()))


def switch_place() -> Place:
    """Where the hole of the switch is that is at its hinge."""
    said, made = measures("lever"), measures("microswitch")
    x = said["bar"][0] / 2 + said["nose"] - said["pressed"] + made["operates_at"]
    return float(x), float(said["switch"] + made["roller_from_hole"])


def switch_middle() -> float:
    """How high the middle of the switch is: that of the bar."""
    said = measures("lever")
    return float(measures("shell")["floor"] + said["foot"][0] + said["bar"][1] / 2)


def switch_feet() -> Manifold:
    """What the switch lies on, on the apple's base."""
    made, (x, y) = measures("microswitch"), switch_place()
    long, wide, high = made["body"]
    first, left = y + made["hole_from_hinge_end"] - long, x - high + made["hole_above_bottom"]
    return between((left, first, 0), (left + high, first + long, switch_middle() - wide / 2))


def switch_holes() -> Manifold:
    """What leaves the holes for the switch's screws, through its feet and the base. They are long: the switch is pushed
    to where it clicks in time."""
    made, (x, y), reach = measures("microswitch"), switch_place(), measures("lever")["switch_slit"]
    hole = rod(made["screw"], 99).translate((x, y, -50))
    long_hole = Manifold.batch_hull([hole.translate((side, 0, 0)) for side in (-reach, reach)])
    return long_hole + long_hole.translate((0, -made["holes_apart"], 0))


def _dovetail(front: float, back: float, low: float, *, more: float = 0) -> Manifold:
    """Between two places on the y axis, from a height up: it narrows upwards at 45°, to the bar's width and so much
    *more* on each side."""
    high, half = measures("lever")["foot"][0], measures("lever")["bar"][0] / 2 + more
    outline = [(-half - high, low), (half + high, low), (half, low + high), (-half, low + high)]
    points = [(x, y, z) for y in (front, back) for x, z in outline]
    taller = block(2 * half, back - front, 1).translate((0, (front + back) / 2, low + high)) if more else Manifold()
    return Manifold.hull_points(points) + taller


def _nose(low: float, high: float) -> Manifold:
    """It has its whole height where the roller is at the end of the lever's way, and a ramp of 45° before it."""
    said = measures("lever")
    side, at_end = said["bar"][0] / 2, said["switch"] + said["travel"]
    tall, half = said["nose"], measures("microswitch")["roller"][0] / 4
    outline = [
        (side - 1, at_end - half - tall - 1),
        (side + tall, at_end - half),
        (side + tall, at_end + 2 * half),
        (side - 1, at_end + 2 * half),
    ]
    return Manifold.hull_points([(x, y, z) for z in (low, high) for x, y in outline])
