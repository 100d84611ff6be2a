"""Pictures of how a housing goes together: apart and in place beside each other, and step by step."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Literal, NamedTuple

from manifold3d import Manifold

from hardware.making.housings import banker_unit, bought, worm_apple
from hardware.making.housings.box import Box
from hardware.making.housings.inside import in_the_box, solids, what_reads_cards
from hardware.making.housings.measures import measures
from hardware.making.housings.meshes import rod
from hardware.making.housings.picture import COLOURS, Colour, Shown, picture, strip
from hardware.making.housings.placed import Placed, at_the_slots, card, lever_switch, switch, switches, worms

BOUGHT: Colour = (120, 130, 140)
BOARD: Colour = (70, 130, 90)
CARD: Colour = (179, 38, 30)
MOTOR: Colour = (215, 180, 40)
WORM: Colour = (200, 90, 120)
COIL: Colour = (205, 120, 60)

TILT, TURN = -64.0, -30.0

FROM_BELOW = -180.0 - TILT
LEAST_LIFT = 25.0
"""Millimetres by which the new parts of a step are away from their place, at least."""

Half = Literal["shell", "base"]


class Part(NamedTuple):
    """A *solid* in place, the height by which it is lifted when all is apart, its colour, and when it is put in.

    *step* is that of ``housings.md``, and *half* what the part is put into.
    """

    solid: Manifold
    lift: float
    colour: Colour
    step: int
    half: Half = "base"


def box(pieces: Placed, name: Box) -> Sequence[Part]:
    """Return the parts of the question block or the speed die, with an arcade button."""
    things, hole = solids(in_the_box(pieces, name, "pi-zero")), measures("block")["button_hole"]
    x, y = measures(name)["button_place"]
    button = (things["button"] ^ rod(hole, 999).translate((x, y, 0))) + _above_the_top(hole).translate((x, y, 0))
    looks: Mapping[str, tuple[float, Colour]] = {"lamp": (40, CARD), "LED modules": (25, CARD), "washers": (15, BOUGHT)}
    second = [Part(things[part], *look, 2, "shell") for part, look in looks.items() if part in things]
    return [
        Part(things["shell"], 135, COLOURS[0], 1, "shell"),
        Part(button, 228, CARD, 1, "shell"),
        *second,
        Part(things["speaker"], 40, BOUGHT, 3, "shell"),
        Part(things["amplifier"], 40, BOARD, 4, "shell"),
        Part(things["base"], 0, COLOURS[1], 5),
        Part(things["Pi"], 14, BOARD, 5),
        Part(things["solder board"], 14, BOARD, 5),
    ]


def unit(pieces: Placed) -> Sequence[Part]:
    """Return the parts of the banker unit for the original cards."""
    boxes, levers = at_the_slots(pieces.switch_box()), at_the_slots(switches(switch()))
    reading = [Part(boxes, 34, COLOURS[4], 3, "shell"), Part(levers, 66, BOUGHT, 2, "shell")]
    return _unit(pieces, reading, code=5)


def unit_with_readers(pieces: Placed) -> Sequence[Part]:
    """Return the parts of the banker unit with two RDM6300 on a hub."""
    things = solids(what_reads_cards(pieces, "pi-zero", "coil"))
    lifted: Mapping[str, tuple[float, Colour, int, Half]] = {
        "first reader's board": (12, BOARD, 5, "base"),
        "second reader's board": (12, BOARD, 5, "base"),
        "USB hub": (12, BOUGHT, 5, "base"),
        "first USB adapter": (12, WORM, 5, "base"),
        "second USB adapter": (12, WORM, 5, "base"),
        "antenna trays": (58, COLOURS[4], 3, "shell"),
        "antennas": (72, COIL, 2, "shell"),
    }
    return _unit(pieces, [Part(things[name], *where) for name, where in lifted.items()], code=0)


def _unit(pieces: Placed, reading: Sequence[Part], code: int) -> Sequence[Part]:
    dims, floor = measures("unit"), measures("shell")["floor"]
    x, y = dims["speaker"]
    return [
        Part(pieces.shell("unit"), 205, COLOURS[0], 1, "shell"),
        Part(bought.display().translate((*dims["display"], dims["outside"][2])), 130, BOARD, 1, "shell"),
        Part(bought.speaker().mirror((0, 0, 1)).translate((x, y, banker_unit.panel())), 105, BOUGHT, 1, "shell"),
        Part(bought.keypad().translate((0, dims["keypad_from_front"], dims["outside"][2])), 222, BOUGHT, 1, "shell"),
        *reading,
        Part(at_the_slots(pieces.slot()), 92, COLOURS[3], 3, "shell"),
        Part(at_the_slots(card(code)), 104, CARD, 3, "shell"),
        Part(pieces.base("unit"), 0, COLOURS[1], 5),
        Part(bought.pi("pi-zero").translate((*banker_unit.pi_place("pi-zero"), 0)), 12, BOARD, 5),
        Part(bought.boxed("solder-board").translate((*dims["solder_board"], floor)), 12, BOARD, 5),
        Part(bought.boxed("amplifier").translate((*dims["amplifier"], floor)), 12, BOARD, 5),
    ]


def apple(pieces: Placed) -> Sequence[Part]:
    """Return the parts of the worm apple."""
    dims, floor, cam = measures("apple"), measures("shell")["floor"], worm_apple.cam_height()
    down_to_front = -90.0
    x, y = dims["speaker"]
    return [
        Part(pieces.base("apple"), 0, COLOURS[1], 1),
        Part(pieces.lever(), 0, COLOURS[4], 1),
        Part(lever_switch(switch()), 0, BOUGHT, 2),
        Part(bought.motor().translate((0, 0, worm_apple.motor_height())), 15, MOTOR, 3),
        Part(pieces.cam(down_to_front).translate((0, 0, cam)), 36, COLOURS[3], 3),
        Part(pieces.plate(down_to_front).translate((0, 0, cam)), 75, COLOURS[2], 3),
        Part(bought.speaker().translate((x, y, floor)), 0, BOUGHT, 4),
        Part(bought.pi("pi-zero").translate((*dims["pi"], 0)), 0, BOARD, 4),
        Part(bought.boxed("solder-board").translate((*dims["solder_board"], floor)), 0, BOARD, 4),
        Part(bought.boxed("amplifier").translate((*dims["amplifier"], floor)), 0, BOARD, 4),
        Part(pieces.shell("apple"), 185, COLOURS[0], 5),
        Part(worms(down_to_front), 82, WORM, 5),
    ]


def _above_the_top(hole: float) -> Manifold:
    top = measures("shell")["floor"] + measures("block")["outside"][2]
    ring, pressed = rod(hole + 4, 2), rod(hole - 6, 6)
    return (ring + pressed).translate((0, 0, top))


def together(parts: Sequence[Part], *, beside: float, up: float) -> bytes:
    """Return a picture of *parts*, apart on the left and in place on the right."""
    turn = math.radians(TURN)
    right = (beside * math.cos(turn), -beside * math.sin(turn), up)
    lifted = [(part.solid.translate((0, 0, part.lift)), part.colour) for part in parts]
    in_place = [(part.solid.translate(right), part.colour) for part in parts]
    return picture([*lifted, *in_place], tilt=TILT, turn=TURN)


def step_by_step(parts: Sequence[Part]) -> bytes:
    """Return a strip of pictures, one for each step and one of the whole. What a step puts in is away from its place.

    The first part of each half holds the others. While the shell is filled, it is seen from below.
    """
    frames: list[tuple[Shown, float]] = []
    for step in sorted({part.step for part in parts}):
        half = next(part.half for part in parts if part.step == step)
        holder, *others = (part for part in parts if part.step <= step and part.half == half)
        shown = [(holder.solid, holder.colour)]
        for part in others:
            away = 0.0 if part.step < step else _away(part, holder)
            shown.append((part.solid.translate((0, 0, away)), part.colour))
        frames.append((shown, FROM_BELOW if half == "shell" else TILT))
    frames.append(([(part.solid, part.colour) for part in parts], TILT))
    return strip(frames, turn=TURN)


def _away(part: Part, holder: Part) -> float:
    if holder.half == "base":
        return max(part.lift, LEAST_LIFT)
    # what is above the shell when all is apart is put in from outside
    return 2 * LEAST_LIFT if part.lift > holder.lift else -2 * LEAST_LIFT


PICTURES: Mapping[str, tuple[Callable[[Placed], Sequence[Part]], float, float]] = {
    "block": (partial(box, name="block"), 190, 70),
    "die": (partial(box, name="die"), 220, 70),
    "unit": (unit, 240, 95),
    "unit-readers": (unit_with_readers, 240, 95),
    "apple": (apple, 250, 75),
}
"""The parts of each housing; how far to the right and how high up the whole is in the picture of both."""
