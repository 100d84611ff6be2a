"""Places in the question block, and whether its measures go together."""

from __future__ import annotations

from hardware.making.housings import vents
from hardware.making.housings.measures import measures, require
from hardware.making.housings.places import Place, corners
from hardware.making.housings.raspberry_pi import Pi


def vent_row() -> vents.Row:
    """Return the row of slits in the back, and in the wall on the right, as the shell is printed."""
    dims, made, pillar = measures("block"), measures("shell"), measures("screw")["pillar"]
    width, depth, height = dims["outside"]
    room = min(width, depth) - 2 * (2 * made["wall"] + pillar)
    return room, made["floor"] + 10, height - max(dims["cable"][1], made["rim"]) - 3


def pi_from_middle(pi: Pi) -> float:
    """Return the distance of a *pi* from the middle. A long one moves forward, for the plug of its supply."""
    dims = measures("block")
    room = dims["outside"][1] / 2 - measures("shell")["wall"] - dims["plug"]
    return min(0.0, float(room - measures(pi)["depth"] / 2))


def base_screws() -> list[Place]:
    """Return the places of the screws that hold the base to the shell."""
    width, depth, _ = measures("block")["outside"]
    from_edge = 2 * (measures("shell")["wall"] + measures("screw")["pillar"] / 2)
    return corners(width - from_edge, depth - from_edge)


def check() -> None:
    """Raise ``MeasureError`` if the block is too small for what is inside."""
    dims, shell, screw, gap = measures("block"), measures("shell"), measures("screw"), measures("printer")["gap"]
    vents.check_row(vent_row(), "[block] outside", rows=2)
    zero, larger = measures("pi-zero"), measures("pi-3-4-5")
    (width, depth, height), wall, pillar = dims["outside"], shell["wall"], screw["pillar"]
    (cable_wide, cable_high), led_hole = dims["cable"], dims["led_hole"] + gap
    require(
        width >= max(zero["width"], larger["width"]) + 4 * wall + 2 * gap,
        "a Pi is too wide for the block. Increase the first number of [block] outside, or decrease width in [pi-zero] "
        "or [pi-3-4-5], [shell] wall or [printer] gap.",
    )
    require(
        depth >= larger["depth"] + dims["plug"] + 3 * wall + gap,
        "a Pi 3, 4 or 5 and its plug are too long for the block. Increase the second number of [block] outside, or "
        "decrease [block] plug, [pi-3-4-5] depth or [shell] wall.",
    )
    require(
        depth >= 2 * wall + 2 * pillar + zero["depth"],
        "a Pi Zero does not go between the block's pillars. Increase the second number of [block] outside, or decrease "
        "[shell] wall, [screw] pillar or [pi-zero] depth.",
    )
    require(
        min(width, depth) >= 4 + dims["button_hole"] + gap + 2 * wall,
        "the button's hole is too large for the block's top. Decrease [block] button_hole or increase outside.",
    )
    require(
        dims["button"][0] >= dims["button_hole"] >= 3,
        "the button falls through its hole, or does not go in. Set [block] button_hole to 3 or more, up to the first "
        "number of button.",
    )
    require(
        width >= dims["speaker"] + 2 * wall + 2 * pillar,
        "the speaker does not go between the pillars. Decrease [block] speaker, [shell] wall or [screw] pillar, or "
        "increase [block] outside.",
    )
    require(
        dims["speaker"] >= 6 + 3 * dims["grille_hole"],
        "too few holes are before the speaker. Increase [block] speaker or decrease grille_hole.",
    )
    require(
        height >= 12 + dims["speaker"] + led_hole + 2 * shell["floor"] and led_hole <= 14,
        "the lamp does not go below the speaker. Decrease [block] led_hole, speaker, [shell] floor or [printer] gap, "
        "or increase [block] outside.",
    )
    require(dims["led_hole"] >= 1, "a lamp does not go into its hole. Increase [block] led_hole to 1 or more.")
    require(
        min(cable_wide, cable_high) >= 3 and width >= cable_wide + 4 * wall + 2 * pillar and height >= 2 * cable_high,
        "the cable's notch does not go between the pillars. Set [block] cable to 3 or more, or decrease it, "
        "[shell] wall or [screw] pillar, or increase [block] outside.",
    )
