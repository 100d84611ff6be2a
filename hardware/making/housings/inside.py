"""Everything in each housing, in place: its pieces, and simple solids that enclose the bought parts.

A part is a hair's breadth above what it lies on, so that only parts that really collide overlap.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, get_args

from manifold3d import Manifold

from hardware.making.housings import banker_unit, bought, microswitch, worm_apple
from hardware.making.housings.box import Box, pi_from_middle, row_screws
from hardware.making.housings.card_slot import Antenna, antenna_middle, under_side
from hardware.making.housings.measures import FILE, MeasureError, measures
from hardware.making.housings.meshes import TOUCHING_MM3, at, between, block, in_the_way, rod, size, union
from hardware.making.housings.pieces import PIECES
from hardware.making.housings.placed import Placed, at_the_slots, card, lever_switch, switches, worms
from hardware.making.housings.places import Place
from hardware.making.housings.raspberry_pi import Pi

HAIR = 0.01
ALL_BUMPS = 7

STICKS_OUT = {"shell", "base", "lamp", "cards", "keypad", "lever", "worms"}

WASHER = 12.0
"""Diameter of the washers that hold the die's LED modules."""

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


def check(pieces: Placed) -> None:
    """Raise ``MeasureError`` if something has no room in its housing, or overlaps something else."""
    for housing, whole, things in _filled(pieces):
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


def in_the_box(pieces: Placed, box: Box, pi: Pi) -> Things:
    """Return everything in the question block or the speed die."""
    dims, wall, floor = measures(box), measures("shell")["wall"], measures("shell")["floor"]
    width, depth, height = dims["outside"]
    place, plug = (0.0, pi_from_middle(box, pi)), "usb-plug" if pi == "pi-zero" else "angled-plug"
    up = measures("block")["amplifier"] + measures("amplifier")["size"][0] / 2
    amplifier = bought.boxed("amplifier").rotate((0, 90, 0)).translate((wall - width / 2 + HAIR, 0, up))
    behind_front = (dims["speaker_place"], wall - depth / 2 + HAIR, floor + height / 2)
    board = block(*dims["board"]).translate((*dims["solder_board"][pi != "pi-zero"], floor + HAIR))
    button = bought.button().translate((*dims["button_place"], height - HAIR))
    things = {
        "shell": Thing(pieces.shell(box).translate((0, 0, HAIR)), f"[{box}] and [shell]"),
        "base": Thing(pieces.base(box, pi), f"[{box}] and [shell]"),
        "Pi": Thing(bought.pi(pi).translate((*place, HAIR)), f"[{pi}]"),
        "supply's plug": Thing(_supply(pi, place, floor, plug), f"`plug` below [block], [{pi}] and [{plug}]"),
        "button": Thing(button, f"`button` below [block] and `button_place` below [{box}]"),
        "speaker": Thing(bought.speaker().rotate((-90, 0, 0)).translate(behind_front), "[speaker]"),
        "amplifier": Thing(amplifier, "`amplifier` below [block] and [amplifier]"),
        "solder board": Thing(board, f"`solder_board` and `board` below [{box}]"),
    }
    return {**things, **(_lamp() if box == "block" else _led_modules())}


def _lamp() -> Things:
    dims, hole = measures("block"), measures("block")["led_hole"]
    up = measures("shell")["floor"] + dims["outside"][2] / 2 + dims["speaker"] / 2 + 5
    lying = rod(hole, 2 * hole).rotate((90, 0, 0))
    return {"lamp": Thing(lying.translate((0, hole + 2 - dims["outside"][1] / 2, up)), "`led_hole` below [block]")}


def _led_modules() -> Things:
    # with a plug at each end of the row, for it may be at either
    (wide, deep, high), (long, across, thick) = measures("led-modules")["row"], measures("led-modules")["plug"]
    dims, where = measures("die"), "`row` below [die] and [led-modules]"
    back, middle = measures("shell")["floor"] + dims["outside"][2] - dims["lip"][1] - high, dims["row"]
    ends = [(side * (wide + long + HAIR) / 2, middle) for side in (-1, 1)]
    return {
        "LED modules": Thing(block(wide, deep, high).translate((0, middle, back)), where),
        "plugs of the LED modules": Thing(at(block(long, across, thick), ends, back), "`plug` below [led-modules]"),
        "washers": Thing(at(rod(WASHER, 2), row_screws(), back - 2 - HAIR), where),
    }


