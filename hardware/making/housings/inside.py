"""Everything in each housing, in place: its pieces, and simple solids that enclose the bought parts.

A part is a hair's breadth above what it lies on, so that only parts that really collide overlap.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple, get_args

from manifold3d import Manifold, OpType

from hardware.making.housings import banker_unit, bought, lever, microswitch, question_block, wobble, worm_apple
from hardware.making.housings.antenna_tray import antenna_tray_in_place
from hardware.making.housings.apart import TOUCHING_MM3, in_the_way
from hardware.making.housings.banker_unit import at_the_slots
from hardware.making.housings.card_slot import card, slot_in_place, sticker_from_mouth, under_side
from hardware.making.housings.measures import FILE, MeasureError, measures
from hardware.making.housings.raspberry_pi import Pi, room
from hardware.making.housings.solids import Place, block, plate, size
from hardware.making.housings.switch_box import switch_box_in_place, switches

HAIR = 0.01
ALL_BUMPS = 7

Antenna = Literal["coil", "pn532"]

STICKS_OUT = {"shell", "base", "cards", "keypad", "lever", "worms"}

TURNED = (0.0, 90.0, 180.0, 270.0)
"""Positions of the apple's cam, in degrees."""

PULLED = (0.5, 1.0)
"""Positions of its lever, as a part of its travel."""


class Thing(NamedTuple):
    """A *solid* in place, and the measures that set its place and size."""

    solid: Manifold
    said_by: str


Things = Mapping[str, Thing]
"""Everything inside a housing, by name."""

Filled = tuple[str, Manifold, Things]
"""A housing's name, its outline, and everything inside."""


def check() -> None:
    """Raise ``MeasureError`` if something has no room in its housing, or overlaps something else."""
    for housing, whole, things in _filled():
        for name, (solid, said_by) in things.items():
            if name not in STICKS_OUT and (beyond := solid - whole).volume() > TOUCHING_MM3:
                raise MeasureError(
                    f"{FILE.name}: the {name} of the {housing} does not fit: {size(beyond)} of it are outside. "
                    f"Change {said_by}."
                )
        for one, other, _ in in_the_way(solids(things)):
            place = size(things[one].solid ^ things[other].solid)
            raise MeasureError(
                f"{FILE.name}: the {one} and the {other} of the {housing} overlap by {place}. "
                f"Change {things[one].said_by}, or {things[other].said_by}."
            )


def in_the_block(pi: Pi) -> Things:
    """Return everything in the question block."""
    dims, wall, floor = measures("block"), measures("shell")["wall"], measures("shell")["floor"]
    width, depth, height = dims["outside"]
    place = (0.0, question_block.pi_from_middle(pi))
    shell = question_block.shell().rotate((0, 180, 0)).translate((0, 0, height + floor + HAIR))
    up = dims["amplifier"] + measures("amplifier")["size"][0] / 2
    amplifier = bought.amplifier().rotate((0, 90, 0)).translate((wall - width / 2 + HAIR, 0, up))
    speaker = bought.speaker().rotate((-90, 0, 0)).translate((0, wall - depth / 2 + HAIR, floor + height / 2))
    return {
        "shell": Thing(shell, "[block] and [shell]"),
        "base": Thing(question_block.base(pi), "[block] and [shell]"),
        "Pi": Thing(room(pi, floor + HAIR).translate((*place, 0)), f"[{pi}]"),
        "supply's plug": Thing(_supply(pi, place, floor), f"`plug` below [block], [{pi}] and [usb-plug]"),
        "button": Thing(bought.button().translate((0, 0, height - HAIR)), "`button` below [block]"),
        "speaker": Thing(speaker, "[speaker]"),
        "amplifier": Thing(amplifier, "`amplifier` below [block] and [amplifier]"),
    }


