"""The question block: a shell with the button on top, and a base that carries the Pi."""

from __future__ import annotations

from manifold3d import Manifold

from hardware.making.housings import vents
from hardware.making.housings.measures import measures, require
from hardware.making.housings.raspberry_pi import Pi, on_feet
from hardware.making.housings.screws import countersunk
from hardware.making.housings.solids import Place, at, bar, block, corners, in_a_disc, plate, rod


def shell() -> Manifold:
    """Return the shell, lying on its top as it is printed. Only small round holes need bridging."""
    dims, made, screw = measures("block"), measures("shell"), measures("screw")
    width, depth, height = dims["outside"]
    wall, floor = made["wall"], made["floor"]
    body = plate(width, depth, height, made["corner"])
    inside = plate(width - 2 * wall, depth - 2 * wall, height, made["corner"] - wall).translate((0, 0, floor))
    body -= inside
    pillars = at(rod(screw["pillar"], height - floor), base_screws(), floor)
    body += pillars ^ plate(width, depth, height, made["corner"])
    body -= at(rod(screw["m3_pilot"], 14), base_screws(), height - 12)
    body -= rod(dims["button_hole"] + measures("printer")["gap"], 3 * floor).translate((0, 0, -floor))
    middle = height / 2
    for x, z in in_a_disc(dims["speaker"] - 6, dims["grille_hole"], 1.6 * dims["grille_hole"]):
        body -= bar(dims["grille_hole"], 3 * wall, edges=4).translate((x, -depth / 2, middle + z))
    lamp = bar(dims["led_hole"] + measures("printer")["gap"], 3 * wall)
    body -= lamp.translate((0, -depth / 2, middle - dims["speaker"] / 2 - 5))
    slits = vents.slits(vent_row()).translate((0, (depth - wall) / 2, 0))
    body -= slits + slits.rotate((0, 0, 90)).translate(((depth - width) / 2, 0, 0))
    cable, high = dims["cable"]
    return body - block(cable, 4 * wall, high + 1).translate((0, depth / 2, height - high))


def base(pi: Pi = "pi-zero") -> Manifold:
    """Return the base, with four feet for a *pi* and a rim that centres it in the shell."""
    dims, made, screw = measures("block"), measures("shell"), measures("screw")
    width, depth, _ = dims["outside"]
    wall, floor, gap = made["wall"], made["floor"], measures("printer")["gap"]
    body = plate(width, depth, floor, made["corner"])
    outer = plate(width - 2 * (wall + gap), depth - 2 * (wall + gap), floor + made["rim"], made["corner"] - wall)
    rim = outer - plate(width - 4 * wall - 2 * gap, depth - 4 * wall - 2 * gap, 99, made["corner"] - wall)
    rim -= at(rod(screw["pillar"] + 6, 99), base_screws())
    body += rim
    body = on_feet(body, pi, (0, pi_from_middle(pi)), floor)
    body -= countersunk(base_screws())
    cable = dims["cable"][0]
    return body - block(cable, 8 * wall, 99).translate((0, depth / 2, floor))


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
