"""The pieces below the unit's panel: card slots, boxes for microswitches, trays for antennas."""

from __future__ import annotations

from collections.abc import Iterable

from build123d import Plane, Pos

from hardware.making.cad.solids import FAR, Solid, at, between, on_the_bed, prism, rod, teardrop
from hardware.making.housings import microswitch
from hardware.making.housings.card_slot import LEAD_IN, antenna_room, bump_places, inner_width, screws, under_side
from hardware.making.housings.measures import measures
from hardware.making.housings.places import Place
from hardware.making.housings.switch_box import bottom, pin, setting_screws
from reboard.cards.sheet import card_shape


def slot() -> Solid:
    """Return a slot as it is printed: two rails, a trough for the bumps, windows for rollers, and the stop."""
    dims, wall = measures("slot"), measures("shell")["wall"]
    half, goes_in, low = inner_width() / 2, dims["card_goes_in"], under_side()
    rails, trough = -card_shape().card.thickness - dims["play"], half - dims["rail"]
    body = between((-half - wall, 0, low), (half + wall, goes_in + wall, 0))
    body -= between((-half, 0, rails), (half, goes_in, 0))
    body -= between((-trough, 0, low + dims["bottom"]), (trough, goes_in, 0))
    body -= prism(Plane.YZ, [(0, rails), (0, rails - LEAD_IN), (LEAD_IN, rails)], -half, half)
    made, box = measures("microswitch"), measures("switch-box")
    beside, before = made["body"][1] / 2 + box["well_gap"], made["roller"][0] / 2 + box["end_gap"]
    body -= at(between((-beside, -2 * made["roller"][0], low), (beside, before, 0)), bump_places())
    return on_the_bed(_on_ears(body, screws(), half, low, 0))


def switch_box() -> Solid:
    """Return the box as it is printed: a well for each switch, a bridge for the screws, and a hole for the pin."""
    dims, made, wall = measures("switch-box"), measures("microswitch"), measures("shell")["wall"]
    (pin_y, pin_z), high, low = pin(), under_side(), bottom()
    front = pin_y - made["hole_from_hinge_end"] - dims["end_gap"]
    back = pin_y + microswitch.far_end() + dims["end_gap"]
    well = made["body"][1] / 2 + dims["well_gap"]
    over = pin_z - made["hole_above_bottom"] + made["body"][2] - dims["turns"] - dims["end_gap"]
    outer = max(x for x, _ in bump_places()) + well + wall
    body = between((-outer, front - wall, low), (outer, back + wall, high))
    for x, _ in bump_places():
        body -= between((x - well, front, low), (x + well, back, high))
        body -= between((x - well, front, over), (x + well, back + wall, high))
    body -= Pos(0, pin_y, pin_z) * teardrop(dims["pin"] + 2 * dims["pin_gap"], 4 * outer)
    (wide, thick), y = dims["bridge"], setting_screws()[0][1]
    body += between((-outer, y - wide / 2, low), (outer, y + wide / 2, low + thick))
    body -= at(rod(measures("screw")["m3_pilot"], thick), setting_screws(), low)
    return on_the_bed(_on_ears(body, screws()[2:], outer, low, high))


def antenna_tray() -> Solid:
    """Return the tray as it is printed. It is open in front, where the unit's wall is, and for the most part behind."""
    dims, wall = measures("antenna"), measures("shell")["wall"]
    (half, front, back), high = antenna_room(), under_side()
    low, opening = high - dims["height"], dims["opening"] / 2
    body = between((-half - wall, front, low), (half + wall, back + wall, high))
    body -= between((-half, front, low + dims["bottom"]), (half, back, high))
    body -= between((-opening, back, low + dims["bottom"]), (opening, back + wall, high))
    return on_the_bed(_on_ears(body, screws()[:2], half + wall, low, high))


def _on_ears(body: Solid, places: Iterable[Place], beside: float, low: float, high: float) -> Solid:
    # ears that reach from a piece, which is twice as wide as *beside*, to its screws
    pillar, places = measures("screw")["pillar"], list(places)
    for x, y in places:
        side = beside if x > 0 else -beside
        body += between((min(x, side), y - pillar / 2, low), (max(x, side), y + pillar / 2, high))
    body += at(rod(pillar, high - low), places, low)
    return body - at(rod(measures("screw")["m3_hole"], FAR), places, low)
