"""Places in a box for three microswitches below a slot, and whether its measures go together.

They turn on one pin, and a screw below each sets the height of its roller: switches click up to 0.8 mm apart, and a
bump is only 1.2 mm high. Places count from the slot: see `hardware.making.housings.card_slot`.
"""

from __future__ import annotations

from hardware.making.housings import microswitch
from hardware.making.housings.card_slot import bump_places, check_screw
from hardware.making.housings.measures import measures, require
from hardware.making.housings.places import Place
from reboard.cards.sheet import card_shape


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
