"""The moving pieces of the apple: the cam on the motor's shaft, the wobbling plate, and the lever in its rails."""

from __future__ import annotations

from collections.abc import Sequence

from build123d import Plane, Pos, Rot

from hardware.making.cad.solids import FAR, Solid, at, between, block, on_the_bed, prism, rod, upside_down
from hardware.making.housings import lever as places
from hardware.making.housings import wobble
from hardware.making.housings.measures import measures
from hardware.making.housings.places import Place


def cam() -> Solid:
    """Return the cam, standing on its socket as it is printed."""
    dims, motor = measures("cam"), measures("motor")
    slope, rooted = Rot(0, wobble.slope(), 0), dims["spindle"] / 2
    column = Pos(0, 0, -wobble.cam_height()) * rod(dims["diameter"], 3 * dims["diameter"])
    body = column - slope * block(FAR, FAR, FAR)
    spindle = rod(dims["spindle"], rooted + dims["hub"] + dims["plate"] + dims["gap"])
    body += slope * Pos(0, 0, -rooted) * spindle
    body -= slope * rod(measures("screw")["m3_pilot"], FAR)
    return on_the_bed(body - Pos(0, 0, -wobble.cam_height()) * shaft(motor["fit"]))


def shaft(gap: float) -> Solid:
    """Return the shape of the hole for the motor's shaft with its two flats, larger by a *gap* on each side."""
    diameter, flats = (size + 2 * gap for size in measures("motor")["shaft"])
    deep = measures("cam")["socket"]
    return rod(diameter, deep) & block(diameter, flats, deep)


def wobble_plate() -> Solid:
    """Return the plate for the worms, lying on its upper side as it is printed."""
    dims, radius = measures("cam"), wobble.plate_radius()
    wide, long = dims["tongue"]
    flat = rod(2 * radius, dims["plate"]) + between((-radius - long, -wide / 2, 0), (0, wide / 2, dims["plate"]))
    body = rod(dims["diameter"], dims["hub"]) + Pos(0, 0, dims["hub"]) * flat
    return upside_down(body - rod(dims["spindle"] + 2 * dims["gap"], FAR))


def lever() -> Solid:
    """Return the lever, lying on its upper side as it is printed.

    Its knob is above the rails, so that it can be put in from the middle.
    """
    dims, (wide, high), (foot_high, foot_long) = measures("lever"), measures("lever")["bar"], measures("lever")["foot"]
    (knob_wide, knob_long), (neck_wide, neck_long) = dims["knob"], dims["neck"]
    front, middle = dims["stop"] + dims["travel"], measures("shell")["floor"] + foot_high
    back, top = front + foot_long, middle + high
    neck = -measures("apple")["diameter"] / 2 - measures("printer")["gap"]
    knob = neck - neck_long
    body = prism(Plane.XZ, dovetail(0), front, back) + between((-wide / 2, knob, middle), (wide / 2, back, top))
    body += between((-neck_wide / 2, knob, middle), (neck_wide / 2, neck, top))
    body += between((-knob_wide / 2, knob - knob_long, middle), (knob_wide / 2, knob, top))
    body += prism(Plane.XY, _nose(), middle, top)
    return upside_down(body - Pos(0, back - wide / 2, middle - 2) * rod(measures("screw")["m3_pilot"], FAR))


def rails() -> Solid:
    """Return the rails of the lever on the base of the apple. It cannot be lifted out of them."""
    dims, made = measures("lever"), measures("shell")
    front, back = dims["stop"] - made["wall"], dims["stop"] + dims["travel"] + dims["foot"][1]
    return rail(front, back) - prism(Plane.XZ, dovetail(measures("printer")["gap"]), dims["stop"], FAR)


def rail(front: float, back: float) -> Solid:
    """Return the block that the way of the lever's foot is cut out of."""
    dims, made, gap = measures("lever"), measures("shell"), measures("printer")["gap"]
    high = dims["foot"][0]
    wide = dims["bar"][0] + 2 * high + 2 * gap + 4 * made["wall"]
    return between((-wide / 2, front, 0), (wide / 2, back, made["floor"] + high - gap))


def switch_foot() -> Solid:
    """Return the foot of the switch on the base of the apple."""
    made, (x, y) = measures("microswitch"), places.switch_place()
    long, wide, high = made["body"]
    first, left = y + made["hole_from_hinge_end"] - long, x - high + made["hole_above_bottom"]
    right = x + places.foot_beyond_hole()
    return between((left, first, 0), (right, first + long, places.switch_middle() - wide / 2))


def switch_slits() -> list[Solid]:
    """Return the slits for the screws of the switch, through its foot and the base."""
    made, reach = measures("microswitch"), measures("lever")["switch_slit"]
    hole = rod(made["screw"], FAR)
    one = Pos(-reach, 0, 0) * hole + Pos(reach, 0, 0) * hole + block(2 * reach, made["screw"], FAR)
    return at(one, places.switch_screws())


def dovetail(gap: float) -> Sequence[Place]:
    """Return the outline of the lever's foot, which widens downwards at 45°; with a *gap* its way, open above."""
    low, high = measures("shell")["floor"], measures("lever")["foot"][0]
    half = measures("lever")["bar"][0] / 2 + gap
    top = low + high + (FAR if gap else 0)
    right = [(half + high, low), (half, low + high), *([(half, top)] if gap else [])]
    return [(-half - high, low), *right, *((-x, z) for x, z in reversed(right[1:]))]


def _nose() -> Sequence[Place]:
    # at its full height where the roller is at the end of the travel, with a ramp of 45° before it
    dims = measures("lever")
    side, at_end, tall = dims["bar"][0] / 2, dims["switch"] + dims["travel"], dims["nose"]
    half = measures("microswitch")["roller"][0] / 4
    front, back, inner, outer = at_end - half, at_end + 2 * half, side - 1, side + tall
    return [(inner, front - tall - 1), (outer, front), (outer, back), (inner, back)]
