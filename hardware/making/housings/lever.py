"""Places of the apple's lever, a bar that is pulled out of the front, and whether its measures go together.

At the end of its travel its nose presses the roller of a switch, and a rubber band takes it back. Places count from
the middle of the apple; its front is at negative y.
"""

from __future__ import annotations

from hardware.making.housings.measures import measures, require
from hardware.making.housings.places import Place

WALL_BESIDE_SLIT = 1.2
"""Millimetres of the switch's foot that are left beside a slit."""


def switch_place() -> Place:
    """Return the place of the hole at the hinge of the switch."""
    dims, made = measures("lever"), measures("microswitch")
    x = dims["bar"][0] / 2 + dims["nose"] - dims["pressed"] + made["operates_at"]
    return float(x), float(dims["switch"] + made["roller_from_hole"])


def switch_middle() -> float:
    """Return the height of the middle of the switch, which is that of the bar."""
    dims = measures("lever")
    return float(measures("shell")["floor"] + dims["foot"][0] + dims["bar"][1] / 2)


def switch_screws() -> list[Place]:
    """Return the middles of the slits for the screws of the switch."""
    x, y = switch_place()
    return [(x, y), (x, y - float(measures("microswitch")["holes_apart"]))]


def foot_beyond_hole() -> float:
    """Return how far the switch's foot reaches beyond the middles of its slits."""
    dims, made = measures("lever"), measures("microswitch")
    around_slit = dims["switch_slit"] + made["screw"] / 2 + WALL_BESIDE_SLIT
    return float(max(made["hole_above_bottom"], around_slit))


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
        0.8 <= dims["switch_slit"] <= made["terminal"][2],
        "a switch is not set, or its foot is longer than its terminals. Set [lever] switch_slit to 0.8 or more, up to "
        "the third number of [microswitch] terminal.",
    )