def in_every_unit(pieces: Placed, pi: Pi) -> Things:
    """Return everything in the banker unit but its readers."""
    dims, floor = measures("unit"), measures("shell")["floor"]
    height, place = dims["outside"][2], banker_unit.pi_place(pi)
    speaker = bought.speaker().mirror((0, 0, 1)).translate((*dims["speaker"], banker_unit.panel()))
    return {
        "shell": Thing(pieces.shell("unit"), "[unit] and [shell]"),
        "base": Thing(pieces.base("unit", pi).translate((0, 0, -HAIR)), "[unit] and [shell]"),
        "slots": Thing(at_the_slots(pieces.slot()), "`slots` below [unit] and [slot]"),
        "cards": Thing(at_the_slots(card(ALL_BUMPS)).translate((0, 0, -HAIR)), "[slot]"),
        "display": Thing(
            bought.display().translate((*dims["display"], height)), "`display` below [unit] and [display]"
        ),
        "speaker": Thing(speaker, "`speaker` below [unit] and [speaker]"),
        "keypad": _keypad(height),
        "Pi": Thing(bought.pi(pi).translate((*place, 0)), f"`pi` below [unit] and [{pi}]"),
        "supply's plug": Thing(_supply(pi, place, floor), f"`pi` below [unit], [{pi}] and [usb-plug]"),
        "solder board": _lying("solder-board", "unit", "solder_board"),
        "amplifier": _lying("amplifier", "unit", "amplifier"),
    }


def what_feels_cards(pieces: Placed) -> Things:
    """Return the switches of a unit for the original cards, in the position where each has just clicked."""
    clicks = measures("microswitch")["operates_at"]
    arm = [microswitch.lever(clicks - 0.5), microswitch.roller(clicks - 0.5 - HAIR)]
    return {
        "switch boxes": Thing(at_the_slots(pieces.switch_box()), "[switch-box]"),
        "switches": Thing(at_the_slots(switches(microswitch.body())), "[microswitch]"),
        "switches' terminals": Thing(at_the_slots(switches(microswitch.terminals())), "[microswitch]"),
        "switches' arms": Thing(at_the_slots(switches(union(arm))), "[microswitch] and [slot]"),
    }


def what_reads_cards(pieces: Placed, pi: Pi, antenna: Antenna) -> Things:
    """Return two card readers: RC522 on a breadboard, or others on a Pi Zero's hub or in a larger Pi's sockets."""
    floor, (wide, deep, high) = measures("shell")["floor"], measures("antenna")[antenna]
    middle = antenna_middle(antenna)
    under_sticker = block(wide, deep, high).translate((0, middle, under_side() - high))
    things = {
        "antenna trays": Thing(at_the_slots(pieces.antenna_tray()), "[antenna]"),
        "antennas": Thing(at_the_slots(under_sticker), f"`{antenna}` below [antenna]"),
    }
    if antenna == "rc522":
        long, across, thick = measures("antenna")["rc522_plug"]
        behind = (0, middle + (deep + across) / 2 + HAIR, under_side() - high)
        plugs = at_the_slots(block(long, across, thick).translate(behind))
        board = _lying("breadboard", "unit", "breadboard")
        return things | {"plugs of the readers": Thing(plugs, "`rc522_plug` below [antenna]"), "breadboard": board}
    for number, name in enumerate(("first", "second")):
        things[f"{name} reader's board"] = _lying("reader-board", "unit", "reader_boards", number)
    place = banker_unit.pi_place(pi)
    if pi == "pi-3-4-5":
        return things | {"USB adapters": Thing(_in_its_sockets(pi, place, floor), f"[usb-adapter] and [{pi}]")}
    for number, name in enumerate(("first", "second")):
        things[f"{name} USB adapter"] = _lying("usb-adapter", "unit", "usb_adapters", number)
    plug = _plug(pi, place, floor, measures(pi)["usb_from_middle"])
    return things | {
        "USB hub": _lying("usb-hub", "unit", "usb_hub"),
        "USB hub's plug": Thing(plug, f"`usb_from_middle` below [{pi}] and [usb-plug]"),
    }


def on_the_panel() -> Things:
    """Return what is on the unit's panel, and the openings in it extended upwards."""
    height = measures("unit")["outside"][2]
    said_by = {
        "display's window": "`display` below [unit] and `bezel` below [display]",
        "slit of the keypad's plug": "`keypad_from_front` below [unit] and [keypad]",
        "+": "`sign` and `sign_from_front` below [unit]",
        "−": "`sign` and `sign_from_front` below [unit]",
    }
    things = {"keypad's foil": _keypad(height)}
    for name, cut in banker_unit.panel_openings().items():
        whole = union(block(wide, deep, 1).translate((x, y, height)) for x, y, wide, deep in cut)
        things[name] = Thing(whole, said_by[name])
    holes = at(rod(measures("block")["grille_hole"], 1), banker_unit.speaker_holes(), height)
    return things | {"speaker's holes": Thing(holes, "`speaker` below [unit] and [speaker]")}


