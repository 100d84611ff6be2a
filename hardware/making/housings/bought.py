"""What is bought and goes inside, as simple solids that it lies within."""

from __future__ import annotations

from manifold3d import Manifold

from hardware.making.housings.measures import measures
from hardware.making.housings.solids import at, block, corners, rod


def display() -> Manifold:
    """A display that looks up: the face of its bezel is at the height 0."""
    said = measures("display")
    (board_wide, board_deep, thick), (wide, deep, bezel) = said["board"], said["bezel"]
    holes = at(rod(2.0, 99), corners(*said["holes_apart"]), -99)
    board = block(board_wide, board_deep, thick).translate((0, 0, -bezel - thick)) - holes
    behind = block(wide, deep, said["behind"]).translate((0, 0, -bezel - thick - said["behind"]))
    return board + block(wide, deep, bezel).translate((0, 0, -bezel)) + behind


def button() -> Manifold:
    """A button without what is above the top that it is in, whose under side is at the height 0."""
    wide, deep = measures("block")["button"]
    return rod(wide, deep).translate((0, 0, -deep))


def speaker() -> Manifold:
    """A speaker that looks down, lying on the height 0."""
    said = measures("speaker")
    return rod(said["diameter"], said["rim"]) + rod(said["magnet"], said["deep"])


def keypad() -> Manifold:
    """A foil keypad on the height 0, its front edge at 0, 0."""
    wide, deep = measures("keypad")["foil"]
    return block(wide, deep, 1).translate((0, deep / 2, 0))


def solder_board() -> Manifold:
    """A board that parts are soldered to, and they, on the height 0."""
    return block(*measures("solder-board")["size"])


def amplifier() -> Manifold:
    """An amplifier with all that is on its pins, on the height 0."""
    return block(*measures("amplifier")["size"])


def reader_board() -> Manifold:
    """The board of a card reader, without its coil, on the height 0."""
    return block(*measures("reader-board")["size"])


def usb_adapter() -> Manifold:
    """A serial line on USB with its plug, which looks along the x axis, on the height 0."""
    return block(*measures("usb-adapter")["size"])


def usb_hub() -> Manifold:
    """A hub without its cable, on the height 0."""
    return block(*measures("usb-hub")["size"])


def usb_plug() -> Manifold:
    """A micro USB plug and its cable's bend, along the y axis from 0 to the back, on the height 0."""
    wide, long, high = measures("usb-plug")["size"]
    return block(wide, long, high).translate((0, long / 2, 0))


def motor(turned: float = 0) -> Manifold:
    """A gear motor that lies on the height 0: its can is on the right, and its shaft is upright, on both sides, and has
    *turned* so many degrees."""
    said = measures("motor")
    (long, wide, thick), (above, below) = said["body"], said["shaft_long"]
    holes = at(rod(measures("screw")["m3_pilot"], 99), motor_holes(), -9)
    body = block(long, wide, thick).translate((long / 2 - said["shaft_from_end"], 0, 0)) - holes
    diameter, flats = said["shaft"]
    shaft = rod(diameter, above + thick + below) ^ block(diameter, flats, 99)
    return body + shaft.rotate((0, 0, turned)).translate((0, 0, -below))


def motor_holes() -> list[tuple[float, float]]:
    """The two holes across a gear motor's body."""
    away, apart = measures("motor")["holes"]
    return [(away, -apart / 2), (away, apart / 2)]
