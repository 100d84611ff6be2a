"""What carries three microswitches below a slot. They turn on one pin, and a screw below each sets how high its roller
is: a switch clicks up to 0.8 mm higher or lower than its neighbour, and a bump is 1.2 mm high.

All is where it is in the slot, see `hardware.making.housings.card_slot`.
"""

from __future__ import annotations

import math

from manifold3d import Manifold, OpType

from hardware.making.housings import microswitch
from hardware.making.housings.card_slot import bump_places, ears, screws, under_side
from hardware.making.housings.measures import measures
from hardware.making.housings.solids import Place, at, between, on_the_bed, rod, teardrop
from reboard.cards.shape import card_shape


def switch_box() -> Manifold:
    """The box, as it is printed."""
    return on_the_bed(switch_box_in_place())


def switch_box_in_place() -> Manifold:
    """The box, where it is: a well for each switch, open above and below but for the bridge that the screws are in, and
    behind for the end of the lever. The pin goes in on the right, and ends at an arm on the left."""
    said, made, wall = measures("switch-box"), measures("microswitch"), measures("shell")["wall"]
    (pin_y, pin_z), high, low = pin(), under_side(), bottom()
    front = pin_y - made["hole_from_hinge_end"] - said["end_gap"]
    back = pin_y + microswitch.far_end() + said["end_gap"]
    well = made["body"][1] / 2 + said["well_gap"]
    over = pin_z - made["hole_above_bottom"] + made["body"][2] - said["turns"] - said["end_gap"]
    outer = max(x for x, _ in bump_places()) + well + wall
    body = between((-outer, front - wall, low), (outer, back + wall, high))
    for x, _ in bump_places():
        body -= between((x - well, front, low - 1), (x + well, back, high + 1))
        body -= between((x - well, front, over), (x + well, back + 2 * wall, high + 1))
    body -= teardrop(said["pin"] + 2 * said["pin_gap"], 4 * outer).translate((0, pin_y, pin_z))
    wide, thick = said["bridge"]
    y = setting_screws()[0][1]
    body += between((-outer, y - wide / 2, low), (outer, y + wide / 2, low + thick))
    body -= at(rod(measures("screw")["m3_pilot"], 99), setting_screws(), low - 50)
    body += ears(screws()[2:], outer, low, high)
    return body - at(rod(measures("screw")["m3_hole"], 99), screws()[2:], low - 50)


def switches(part: Manifold, *, lifted: float = 0) -> Manifold:
    """The same *part* of all three switches where it is, with the rollers *lifted* by their screws."""
    y, z = pin()
    turned = part.rotate((math.degrees(math.asin(lifted / measures("microswitch")["roller_from_hole"])), 0, 0))
    placed = [turned.translate((x, y, z)) for x, _ in bump_places()]
    return Manifold.batch_boolean(placed, OpType.Add)


def pin() -> Place:
    """Where the pin is: how far behind the mouth, and how high."""
    made = measures("microswitch")
    y = bump_places()[0][1] - made["roller_from_hole"]
    return y, -float(card_shape().card.thickness + measures("slot")["clicks_at"] + made["operates_at"])


def setting_screws() -> list[Place]:
    """Where the screws are, each between two terminals of its switch."""
    y = pin()[0] + microswitch.far_end() - sum(measures("microswitch")["terminals"][:2]) / 2
    return [(x, y) for x, _ in bump_places()]


def bottom() -> float:
    """The height of the box's under side: its bridge leaves room for a switch that is lowered."""
    said, made = measures("switch-box"), measures("microswitch")
    lowered = said["turns"] * microswitch.far_end() / made["roller_from_hole"]
    return pin()[1] - float(made["hole_above_bottom"] + lowered + said["bridge"][1])