def in_every_unit(pi: Pi) -> Things:
    """Return everything in the banker unit but its readers."""
    dims, floor = measures("unit"), measures("shell")["floor"]
    height, place = dims["outside"][2], banker_unit.pi_place(pi)
    speaker = bought.speaker().mirror((0, 0, 1)).translate((*dims["speaker"], banker_unit.panel()))
    board = bought.solder_board().translate((*dims["solder_board"], floor))
    return {
        "shell": Thing(banker_unit.shell_in_place(), "[unit] and [shell]"),
        "base": Thing(banker_unit.base(pi).translate((0, 0, -HAIR)), "[unit] and [shell]"),
        "slots": Thing(at_the_slots(slot_in_place()), "`slots` below [unit] and [slot]"),
        "cards": Thing(at_the_slots(card(ALL_BUMPS)).translate((0, 0, -HAIR)), "[slot]"),
        "display": Thing(_display(), "`display` below [unit] and [display]"),
        "speaker": Thing(speaker, "`speaker` below [unit] and [speaker]"),
        "keypad": _keypad(height),
        "Pi": Thing(room(pi, floor).translate((*place, 0)), f"`pi` below [unit] and [{pi}]"),
        "supply's plug": Thing(_supply(pi, place, floor), f"`pi` below [unit], [{pi}] and [usb-plug]"),
        "solder board": Thing(board, "`solder_board` below [unit] and [solder-board]"),
        "amplifier": Thing(
            bought.amplifier().translate((*dims["amplifier"], floor)), "`amplifier` below [unit] and [amplifier]"
        ),
    }


def what_feels_cards() -> Things:
    """Return the switches of a unit for the original cards, in the position where each has just clicked."""
    clicks = measures("microswitch")["operates_at"]
    arm = [microswitch.lever(clicks - 0.5), microswitch.roller(clicks - 0.5 - HAIR)]
    return {
        "switch boxes": Thing(at_the_slots(switch_box_in_place()), "[switch-box]"),
        "switches": Thing(at_the_slots(switches(microswitch.body())), "[microswitch]"),
        "switches' terminals": Thing(at_the_slots(switches(microswitch.terminals())), "[microswitch]"),
        "switches' arms": Thing(
            at_the_slots(switches(Manifold.batch_boolean(arm, OpType.Add))), "[microswitch] and [slot]"
        ),
    }


def what_reads_cards(pi: Pi, antenna: Antenna) -> Things:
    """Return two card readers. With a Pi Zero they are on a hub, with a larger Pi in its own sockets."""
    dims, floor = measures("unit"), measures("shell")["floor"]
    wide, deep, high = measures("antenna")[antenna]
    under_sticker = block(wide, deep, high).translate((0, sticker_from_mouth(), under_side() - high))
    things = {
        "antenna trays": Thing(at_the_slots(antenna_tray_in_place()), "[antenna]"),
        "antennas": Thing(at_the_slots(under_sticker), f"`{antenna}` below [antenna]"),
    }
    where = "`reader_boards` below [unit] and [reader-board]"
    for name, place in zip(("first", "second"), dims["reader_boards"], strict=True):
        things[f"{name} reader's board"] = Thing(bought.reader_board().translate((*place, floor)), where)
    place = banker_unit.pi_place(pi)
    if pi == "pi-3-4-5":
        return things | {"USB adapters": Thing(_in_its_sockets(pi, place, floor), f"[usb-adapter] and [{pi}]")}
    where = "`usb_adapters` below [unit] and [usb-adapter]"
    for name, beside in zip(("first", "second"), dims["usb_adapters"], strict=True):
        things[f"{name} USB adapter"] = Thing(bought.usb_adapter().translate((*beside, floor)), where)
    hub = bought.usb_hub().translate((*dims["usb_hub"], floor))
    plug = _plug(pi, place, floor, measures(pi)["usb_from_middle"])
    return things | {
        "USB hub": Thing(hub, "`usb_hub` below [unit] and [usb-hub]"),
        "USB hub's plug": Thing(plug, f"`usb_from_middle` below [{pi}] and [usb-plug]"),
    }


def on_the_panel() -> Things:
    """Return what is on the unit's panel, and the openings in it extended upwards."""
    height = measures("unit")["outside"][2]
    said_by = {
        "display's window": "`display` below [unit] and `bezel` below [display]",
        "slit of the keypad's plug": "`keypad_from_front` below [unit] and [keypad]",
        "speaker's holes": "`speaker` below [unit] and [speaker]",
        "+": "`sign` and `sign_from_front` below [unit]",
        "−": "`sign` and `sign_from_front` below [unit]",
    }
    things = {"keypad's foil": _keypad(height)}
    for name, cut in banker_unit.panel_openings().items():
        upwards = Manifold.batch_boolean(cut, OpType.Add).trim_by_plane((0, 0, 1), height)
        things[name] = Thing(upwards.trim_by_plane((0, 0, -1), -height - 1), said_by[name])
    return things


