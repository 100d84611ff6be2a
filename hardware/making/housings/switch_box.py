"""A box for three microswitches below a slot.

They turn on one pin, and a screw below each sets the height of its roller: switches click up to 0.8 mm apart, and a
bump is only 1.2 mm high. Places count from the slot: see `hardware.making.housings.card_slot`.
"""

from __future__ import annotations

import math

from manifold3d import Manifold, OpType

from hardware.making.housings import microswitch
from hardware.making.housings.card_slot import bump_places, check_screw, ears, screws, under_side
from hardware.making.housings.measures import measures, require
from hardware.making.housings.solids import Place, at, between, on_the_bed, rod, teardrop
from reboard.cards.sheet import card_shape


def switch_box() -> Manifold:
    """Return the box as it is printed."""
    return on_the_bed(switch_box_in_place())


def switch_box_in_place() -> Manifold:
    """Return the box in place: a well for each switch, a bridge for the screws, and a hole for the pin."""
    dims, made, wall = measures("switch-box"), measures("microswitch"), measures("shell")["wall"]
    (pin_y, pin_z), high, low = pin(), under_side(), bottom()
    front = pin_y - made["hole_from_hinge_end"] - dims["end_gap"]
    back = pin_y + microswitch.far_end() + dims["end_gap"]
    well = made["body"][1] / 2 + dims["well_gap"]
    over = pin_z - made["hole_above_bottom"] + made["body"][2] - dims["turns"] - dims["end_gap"]
    outer = max(x for x, _ in bump_places()) + well + wall
    body = between((-outer, front - wall, low), (outer, back + wall, high))
    for x, _ in bump_places():
        body -= between((x - well, front, low - 1), (x + well, back, high + 1))
        body -= between((x - well, front, over), (x + well, back + 2 * wall, high + 1))
    body -= teardrop(dims["pin"] + 2 * dims["pin_gap"], 4 * outer).translate((0, pin_y, pin_z))
    wide, thick = dims["bridge"]
    y = setting_screws()[0][1]
    body += between((-outer, y - wide / 2, low), (outer, y + wide / 2, low + thick))
    body -= at(rod(measures("screw")["m3_pilot"], 99), setting_screws(), low - 50)
    body += ears(screws()[2:], outer, low, high)
    return body - at(rod(measures("screw")["m3_hole"], 99), screws()[2:], low - 50)


def switches(part: Manifold, *, lifted: float = 0) -> Manifold:
    """Return one *part* of all three switches in place, with the rollers *lifted* by their screws."""
    y, z = pin()
    turned = part.rotate((math.degrees(math.asin(lifted / measures("microswitch")["roller_from_hole"])), 0, 0))
    placed = [turned.translate((x, y, z)) for x, _ in bump_places()]
    return Manifold.batch_boolean(placed, OpType.Add)


def pin() -> Place:
    """Return the place of the pin: its distance from the mouth, and its height."""
    made = measures("microswitch")
    y = bump_places()[0][1] - made["roller_from_hole"]
    return y, -float(card_shape().card.thickness + measures("slot")["clicks_at"] + made["operates_at"])


def setting_screws() -> list[Place]:
    """Return the places of the screws, each between two terminals of its switch."""
    y = pin()[0] + microswitch.far_end() - sum(measures("microswitch")["terminals"][:2]) / 2
    return [(x, y) for x, _ in bump_places()]


def bottom() -> float:
    """Return the height of the under side of the box, which leaves room for a switch that is lowered."""
    dims, made = measures("switch-box"), measures("microswitch")
    lowered = dims["turns"] * microswitch.far_end() / made["roller_from_hole"]
    return pin()[1] - float(made["hole_above_bottom"] + lowered + dims["bridge"][1])


def check() -> None:
    """Raise ``MeasureError`` if the switches do not fit their wells, or cannot be set."""
    dims, made, bumps = measures("switch-box"), measures("microswitch"), card_shape().bumps
    require(
        bumps.places[1] - bumps.places[0] >= 0.8 + made["body"][1] + 2 * dims["well_gap"],
        "no wall is left between two switches. Decrease [switch-box] well_gap or [microswitch] body.",
    )
    require(
        bumps.from_upper_edge >= made["roller"][0] / 2 + dims["end_gap"],
        "a roller's window reaches beyond the card. Decrease [switch-box] end_gap or [microswitch] roller.",
    )
    require(
        0.8 <= dims["turns"] <= made["roller_from_hole"] / 2,
        "a screw sets a switch by 0.8 mm or more. Set [switch-box] turns to 0.8 or more, up to half of "
        "[microswitch] roller_from_hole.",
    )
    require(
        made["hole"] >= dims["pin"] + 2 * dims["pin_gap"],
        "the pin does not go through a switch. Decrease [switch-box] pin or pin_gap, or increase [microswitch] hole.",
    )
    require(dims["pin"] >= 1, "the pin bends. Increase [switch-box] pin to 1 or more.")
    require(
        min(dims["pin_gap"], dims["well_gap"]) >= 0.05 and dims["end_gap"] >= 0.2,
        "a switch jams. Increase [switch-box] pin_gap and well_gap to 0.05 or more, and end_gap to 0.2 or more.",
    )
    require(
        dims["bridge"][0] >= 2 + measures("screw")["m3_pilot"],
        "too little plastic is left around the setting screws. Increase [switch-box] bridge or decrease "
        "[screw] m3_pilot.",
    )
    check_screw(30, bottom(), "[switch-box] bridge or turns, or sizes in [microswitch]")
