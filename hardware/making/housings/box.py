"""Places in a box with a button on top, question block or speed die, and the checks of its measures."""

from __future__ import annotations

from typing import Literal, get_args

from hardware.making.housings import vents
from hardware.making.housings.measures import measures, require
from hardware.making.housings.places import Place, corners
from hardware.making.housings.raspberry_pi import Pi

Box = Literal["block", "die"]
"""A section of the measures. What both have is in [block]."""


def vent_row(box: Box) -> vents.Row:
    """Return the row of slits in the back, and in the wall on the left, as the shell is printed."""
    made, pillar = measures("shell"), measures("screw")["pillar"]
    width, depth, height = measures(box)["outside"]
    room = min(width, depth) - 2 * (2 * made["wall"] + pillar)
    return room, made["floor"] + 10, height - max(measures("block")["cable"][1], made["rim"]) - 3


def pi_from_middle(box: Box, pi: Pi) -> float:
    """Return the distance of a *pi* from the middle. A long one moves forward, for the plug of its supply."""
    room = measures(box)["outside"][1] / 2 - measures("shell")["wall"] - measures("block")["plug"]
    return min(0.0, float(room - measures(pi)["depth"] / 2))


def base_screws(box: Box) -> list[Place]:
    """Return the places of the screws that hold the base to the shell."""
    width, depth, _ = measures(box)["outside"]
    from_edge = 2 * (measures("shell")["wall"] + measures("screw")["pillar"] / 2)
    return corners(width - from_edge, depth - from_edge)


def row_screws() -> list[Place]:
    """Return the places of the screws beside the two joints of the die's LED modules."""
    wide, deep, _ = measures("led-modules")["row"]
    away = deep + 2 * measures("printer")["gap"] + measures("screw")["m3_pilot"] + 3.2
    return [(x, y + measures("die")["row"]) for x, y in corners(wide / 3, away)]


def check() -> None:
    """Raise ``MeasureError`` if a box is too small for what is inside."""
    for box in get_args(Box):
        _check_box(box)
    _check_lamp()
    _check_row()


def _check_box(box: Box) -> None:
    dims, shell, gap = measures("block"), measures("shell"), measures("printer")["gap"]
    vents.check_row(vent_row(box), f"[{box}] outside", rows=2)
    zero, larger = measures("pi-zero"), measures("pi-3-4-5")
    (width, depth, height), wall, pillar = measures(box)["outside"], shell["wall"], measures("screw")["pillar"]
    (cable_wide, cable_high), (x, y) = dims["cable"], measures(box)["button_place"]
    require(
        width >= max(zero["width"], larger["width"]) + 4 * wall + 2 * gap,
        f"a Pi is too wide for the {box}. Increase the first number of [{box}] outside, or decrease width in [pi-zero] "
        "or [pi-3-4-5], [shell] wall or [printer] gap.",
    )
    require(
        depth >= larger["depth"] + dims["plug"] + 3 * wall + gap,
        f"a Pi 3, 4 or 5 and its plug are too long for the {box}. Increase the second number of [{box}] outside, or "
        "decrease [block] plug, [pi-3-4-5] depth or [shell] wall.",
    )
    require(
        depth >= 2 * wall + 2 * pillar + zero["depth"],
        f"a Pi Zero does not go between the pillars of the {box}. Increase the second number of [{box}] outside, or "
        "decrease [shell] wall, [screw] pillar or [pi-zero] depth.",
    )
    require(
        min(width - 2 * abs(x), depth - 2 * abs(y)) >= 4 + dims["button_hole"] + gap + 2 * wall,
        f"the button's hole is too large for the top of the {box}. Decrease [block] button_hole, increase [{box}] "
        "outside, or move its button_place to the middle.",
    )
    require(
        dims["button"][0] >= dims["button_hole"] >= 3,
        "the button falls through its hole, or does not go in. Set [block] button_hole to 3 or more, up to the first "
        "number of button.",
    )
    require(
        width - 2 * abs(measures(box)["speaker_place"]) >= dims["speaker"] + 2 * wall + 2 * pillar,
        "the speaker does not go between the pillars. Decrease [block] speaker, [shell] wall or [screw] pillar, or "
        f"increase [{box}] outside, or move its speaker_place to the middle.",
    )
    require(
        dims["speaker"] >= 6 + 3 * dims["grille_hole"],
        "too few holes are before the speaker. Increase [block] speaker or decrease grille_hole.",
    )
    require(
        min(cable_wide, cable_high) >= 3 and width >= cable_wide + 4 * wall + 2 * pillar and height >= 2 * cable_high,
        "the cable's notch does not go between the pillars. Set [block] cable to 3 or more, or decrease it, "
        f"[shell] wall or [screw] pillar, or increase [{box}] outside.",
    )


def _check_lamp() -> None:
    dims, floor = measures("block"), measures("shell")["floor"]
    led_hole = dims["led_hole"] + measures("printer")["gap"]
    require(
        dims["outside"][2] >= 12 + dims["speaker"] + led_hole + 2 * floor and led_hole <= 14,
        "the lamp does not go below the speaker. Decrease [block] led_hole, speaker, [shell] floor or [printer] gap, "
        "or increase [block] outside.",
    )
    require(dims["led_hole"] >= 1, "a lamp does not go into its hole. Increase [block] led_hole to 1 or more.")


def _check_row() -> None:
    (covers, thick), (wide, deep, high) = measures("die")["lip"], measures("led-modules")["row"]
    require(
        0.5 <= covers <= min(wide, deep) / 4 and 0.8 <= thick <= measures("shell")["floor"],
        "the LED modules fall through the lip, or it covers them or breaks. Set [die] lip to 0.5 or more, and 0.8 or "
        "more up to [shell] floor.",
    )
    require(
        high + thick >= 9 + measures("shell")["floor"],
        "the screws beside the LED modules go through the top. Increase the third number of [led-modules] row.",
    )
