"""Parts that are bought and go inside, as simple meshes that enclose them."""

from __future__ import annotations

import math

from manifold3d import Manifold

from hardware.making.housings.measures import measures, require
from hardware.making.housings.meshes import at, block, rod
from hardware.making.housings.places import corners
from hardware.making.housings.raspberry_pi import Pi


def display() -> Manifold:
    """Return a display that faces up, with the face of its bezel at height 0."""
    dims = measures("display")
    (board_wide, board_deep, thick), (wide, deep, bezel) = dims["board"], dims["bezel"]
    holes = at(rod(2.0, 99), corners(*dims["holes_apart"]), -99)
    board = block(board_wide, board_deep, thick).translate((0, 0, -bezel - thick)) - holes
    behind = block(wide, deep, dims["behind"]).translate((0, 0, -bezel - thick - dims["behind"]))
    return board + block(wide, deep, bezel).translate((0, 0, -bezel)) + behind


def pi(name: Pi) -> Manifold:
    """Return a Raspberry Pi with everything on it, on its feet above a base on height 0."""
    dims = measures(name)
    room = block(dims["width"], dims["depth"], dims["board"] + dims["above"])
    return room.translate((0, 0, measures("shell")["floor"] + dims["standoff"]))


def button() -> Manifold:
    """Return the part of a button that is below the top; the under side of the top is at height 0."""
    wide, deep = measures("block")["button"]
    return rod(wide, deep).translate((0, 0, -deep))


def speaker() -> Manifold:
    """Return a speaker that faces down, on height 0."""
    dims = measures("speaker")
    return rod(dims["diameter"], dims["rim"]) + rod(dims["magnet"], dims["deep"])


def keypad() -> Manifold:
    """Return a foil keypad on height 0, with its front edge at 0, 0."""
    wide, deep = measures("keypad")["foil"]
    return block(wide, deep, 1).translate((0, deep / 2, 0))


def boxed(section: str) -> Manifold:
    """Return a box with the size in a *section* of the measures, on height 0."""
    return block(*measures(section)["size"])


def plug(section: str) -> Manifold:
    """Return a plug of a *section* and the bend of its cable, on height 0, along the y axis from 0 to the back."""
    wide, long, high = measures(section)["size"]
    return block(wide, long, high).translate((0, long / 2, 0))


def motor(turned: float = 0) -> Manifold:
    """Return a gear motor on height 0, with its can on the right and its upright shaft *turned* by so many degrees."""
    dims = measures("motor")
    (long, wide, thick), (above, below) = dims["body"], dims["shaft_long"]
    holes = at(rod(measures("screw")["m3_pilot"], 99), motor_holes(), -9)
    body = block(long, wide, thick).translate((long / 2 - dims["shaft_from_end"], 0, 0)) - holes
    diameter, flats = dims["shaft"]
    shaft = rod(diameter, above + thick + below) ^ block(diameter, flats, 99)
    return body + shaft.rotate((0, 0, turned)).translate((0, 0, -below))


def motor_holes() -> list[tuple[float, float]]:
    """Return the places of the two holes across a motor's body."""
    away, apart = measures("motor")["holes"]
    return [(away, -apart / 2), (away, apart / 2)]


def check() -> None:
    """Raise ``MeasureError`` if a speaker, display, keypad or motor cannot have such measures."""
    _check_speaker()
    _check_panel()
    _check_motor()


def _check_speaker() -> None:
    speaker = measures("speaker")
    require(
        speaker["diameter"] >= speaker["magnet"], "the magnet is wider than the speaker. Increase [speaker] diameter."
    )
    require(speaker["deep"] >= speaker["rim"], "the rim is a part of the speaker. Increase [speaker] deep.")
    for housing in ("block", "apple"):
        hole = measures(housing)["grille_hole"]
        require(hole >= 1, f"a nozzle closes the speaker's holes. Increase [{housing}] grille_hole to 1 or more.")
        require(
            speaker["diameter"] >= 6 + 3 * hole,
            f"too few holes are before the speaker. Decrease [{housing}] grille_hole or increase [speaker] diameter.",
        )


def _check_panel() -> None:
    display, keypad, screw, gap = measures("display"), measures("keypad"), measures("screw"), measures("printer")["gap"]
    for board, bezel, holes in zip(display["board"], display["bezel"], display["holes_apart"], strict=False):
        require(board >= bezel, "the bezel is larger than its board. Increase [display] board or decrease bezel.")
        require(board >= 2.5 + holes, "a hole is not in the board. Increase [display] board or decrease holes_apart.")
        require(holes >= bezel, "a hole is below the bezel. Increase [display] holes_apart or decrease bezel.")
    require(
        display["bezel"][2] >= 1 + measures("shell")["floor"],
        "the display's pillars are inside the panel. Increase the third number of [display] bezel or decrease "
        "[shell] floor.",
    )
    require(
        display["pillar"] >= 1.6 + screw["m2_5_pilot"],
        "too little plastic is left around the display's screws. Increase [display] pillar or decrease "
        "[screw] m2_5_pilot.",
    )
    beside = [(holes - bezel) / 2 - gap for holes, bezel in zip(display["holes_apart"], display["bezel"], strict=False)]
    require(
        math.hypot(*beside) >= screw["m2_5_pilot"] / 2 + 0.8,
        "the display's window cuts into the holes of its screws. Increase [display] holes_apart or decrease bezel or "
        "[screw] m2_5_pilot.",
    )
    (plug_wide, plug_thick), foil_wide = keypad["plug"], keypad["foil"][0]
    require(plug_wide >= 3 and plug_thick >= 1, "the slit is too small for a plug. Increase [keypad] plug.")
    require(
        foil_wide >= plug_wide + 2 * gap,
        "the plug's slit is wider than the keypad. Increase [keypad] foil or decrease plug or [printer] gap.",
    )


def _check_motor() -> None:
    motor, pilot = measures("motor"), measures("screw")["m3_pilot"]
    (long, wide, thick), (away, apart), shaft = motor["body"], motor["holes"], motor["shaft"][0]
    require(wide >= 3 + apart, "a hole is not in the motor. Increase [motor] body or decrease holes.")
    require(apart >= 2 + pilot, "the motor's holes touch. Increase [motor] holes or decrease [screw] m3_pilot.")
    require(
        long >= motor["shaft_from_end"] + away + motor["foot"] / 2,
        "the motor is too short for its feet. Increase [motor] body or decrease shaft_from_end, holes or foot.",
    )
    require(
        away >= 1 + motor["foot"] / 2 + shaft,
        "a foot is below the motor's shaft. Increase [motor] holes or decrease foot or shaft.",
    )
    require(motor["shaft_from_end"] >= 2 + shaft, "the shaft is not in the motor. Increase [motor] shaft_from_end.")
    require(
        motor["foot"] >= 2.4 + pilot,
        "too little plastic is left around the motor's screws. Increase [motor] foot or decrease [screw] m3_pilot.",
    )
    require(motor["screw"] >= 4 + thick, "a screw does not hold the motor. Increase [motor] screw or decrease body.")
    require(
        motor["shaft_long"][1] + motor["free_below"] + thick >= motor["screw"],
        "the motor's screws reach the floor. Decrease [motor] screw or increase shaft_long, free_below or body.",
    )
