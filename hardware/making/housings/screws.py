"""The hold of screws and of their inserts."""

from __future__ import annotations

from hardware.making.housings.measures import measures, require


def check() -> None:
    """Raise ``MeasureError`` if a screw does not hold, or its head does not fit."""
    dims, shell = measures("screw"), measures("shell")
    hole, pilot, sunk, pillar = dims["m3_hole"], dims["m3_pilot"], dims["m3_countersunk"], dims["pillar"]
    head_wide, head_high = dims["m3_head"]
    require(
        shell["floor"] >= 1.2 + max((sunk - hole) / 2, head_high),
        "less than 1.2 mm of a base is left above a screw's head. Increase [shell] floor or [screw] m3_hole, or "
        "decrease [screw] m3_countersunk or m3_head.",
    )
    require(sunk >= head_wide, "a screw's head does not go in. Increase [screw] m3_countersunk or decrease m3_head.")
    require(head_wide >= 1 + hole, "a screw's head slips through. Increase [screw] m3_head or decrease m3_hole.")
    require(hole >= 3.1, "an M3 screw does not go through its hole. Increase [screw] m3_hole to 3.1 or more.")
    require(2 <= pilot <= 2.9, "M3 screws cut no thread. Set [screw] m3_pilot to 2 to 2.9.")
    require(1.6 <= dims["m2_5_pilot"] <= 2.4, "M2.5 screws cut no thread. Set [screw] m2_5_pilot to 1.6 to 2.4.")
    (insert, deep), long = dims["insert"], dims["base_screw"]
    require(
        hole < insert <= 4.4,
        "an insert does not hold, or its screw does not pass. Set the first number of [screw] insert to more than "
        "m3_hole, up to 4.4.",
    )
    require(
        pillar >= max(4.4 + pilot, insert + 3.2),
        "too little plastic is left around a screw. Increase [screw] pillar or decrease insert or m3_pilot.",
    )
    require(
        deep >= 4 and long >= shell["floor"] + deep,
        "a base's screw does not reach through its insert. Increase [screw] base_screw, or decrease insert (4 or more) "
        "or [shell] floor.",
    )
    require(
        1.414 * shell["wall"] + 0.207 * pillar >= 0.414 * shell["corner"],
        "the screws' pillars do not reach the corners. Decrease [shell] corner or increase [shell] wall or "
        "[screw] pillar.",
    )