def in_the_apple(pieces: Placed, turned: float, pulled: float) -> Things:
    """Return everything in the worm apple with its cam *turned* by so many degrees and its lever *pulled* so far."""
    dims, floor = measures("apple"), measures("shell")["floor"]
    pressed = measures("microswitch")["operates_at"] - measures("lever")["pressed"]
    cam = worm_apple.cam_height()
    flat_end = dims["worm"][0] / 2 * dims["stroke"] / 2 / max(away for _, away in dims["rings"])
    plate = pieces.plate(turned).translate((0, 0, cam + HAIR))
    return {
        "shell": Thing(pieces.shell("apple"), "[apple] and [shell]"),
        "base": Thing(pieces.base("apple").translate((0, 0, -HAIR)), "[apple] and [shell]"),
        "lever": Thing(pieces.lever(pulled), "[lever]"),
        "lever's switch": Thing(lever_switch(microswitch.body()), "`switch` below [lever] and [microswitch]"),
        "arm of the lever's switch": Thing(
            lever_switch(microswitch.lever(pressed)), "`switch` below [lever] and [microswitch]"
        ),
        "motor": Thing(bought.motor(turned).translate((0, 0, worm_apple.motor_height())), "[motor]"),
        "Pi": Thing(bought.pi("pi-zero").translate((*dims["pi"], 0)), "`pi` below [apple] and [pi-zero]"),
        "supply's plug": Thing(_supply("pi-zero", dims["pi"], floor), "`pi` below [apple], [pi-zero] and [usb-plug]"),
        "speaker": Thing(
            bought.speaker().translate((*dims["speaker"], floor)), "`speaker` below [apple] and [speaker]"
        ),
        "solder board": _lying("solder-board", "apple", "solder_board"),
        "amplifier": _lying("amplifier", "apple", "amplifier"),
        "cam": Thing(pieces.cam(turned).translate((0, 0, cam)), "[cam]"),
        "wobble plate": Thing(plate, "`rings` below [apple] and [cam]"),
        "worms": Thing(worms(turned).translate((0, 0, flat_end + 3 * HAIR)), "`worm` and `rings` below [apple]"),
    }


def solids(things: Things) -> dict[str, Manifold]:
    """Return the solids of *things*."""
    return {name: thing.solid for name, thing in things.items()}


def _lying(section: str, housing: str, name: str, number: int | None = None) -> Thing:
    """Return a bought part on the base of a *housing*, at the measure *name*, or at one of the places in it."""
    place = measures(housing)[name] if number is None else measures(housing)[name][number]
    solid = bought.boxed(section).translate((*place, measures("shell")["floor"]))
    return Thing(solid, f"`{name}` below [{housing}] and [{section}]")


def _keypad(height: float) -> Thing:
    before = measures("unit")["keypad_from_front"]
    return Thing(bought.keypad().translate((0, before, height)), "`keypad_from_front` below [unit] and [keypad]")


def _supply(pi: Pi, place: Place, floor: float, plug: str = "usb-plug") -> Manifold:
    return _plug(pi, place, floor, measures(pi)["supply_from_middle"], plug)


def _plug(pi: Pi, place: Place, floor: float, from_middle: float, plug: str = "usb-plug") -> Manifold:
    x, y = place
    back = y + measures(pi)["depth"] / 2 + HAIR
    return bought.plug(plug).translate((x + from_middle, back, floor + measures(pi)["standoff"]))


def _in_its_sockets(pi: Pi, place: Place, floor: float) -> Manifold:
    dims, long = measures(pi), measures("usb-adapter")["size"][0]
    x, y = place
    left = x - (dims["width"] + long) / 2
    return block(long, dims["depth"], dims["above"]).translate((left, y, floor + dims["standoff"]))


def _filled(pieces: Placed) -> Iterator[Filled]:
    width, depth, height = measures("unit")["outside"]
    panel = between((-width / 2, 0, 0), (width / 2, depth, height + 1))
    yield "unit", panel, on_the_panel()
    whole = {name: (pieces.base(name) + pieces.shell(name)).hull() for name in PIECES if "shell" in PIECES[name]}
    for pi in get_args(Pi):
        for box in get_args(Box):
            yield box, whole[box], in_the_box(pieces, box, pi)
        yield "unit", whole["unit"], {**in_every_unit(pieces, pi), **what_feels_cards(pieces)}
        for antenna in get_args(Antenna):
            yield "unit", whole["unit"], {**in_every_unit(pieces, pi), **what_reads_cards(pieces, pi, antenna)}
    for turned in TURNED:
        yield "apple", whole["apple"], in_the_apple(pieces, turned, 0)
    for part in PULLED:
        yield "apple", whole["apple"], in_the_apple(pieces, 0, part * measures("lever")["travel"])
