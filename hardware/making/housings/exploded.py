"""Pictures of how a housing goes together: apart on the left, in place on the right."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from manifold3d import Manifold

from hardware.making.housings import banker_unit, bought, worm_apple
from hardware.making.housings.inside import in_the_block, solids, what_reads_cards
from hardware.making.housings.measures import measures
from hardware.making.housings.meshes import rod
from hardware.making.housings.picture import COLOURS, Colour, picture
from hardware.making.housings.placed import Placed, at_the_slots, card, lever_switch, switch, switches, worms

BOUGHT: Colour = (120, 130, 140)
BOARD: Colour = (70, 130, 90)
CARD: Colour = (179, 38, 30)
MOTOR: Colour = (215, 180, 40)
WORM: Colour = (200, 90, 120)
COIL: Colour = (205, 120, 60)

TILT, TURN = -64.0, -30.0

Lifted = tuple[Manifold, float, Colour]
"""A solid in place, the height by which it is lifted on the left, and its colour."""


def block(pieces: Placed) -> bytes:
    """Return the picture of the question block, with an arcade button."""
    things, dims = solids(in_the_block(pieces, "pi-zero")), measures("block")
    return _both(
        [
            (things["base"], 0, COLOURS[1]),
            (things["Pi"], 14, BOARD),
            (things["amplifier"], 40, BOARD),
            (things["speaker"], 40, BOUGHT),
            (_lamp(), 40, CARD),
            (things["shell"], 135, COLOURS[0]),
            (things["button"] ^ rod(dims["button_hole"], 999), 228, BOUGHT),
            (_above_the_top(dims["button_hole"]), 228, CARD),
        ],
        beside=190,
        up=70,
    )


def unit(pieces: Placed) -> bytes:
    """Return the picture of the banker unit for the original cards."""
    return _unit(
        pieces,
        [
            (at_the_slots(pieces.switch_box()), 34, COLOURS[4]),
            (at_the_slots(switches(switch())), 66, BOUGHT),
        ],
        code=5,
    )


def unit_with_readers(pieces: Placed) -> bytes:
    """Return the picture of the banker unit with two RDM6300 on a hub."""
    things = solids(what_reads_cards(pieces, "pi-zero", "coil"))
    lifted: Mapping[str, tuple[float, Colour]] = {
        "first reader's board": (12, BOARD),
        "second reader's board": (12, BOARD),
        "USB hub": (12, BOUGHT),
        "first USB adapter": (12, WORM),
        "second USB adapter": (12, WORM),
        "antenna trays": (58, COLOURS[4]),
        "antennas": (72, COIL),
    }
    return _unit(pieces, [(things[name], *where) for name, where in lifted.items()], code=0)


def _unit(pieces: Placed, reading: Sequence[Lifted], code: int) -> bytes:
    dims, floor = measures("unit"), measures("shell")["floor"]
    x, y = dims["speaker"]
    return _both(
        [
            (pieces.base("unit"), 0, COLOURS[1]),
            (bought.pi("pi-zero").translate((*banker_unit.pi_place("pi-zero"), 0)), 12, BOARD),
            (bought.solder_board().translate((*dims["solder_board"], floor)), 12, BOARD),
            (bought.amplifier().translate((*dims["amplifier"], floor)), 12, BOARD),
            *reading,
            (at_the_slots(pieces.slot()), 92, COLOURS[3]),
            (at_the_slots(card(code)), 104, CARD),
            (bought.speaker().mirror((0, 0, 1)).translate((x, y, banker_unit.panel())), 105, BOUGHT),
            (bought.display().translate((*dims["display"], dims["outside"][2])), 130, BOARD),
            (pieces.unit_shell(), 205, COLOURS[0]),
            (bought.keypad().translate((0, dims["keypad_from_front"], dims["outside"][2])), 222, BOUGHT),
        ],
        beside=240,
        up=95,
    )


def apple(pieces: Placed) -> bytes:
    """Return the picture of the worm apple."""
    dims, floor, cam = measures("apple"), measures("shell")["floor"], worm_apple.cam_height()
    down_to_front = -90.0
    x, y = dims["speaker"]
    return _both(
        [
            (pieces.base("apple"), 0, COLOURS[1]),
            (pieces.lever(), 0, COLOURS[4]),
            (lever_switch(switch()), 0, BOUGHT),
            (bought.speaker().translate((x, y, floor)), 0, BOUGHT),
            (bought.pi("pi-zero").translate((*dims["pi"], 0)), 0, BOARD),
            (bought.solder_board().translate((*dims["solder_board"], floor)), 0, BOARD),
            (bought.amplifier().translate((*dims["amplifier"], floor)), 0, BOARD),
            (bought.motor().translate((0, 0, worm_apple.motor_height())), 15, MOTOR),
            (pieces.cam(down_to_front).translate((0, 0, cam)), 36, COLOURS[3]),
            (pieces.plate(down_to_front).translate((0, 0, cam)), 75, COLOURS[2]),
            (worms(down_to_front), 82, WORM),
            (pieces.apple_shell(), 185, COLOURS[0]),
        ],
        beside=250,
        up=75,
    )


def _lamp() -> Manifold:
    dims, floor = measures("block"), measures("shell")["floor"]
    up = floor + dims["outside"][2] / 2 + dims["speaker"] / 2 + 5
    lying = rod(dims["led_hole"], 2 * dims["led_hole"]).rotate((90, 0, 0))
    return lying.translate((0, dims["led_hole"] + 2 - dims["outside"][1] / 2, up))


def _above_the_top(hole: float) -> Manifold:
    top = measures("shell")["floor"] + measures("block")["outside"][2]
    ring, pressed = rod(hole + 4, 2), rod(hole - 6, 6)
    return (ring + pressed).translate((0, 0, top))


def _both(parts: Sequence[Lifted], *, beside: float, up: float) -> bytes:
    turn = math.radians(TURN)
    right = (beside * math.cos(turn), -beside * math.sin(turn), up)
    lifted = [(solid.translate((0, 0, high)), colour) for solid, high, colour in parts]
    in_place = [(solid.translate(right), colour) for solid, _, colour in parts]
    return picture([*lifted, *in_place], tilt=TILT, turn=TURN)


PICTURES = (block, unit, unit_with_readers, apple)
"""The makers of `pieces.TOGETHER`."""
