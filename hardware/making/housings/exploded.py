"""How the pieces of a housing go together, and what is bought between them: all above its place, as if it were lifted
off one after the other."""

from __future__ import annotations

from manifold3d import Manifold

from hardware.making.housings import banker_unit, bought, card_slot, lever, microswitch, wobble, worm_apple
from hardware.making.housings.measures import measures
from hardware.making.housings.picture import COLOURS, Colour, picture
from hardware.making.housings.raspberry_pi import room
from hardware.making.housings.switch_box import switch_box_in_place, switches

BOUGHT: Colour = (120, 130, 140)
BOARD: Colour = (70, 130, 90)
CARD: Colour = (179, 38, 30)
MOTOR: Colour = (215, 180, 40)
WORM: Colour = (200, 90, 120)


def unit() -> bytes:
    """The banker unit for the original cards."""
    said, floor = measures("unit"), measures("shell")["floor"]
    clicks = measures("microswitch")["operates_at"]
    pi_x, pi_y = banker_unit.pi_place("pi-zero")
    x, y = said["speaker"]
    feeling = switches(microswitch.body()) + switches(microswitch.lever(clicks)) + switches(microswitch.roller(clicks))
    shown: list[tuple[Manifold, float, Colour]] = [
        (banker_unit.base(), 0, COLOURS[1]),
        (room("pi-zero", floor).translate((pi_x, pi_y, 0)), 12, BOARD),
        (banker_unit.at_the_slots(switch_box_in_place()), 30, COLOURS[4]),
        (banker_unit.at_the_slots(feeling), 62, BOUGHT),
        (banker_unit.at_the_slots(card_slot.slot_in_place()), 84, COLOURS[3]),
        (banker_unit.at_the_slots(card_slot.card(5)).translate((0, -35, 0)), 84, CARD),
        (bought.display().translate((*said["display"], said["outside"][2])), 100, BOARD),
        (bought.speaker().mirror((0, 0, 1)).translate((x, y, banker_unit.panel())), 84, BOUGHT),
        (banker_unit.shell_in_place(), 160, COLOURS[0]),
        (bought.keypad().translate((0, said["keypad_from_front"], said["outside"][2])), 172, BOUGHT),
    ]
    return picture([(solid.translate((0, 0, up)), colour) for solid, up, colour in shown], tilt=-66, turn=-32)


def apple() -> bytes:
    """The worm apple."""
    said, floor, cam = measures("apple"), measures("shell")["floor"], worm_apple.cam_height()
    clicks = measures("microswitch")["operates_at"]
    feeling = microswitch.body() + microswitch.lever(clicks) + microswitch.roller(clicks)
    x, y = said["speaker"]
    shown: list[tuple[Manifold, float, Colour]] = [
        (worm_apple.base(), 0, COLOURS[1]),
        (lever.lever_in_place(), 0, COLOURS[4]),
        (lever.switch(feeling), 0, BOUGHT),
        (bought.speaker().translate((x, y, floor)), 0, BOUGHT),
        (room("pi-zero", floor).translate((*said["pi"], 0)), 0, BOARD),
        (bought.motor().translate((0, 0, worm_apple.motor_height())), 12, MOTOR),
        (wobble.cam_in_place(-90).translate((0, 0, cam)), 30, COLOURS[3]),
        (wobble.plate_in_place(-90).translate((0, 0, cam)), 55, COLOURS[2]),
        (worm_apple.worms(-90), 75, WORM),
        (worm_apple.shell_in_place(), 150, COLOURS[0]),
    ]
    return picture([(solid.translate((0, 0, up)), colour) for solid, up, colour in shown], tilt=-64, turn=-30)
