"""Pictures of how a housing goes together: apart on the left, in place on the right."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from manifold3d import Manifold, OpType

from hardware.making.housings import banker_unit, bought, card_slot, lever, microswitch, wobble, worm_apple
from hardware.making.housings.inside import in_the_block, solids, what_reads_cards
from hardware.making.housings.measures import measures
from hardware.making.housings.picture import COLOURS, Colour, picture
from hardware.making.housings.raspberry_pi import room
from hardware.making.housings.solids import bar, rod
from hardware.making.housings.switch_box import switch_box_in_place, switches

BOUGHT: Colour = (120, 130, 140)
BOARD: Colour = (70, 130, 90)
CARD: Colour = (179, 38, 30)
MOTOR: Colour = (215, 180, 40)
WORM: Colour = (200, 90, 120)
COIL: Colour = (205, 120, 60)

TILT, TURN = -64.0, -30.0

Lifted = tuple[Manifold, float, Colour]
"""A solid in place, the height by which it is lifted on the left, and its colour."""


def block() -> bytes:
    """Return the picture of the question block, with an arcade button."""
    things, dims = solids(in_the_block("pi-zero")), measures("block")
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


def unit() -> bytes:
    """Return the picture of the banker unit for the original cards."""
    return _unit(
        [
            (banker_unit.at_the_slots(switch_box_in_place()), 34, COLOURS[4]),
            (banker_unit.at_the_slots(switches(_switch())), 66, BOUGHT),
        ],
        code=5,
    )


def unit_with_readers() -> bytes:
    """Return the picture of the banker unit with two RDM6300 on a hub."""
    things = solids(what_reads_cards("pi-zero", "coil"))
    lifted: Mapping[str, tuple[float, Colour]] = {
        "first reader's board": (12, BOARD),
        "second reader's board": (12, BOARD),
        "USB hub": (12, BOUGHT),
        "first USB adapter": (12, WORM),
        "second USB adapter": (12, WORM),
        "antenna trays": (58, COLOURS[4]),
        "antennas": (72, COIL),
    }
    return _unit([(things[name], *where) for name, where in lifted.items()], code=0)


def _unit(reading: Sequence[Lifted], code: int) -> bytes:
    dims, floor = measures("unit"), measures("shell")["floor"]
    x, y = dims["speaker"]
    return _both(
        [
            (banker_unit.base(), 0, COLOURS[1]),
            (room("pi-zero", floor).translate((*banker_unit.pi_place("pi-zero"), 0)), 12, BOARD),
            (bought.solder_board().translate((*dims["solder_board"], floor)), 12, BOARD),
            (bought.amplifier().translate((*dims["amplifier"], floor)), 12, BOARD),
            *reading,
            (banker_unit.at_the_slots(card_slot.slot_in_place()), 92, COLOURS[3]),
            (banker_unit.at_the_slots(card_slot.card(code)), 104, CARD),
            (bought.speaker().mirror((0, 0, 1)).translate((x, y, banker_unit.panel())), 105, BOUGHT),
            (bought.display().translate((*dims["display"], dims["outside"][2])), 130, BOARD),
            (banker_unit.shell_in_place(), 205, COLOURS[0]),
            (bought.keypad().translate((0, dims["keypad_from_front"], dims["outside"][2])), 222, BOUGHT),
        ],
        beside=240,
        up=95,
    )


def apple() -> bytes:
    """Return the picture of the worm apple."""
    dims, floor, cam = measures("apple"), measures("shell")["floor"], worm_apple.cam_height()
    down_to_front = -90.0
    x, y = dims["speaker"]
    return _both(
        [
            (worm_apple.base(), 0, COLOURS[1]),
            (lever.lever_in_place(), 0, COLOURS[4]),
            (lever.switch(_switch()), 0, BOUGHT),
            (bought.speaker().translate((x, y, floor)), 0, BOUGHT),
            (room("pi-zero", floor).translate((*dims["pi"], 0)), 0, BOARD),
            (bought.solder_board().translate((*dims["solder_board"], floor)), 0, BOARD),
            (bought.amplifier().translate((*dims["amplifier"], floor)), 0, BOARD),
            (bought.motor().translate((0, 0, worm_apple.motor_height())), 15, MOTOR),
            (wobble.cam_in_place(down_to_front).translate((0, 0, cam)), 36, COLOURS[3]),
            (wobble.plate_in_place(down_to_front).translate((0, 0, cam)), 75, COLOURS[2]),
            (worm_apple.worms(down_to_front), 82, WORM),
            (worm_apple.shell_in_place(), 185, COLOURS[0]),
        ],
        beside=250,
        up=75,
    )


def _lamp() -> Manifold:
    dims, floor = measures("block"), measures("shell")["floor"]
    up = floor + dims["outside"][2] / 2 + dims["speaker"] / 2 + 5
    return bar(dims["led_hole"], 2 * dims["led_hole"]).translate((0, -dims["outside"][1] / 2 + 2, up))


def _above_the_top(hole: float) -> Manifold:
    top = measures("shell")["floor"] + measures("block")["outside"][2]
    ring, pressed = rod(hole + 4, 2), rod(hole - 6, 6)
    return (ring + pressed).translate((0, 0, top))


def _switch() -> Manifold:
    clicks = measures("microswitch")["operates_at"]
    return Manifold.batch_boolean(
        [microswitch.body(), microswitch.terminals(), microswitch.lever(clicks), microswitch.roller(clicks)], OpType.Add
    )


def _both(parts: Sequence[Lifted], *, beside: float, up: float) -> bytes:
    turn = math.radians(TURN)
    right = (beside * math.cos(turn), -beside * math.sin(turn), up)
    lifted = [(solid.translate((0, 0, high)), colour) for solid, high, colour in parts]
    in_place = [(solid.translate(right), colour) for solid, _, colour in parts]
    return picture([*lifted, *in_place], tilt=TILT, turn=TURN)