def in_the_apple(turned: float, pulled: float) -> Things:
    """Return everything in the worm apple with its cam *turned* by so many degrees and its lever *pulled* so far."""
    dims, floor = measures("apple"), measures("shell")["floor"]
    pressed = measures("microswitch")["operates_at"] - measures("lever")["pressed"]
    cam = worm_apple.cam_height()
    flat_end = dims["worm"][0] / 2 * dims["stroke"] / 2 / max(away for _, away in dims["rings"])
    worms = worm_apple.worms(turned).translate((0, 0, flat_end + 3 * HAIR))
    board = bought.solder_board().translate((*dims["solder_board"], floor))
    plate = wobble.plate_in_place(turned).translate((0, 0, cam + HAIR))
    return {
        "shell": Thing(worm_apple.shell_in_place(), "[apple] and [shell]"),
        "base": Thing(worm_apple.base().translate((0, 0, -HAIR)), "[apple] and [shell]"),
        "lever": Thing(lever.lever_in_place(pulled), "[lever]"),
        "lever's switch": Thing(lever.switch(microswitch.body()), "`switch` below [lever] and [microswitch]"),
        "arm of the lever's switch": Thing(
            lever.switch(microswitch.lever(pressed)), "`switch` below [lever] and [microswitch]"
        ),
        "motor": Thing(bought.motor(turned).translate((0, 0, worm_apple.motor_height())), "[motor]"),
        "Pi": Thing(room("pi-zero", floor).translate((*dims["pi"], 0)), "`pi` below [apple] and [pi-zero]"),
        "supply's plug": Thing(_supply("pi-zero", dims["pi"], floor), "`pi` below [apple], [pi-zero] and [usb-plug]"),
        "speaker": Thing(
            bought.speaker().translate((*dims["speaker"], floor)), "`speaker` below [apple] and [speaker]"
        ),
        "solder board": Thing(board, "`solder_board` below [apple] and [solder-board]"),
        "amplifier": Thing(
            bought.amplifier().translate((*dims["amplifier"], floor)), "`amplifier` below [apple] and [amplifier]"
        ),
        "cam": Thing(wobble.cam_in_place(turned).translate((0, 0, cam)), "[cam]"),
        "wobble plate": Thing(plate, "`rings` below [apple] and [cam]"),
        "worms": Thing(worms, "`worm` and `rings` below [apple]"),
    }


def solids(things: Things) -> dict[str, Manifold]:
    """Return the solids of *things*."""
    return {name: thing.solid for name, thing in things.items()}


def _display() -> Manifold:
    dims = measures("unit")
    return bought.display().translate((*dims["display"], dims["outside"][2]))


def _keypad(height: float) -> Thing:
    before = measures("unit")["keypad_from_front"]
    return Thing(bought.keypad().translate((0, before, height)), "`keypad_from_front` below [unit] and [keypad]")


def _supply(pi: Pi, place: Place, floor: float) -> Manifold:
    return _plug(pi, place, floor, measures(pi)["supply_from_middle"])


def _plug(pi: Pi, place: Place, floor: float, from_middle: float) -> Manifold:
    x, y = place
    back = y + measures(pi)["depth"] / 2 + HAIR
    return bought.usb_plug().translate((x + from_middle, back, floor + measures(pi)["standoff"]))


def _in_its_sockets(pi: Pi, place: Place, floor: float) -> Manifold:
    dims, long = measures(pi), measures("usb-adapter")["size"][0]
    x, y = place
    left = x - (dims["width"] + long) / 2
    return block(long, dims["depth"], dims["above"]).translate((left, y, floor + dims["standoff"]))


def _filled() -> Iterator[Filled]:
    shell = measures("shell")
    width, depth, height = measures("block")["outside"]
    cube, apple = plate(width, depth, height + shell["floor"], shell["corner"]), worm_apple.outline(0)
    unit, above_it = (banker_unit.outline(0, measures("unit")["outside"][2] + more) for more in (0, 99))
    yield "unit", above_it, on_the_panel()
    for pi in get_args(Pi):
        yield "block", cube, in_the_block(pi)
        yield "unit", unit, {**in_every_unit(pi), **what_feels_cards()}
        for antenna in get_args(Antenna):
            yield "unit", unit, {**in_every_unit(pi), **what_reads_cards(pi, antenna)}
    for turned in TURNED:
        yield "apple", apple, in_the_apple(turned, 0)
    for part in PULLED:
        yield "apple", apple, in_the_apple(0, part * measures("lever")["travel"])
