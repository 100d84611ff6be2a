"""What the measures of the housings have to be to each other, and why.

`hardware.making.housings.inequality` tells how it is written. Of what is not here the pieces themselves tell, and what
goes inside them: `hardware.making.housings.possible`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from hardware.making.housings.measures import FILE, MeasureError, measures
from hardware.making.housings.raspberry_pi import Pi

Relations = Mapping[str, Sequence[str]]
"""Why it is so, and what has to be so."""

BELOW_PANEL = "card.thickness + bumps.height + slot.bump_clearance + slot.bottom"
"""How thick a slot is below the ribs that a card slides along: `card_slot.under_side`."""

BELOW_BOX = (
    "card.thickness + slot.clicks_at + microswitch.operates_at + microswitch.hole_above_bottom + switch-box.turns"
)
"""How far below these ribs a switch that is lowered ends: `switch_box.bottom`."""

BASES: Relations = {
    "a base has to go into its shell": ["printer.gap >= 0.05"],
    "the rim of a base is as thick as a wall": ["shell.wall >= 2 printer.gap"],
    "our slopes are at 45°": ["printer.steepest >= 45", "90 >= printer.steepest"],
    "a wall is two lines of a nozzle of 0.4 mm": ["shell.wall >= 0.8"],
    "a rim has to reach in, and not up to what is inside": ["shell.rim >= 1", "unit.outside.2 >= 4 shell.rim"],
    "a screw's head goes into a base and leaves 1.2 mm to hold": [
        "shell.floor >= 1.2 + 0.5 screw.m3_countersunk - 0.5 screw.m3_hole",
        "shell.floor >= 1.2 + screw.m3_head.1",
        "screw.m3_countersunk >= screw.m3_head.0",
        "screw.m3_head.0 >= 1 + screw.m3_hole",
    ],
    "what carries the display is below its panel": ["display.bezel.2 >= 1 + shell.floor"],
    "a pillar for a screw stands in each corner": ["1.414 shell.wall + 0.207 screw.pillar >= 0.414 shell.corner"],
    "an M3 screw goes through its hole, and cuts a thread in the narrower ones": [
        "screw.m3_hole >= 3.1",
        "screw.m3_pilot >= 2",
        "2.9 >= screw.m3_pilot",
    ],
    "an M2.5 screw cuts a thread in its hole": ["screw.m2_5_pilot >= 1.6", "2.4 >= screw.m2_5_pilot"],
    "around a screw is plastic": [
        "screw.pillar >= 2.4 + screw.m3_hole",
        "screw.pillar >= 4.4 + screw.m3_pilot",
        "block.outside.1 >= 2 shell.wall + 2 screw.pillar + pi-zero.depth",
    ],
}

A_PI: Relations = {
    "a Pi's holes are in its board": [
        f"PI.{side} >= PI.holes_apart.{axis} + PI.hole {sign} 2 PI.holes_from_middle.{axis}"
        for axis, side in enumerate(("width", "depth"))
        for sign in "+-"
    ],
    "the feet of a Pi are apart": ["PI.holes_apart.0 >= 1 + 2 PI.hole", "PI.holes_apart.1 >= 1 + 2 PI.hole"],
    "an M2.5 screw goes through the board, and its head does not": ["PI.hole >= 2.5", "4.5 >= PI.hole"],
    "3 mm of a screw of 6 mm are in a foot": ["3 >= PI.board"],
    "solder joints have room below a board": ["PI.standoff >= 1.5"],
    "the supply's socket is at the board": [
        "0.5 PI.width >= PI.supply_from_middle",
        "0.5 PI.width + PI.supply_from_middle >= 0",
    ],
}

BOUGHT: Relations = {
    "a Pi Zero's USB socket is at its board": [
        "0.5 pi-zero.width >= pi-zero.usb_from_middle",
        "0.5 pi-zero.width + pi-zero.usb_from_middle >= 0",
    ],
    "a speaker is a rim with a magnet behind it": [
        "speaker.diameter >= speaker.magnet",
        "speaker.deep >= speaker.rim",
    ],
    "a speaker has several holes before it, and a nozzle can make them": [
        "speaker.diameter >= 6 + 3 block.grille_hole",
        "block.speaker >= 6 + 3 block.grille_hole",
        "speaker.diameter >= 6 + 3 apple.grille_hole",
        "block.grille_hole >= 1",
        "apple.grille_hole >= 1",
    ],
    "a display's bezel is on its board, and its holes are in the corners beside that": [
        "display.board.0 >= display.bezel.0",
        "display.board.1 >= display.bezel.1",
        "display.board.0 >= 2.5 + display.holes_apart.0",
        "display.board.1 >= 2.5 + display.holes_apart.1",
        "display.holes_apart.0 >= display.bezel.0",
        "display.holes_apart.1 >= display.bezel.1",
    ],
    "around the screw of a display is plastic": ["display.pillar >= 1.6 + screw.m2_5_pilot"],
    "a keypad's plug goes through a slit behind its foil, no wider than that": [
        "keypad.foil.0 >= keypad.plug.0 + 2 printer.gap",
        "keypad.plug.0 >= 3",
        "keypad.plug.1 >= 1",
    ],
    "a switch's holes are in its body": [
        "microswitch.body.0 >= microswitch.hole_from_hinge_end + microswitch.holes_apart + 0.5 microswitch.hole",
        "microswitch.hole_from_hinge_end >= 0.5 microswitch.hole",
        "microswitch.hole_above_bottom >= 0.5 microswitch.hole",
        "microswitch.body.2 >= microswitch.hole_above_bottom + 0.5 microswitch.hole",
        "microswitch.holes_apart >= 1 + microswitch.hole",
    ],
    "a switch's screw, M2, goes through its hole": ["microswitch.hole >= microswitch.screw", "microswitch.screw >= 2"],
    "a switch clicks while its roller is above its body, and lets go before the roller is free": [
        "microswitch.operates_at + microswitch.hole_above_bottom >= microswitch.body.2 + microswitch.overtravel",
        "microswitch.operates_at >= microswitch.roller.0",
        "microswitch.free_at_most >= microswitch.operates_at + microswitch.travels_back",
        "microswitch.body.0 >= microswitch.roller_from_hole",
        "microswitch.body.1 + 2 switch-box.well_gap >= microswitch.roller.1 + 2 microswitch.bracket",
    ],
    "a switch's terminals are below its body, one behind the other, with room for a screw between two": [
        "microswitch.terminals.1 >= 3 + microswitch.terminals.0 + microswitch.terminal.1",
        "microswitch.terminals.2 >= microswitch.terminals.1 + microswitch.terminal.1",
        "microswitch.body.0 >= microswitch.terminals.2",
        "microswitch.body.1 >= microswitch.terminal.0",
    ],
    "a motor's holes and shaft are in its body, apart from each other": [
        "motor.body.1 >= 3 + motor.holes.1",
        "motor.holes.1 >= 2 + screw.m3_pilot",
        "motor.body.0 >= motor.shaft_from_end + motor.holes.0 + 0.5 motor.foot",
        "motor.holes.0 >= 1 + 0.5 motor.foot + motor.shaft.0",
        "motor.shaft_from_end >= 2 + motor.shaft.0",
        "motor.foot >= 2.4 + screw.m3_pilot",
    ],
    "a motor's screws go through it, hold, and end above the floor": [
        "motor.screw >= 4 + motor.body.2",
        "motor.shaft_long.1 + motor.free_below + motor.body.2 >= motor.screw",
    ],
}

BLOCK: Relations = {
    "a Pi, the plug of its supply and the pillars go between the block's walls": [
        "block.outside.0 >= pi-3-4-5.width + 4 shell.wall + 2 printer.gap",
        "block.outside.0 >= pi-zero.width + 4 shell.wall + 2 printer.gap",
        "block.outside.1 >= pi-3-4-5.depth + block.plug + 3 shell.wall + printer.gap",
    ],
    "the button's hole is in the top of the block": [
        "block.outside.0 >= 4 + block.button_hole + printer.gap + 2 shell.wall",
        "block.outside.1 >= 4 + block.button_hole + printer.gap + 2 shell.wall",
    ],
    "the speaker's holes and the lamp's are in the front of the block, one below the other": [
        "block.outside.0 >= block.speaker + 2 shell.wall + 2 screw.pillar",
        "block.outside.2 >= 12 + block.speaker + block.led_hole + printer.gap + 2 shell.floor",
        "14 >= block.led_hole + printer.gap",
    ],
    "a button, a lamp and a cable have to go into their holes": [
        "block.button_hole >= 3",
        "block.button.0 >= block.button_hole",
        "block.led_hole >= 1",
        *(f"{housing}.cable.{axis} >= 3" for housing in ("block", "apple") for axis in range(2)),
    ],
    "the hole for a cable is in a wall, between two pillars": [
        "block.outside.0 >= block.cable.0 + 4 shell.wall + 2 screw.pillar",
        "block.outside.2 >= 2 block.cable.1",
        "unit.outside.2 >= 2 block.cable.1 + 2 shell.floor",
        "apple.diameter >= 6 apple.cable.0",
    ],
}

SLOTS: Relations = {
    "two fingers hold a card that is in": ["card.length >= 8 + slot.card_goes_in"],
    "the sticker of a card that is in is behind the mouth, and so is the antenna below it": [
        "slot.card_goes_in >= sticker.from_upper_edge + 0.5 sticker.diameter + shell.wall",
        "slot.card_goes_in >= sticker.from_upper_edge + 0.5 antenna.coil.1 + shell.wall",
        "slot.card_goes_in >= sticker.from_upper_edge + 0.5 antenna.pn532.1 + shell.wall",
    ],
    "a card has play, and its bumps are over the switches all the same": [
        "slot.play >= 0.1",
        "slot.play_beside >= 0.1",
        "0.5 bumps.diameter >= 0.5 + slot.play_beside",
        "slot.clicks_at >= 0.1 + slot.play",
        "bumps.height >= 0.3 + slot.clicks_at",
        "slot.clicks_at + microswitch.overtravel >= bumps.height",
    ],
    "the rails of a slot are beside a card's bumps, and carry its edges": [
        "0.5 card.width >= slot.rail + |bumps.places.0| + 0.5 bumps.diameter",
        "0.5 card.width >= slot.rail + |bumps.places.2| + 0.5 bumps.diameter",
        "slot.rail >= 1 + 2 slot.play_beside",
    ],
    "below a card's bumps is room, and a floor of two layers or more": [
        "slot.bump_clearance >= 0.1",
        "slot.bottom >= 0.4",
        "antenna.bottom >= 0.4",
    ],
    "the screws of a slot, 10 mm long, hold in the ribs of the panel and do not come out of it": [
        f"10 >= 4 + {BELOW_PANEL}",
        f"slot.below_panel + shell.floor + {BELOW_PANEL} >= 10.8",
    ],
    "the screws of a tray, 20 mm long, hold in the ribs of the panel and do not come out of it": [
        f"20 >= 4 + antenna.height + {BELOW_PANEL}",
        f"slot.below_panel + shell.floor + antenna.height + {BELOW_PANEL} >= 20.8",
    ],
    "the screws of a switch box, 30 mm long, hold in the ribs of the panel and do not come out of it": [
        f"30 >= 4 + switch-box.bridge.1 + {BELOW_BOX}",
        f"slot.below_panel + shell.floor + switch-box.bridge.1 + {BELOW_BOX} >= 30.8",
    ],
    "a slot's screws are beside the card and the antenna, and in its length": [
        *(f"|slot.screws.{one}.0| >= 0.5 card.width + slot.play_beside + 0.5 screw.m3_hole" for one in range(4)),
        *(
            f"|slot.screws.{one}.0| >= 0.5 antenna.{antenna}.0 + printer.gap + shell.wall + 0.5 screw.m3_hole"
            for one in range(2)
            for antenna in ("coil", "pn532")
        ),
        *(f"slot.screws.{one}.1 >= 0.5 screw.pillar + shell.wall" for one in range(4)),
        *(f"slot.card_goes_in + shell.wall >= slot.screws.{one}.1 + 0.5 screw.pillar" for one in range(4)),
    ],
    "wires go out of a tray, and an antenna does not": [
        "antenna.wires >= 2",
        "antenna.coil.0 >= 10 + antenna.wires",
        "antenna.pn532.0 >= 10 + antenna.wires",
    ],
    "an antenna lies in its tray": [
        "antenna.height >= antenna.bottom + antenna.coil.2",
        "antenna.height >= antenna.bottom + antenna.pn532.2",
    ],
    "a switch box has a wall between two switches, and goes no further than the card": [
        "bumps.places.1 >= 0.8 + bumps.places.0 + microswitch.body.1 + 2 switch-box.well_gap",
        "bumps.from_upper_edge >= 0.5 microswitch.roller.0 + switch-box.end_gap",
    ],
    "a switch turns on its pin, and a screw lifts and lowers it by 0.8 mm or more": [
        "switch-box.turns >= 0.8",
        "microswitch.roller_from_hole >= 2 switch-box.turns",
        "microswitch.hole >= switch-box.pin + 2 switch-box.pin_gap",
        "switch-box.pin >= 1",
        "switch-box.pin_gap >= 0.05",
        "switch-box.well_gap >= 0.05",
        "switch-box.end_gap >= 0.2",
    ],
    "around the screw that sets a switch is plastic": ["switch-box.bridge.0 >= 2 + screw.m3_pilot"],
}

UNIT: Relations = {
    "a slot is as far from the middle as the other one, the left one first": [
        "unit.slots.0 + unit.slots.1 >= 0",
        "0 >= unit.slots.0 + unit.slots.1",
    ],
    "two antennas disturb each other when they are nearer than `apart` below [antenna]": [
        "unit.slots.1 >= unit.slots.0 + antenna.apart + antenna.coil.0",
        "unit.slots.1 >= unit.slots.0 + antenna.apart + antenna.pn532.0",
    ],
    "both slots go beside each other into the front of the unit, between its pillars": [
        "unit.slots.1 >= 1 + 0.5 card.width + slot.play_beside + shell.wall + printer.gap",
        "unit.outside.0 >= 2 unit.slots.1 + card.width + 2 slot.play_beside + 4 shell.wall + 2 printer.gap"
        " + 2 screw.pillar",
        *(
            f"unit.outside.0 >= 2 unit.slots.1 + 2 |slot.screws.{one}.0| + screw.pillar + 2 shell.wall"
            for one in range(4)
        ),
    ],
    "slots, a Pi and the plug of its supply are behind each other in the unit": [
        "unit.outside.1 >= slot.card_goes_in + pi-3-4-5.depth + unit.pi.1 + 2 shell.wall",
        "unit.outside.1 >= slot.card_goes_in + pi-zero.depth + unit.pi.1 + 2 shell.wall",
    ],
    "a card, a switch and the box around it are below each other in the unit": [
        f"unit.outside.2 >= 2 shell.floor + slot.below_panel + switch-box.bridge.1 + {BELOW_BOX}",
        f"unit.outside.2 >= 2 shell.floor + slot.below_panel + antenna.height + {BELOW_PANEL}",
        f"unit.outside.2 >= 5 + 2 shell.floor + slot.below_panel + printer.gap + {BELOW_PANEL}",
        "90 >= unit.outside.2",
    ],
    "a + and a − can be seen, and are in the panel": [
        "unit.sign.0 >= 1 + unit.sign.1",
        "unit.sign.1 >= 0.8",
        "unit.sign_from_front >= 1 + 0.5 unit.sign.0",
    ],
}

CAM: Relations = {
    "the motor's shaft goes into the cam's socket to its end, and turns it": [
        "cam.socket >= 4",
        "motor.shaft_long.0 >= cam.socket + cam.above_motor - 0.5",
        "cam.socket + cam.above_motor >= motor.shaft_long.0 - 0.5",
        "motor.shaft.0 >= motor.shaft.1 + 4 motor.fit",
        "cam.diameter >= 2.4 + motor.shaft.0 + 2 motor.fit",
    ],
    "around the cam's spindle lies the plate, and a washer of 12 mm keeps it there": [
        "cam.diameter >= 4 + cam.spindle",
        "cam.spindle >= 2.4 + screw.m3_pilot",
        "11 >= cam.spindle + 2 cam.gap",
        "cam.gap >= 0.05",
        "cam.plate >= 1",
        "cam.hub >= 2",
        "cam.above_socket >= 1",
    ],
    "the plate's tongue does not turn far between its posts": [
        "cam.tongue.0 >= 2 cam.tongue_gap",
        "cam.tongue_gap >= 0.5",
    ],
}

LEVER: Relations = {
    "a lever is pulled, and stopped before the front": [
        "lever.travel >= 10",
        "0.5 apple.diameter + lever.stop >= 2 shell.wall + printer.gap",
    ],
    "the lever's foot runs in its rails": ["lever.foot.0 >= 2 + printer.gap", "lever.foot.1 >= lever.bar.0"],
    "a screw for the rubber band is in the lever": ["lever.bar.0 >= 3 + screw.m3_pilot", "lever.bar.1 >= 3"],
    "the knob does not go through the slit of the bar": [
        "lever.knob.0 >= 4 + lever.bar.0 + 2 printer.gap",
        "lever.knob.1 >= 2",
        "2 apple.edge >= shell.wall",
    ],
    "the lever's nose presses the switch, and lets it go": [
        "lever.nose >= 1 + lever.pressed + microswitch.travels_back",
        "microswitch.overtravel >= lever.pressed",
    ],
    "the slits for the switch's screws are in what it lies on": [
        "microswitch.hole_above_bottom >= 0.2 + lever.switch_slit + 0.5 microswitch.screw",
        "lever.switch_slit >= 0.8",
    ],
}

APPLE: Relations = {
    "the hole for a cable is in the apple's wall": ["apple.worm.1 >= 2 apple.cable.1"],
    "worms go through their holes": ["apple.worm.0 >= 3", "apple.hole_gap >= 0.1", "apple.collar.0 >= 0.8"],
    "the screws of the base are in it": ["0.5 apple.diameter >= 1 + apple.screws + 0.5 screw.m3_countersunk"],
}

WASHER = 12
"""Millimetres: it keeps the plate on the cam, and worms stand around it."""

MOST_RINGS = 20
"""Of worms: more than a bed has room for."""

BEYOND = 2
"""Millimetres of the plate beyond the outer worms: `wobble.plate_radius`."""


def relations() -> Iterator[tuple[str, str]]:
    """Why it has to be so, and what. Raises ``MeasureError`` for rings of worms that are none."""
    for some in (BASES, _pi("pi-zero"), _pi("pi-3-4-5"), BOUGHT, BLOCK, SLOTS, UNIT, _worms(), APPLE, CAM, LEVER):
        for why, wanted in some.items():
            yield from ((why, one) for one in wanted)


def _pi(pi: Pi) -> Relations:
    return {why: [one.replace("PI.", f"{pi}.") for one in wanted] for why, wanted in A_PI.items()}


def _worms() -> Relations:
    """What depends on how many worms there are in which ring."""
    rings = measures("apple")["rings"]
    if not 1 <= len(rings) <= MOST_RINGS or any(count < 1 or count != int(count) for count, _ in rings):
        raise MeasureError(
            f"`rings` below [apple] in {FILE.name} needs a ring or more, {MOST_RINGS} at the most, "
            "each with its worms: 1, 2, 3 …"
        )
    from_inside = sorted(range(len(rings)), key=lambda ring: rings[ring][1])
    inner, outer = from_inside[0], from_inside[-1]
    wide, half = "apple.worm.0 + 2 apple.hole_gap + 2 apple.collar.0", "0.5 apple.worm.0"
    slope = (measures("apple")["worm"][0] / 2 + BEYOND) / 2 / max(rings[outer][1], BEYOND)
    beside_each_other = {
        f"{count:g} worms in a ring have room beside each other": [
            f"{2 * math.sin(math.pi / count):.4f} apple.rings.{ring}.1 >= {wide}"
        ]
        for ring, (count, _) in enumerate(rings)
        if count > 1
    }
    return beside_each_other | {
        "two rings of worms have room beside each other": [
            f"apple.rings.{after}.1 >= apple.rings.{ring}.1 + {wide}" for ring, after in pairwise(from_inside)
        ],
        "worms stand around the cam's washer": [f"apple.rings.{inner}.1 >= {WASHER / 2} + {half}"],
        "the outer worms come out of the top within its edge": [
            f"0.5 apple.diameter >= apple.rings.{outer}.1 + {half} + apple.hole_gap + apple.collar.0 + apple.edge"
        ],
        "the plate and its tongue, and the posts beside that, are within the wall": [
            f"0.5 apple.diameter >= apple.rings.{outer}.1 + {half} + {BEYOND} + cam.tongue.1 + shell.wall",
            "cam.tongue.1 >= 4",
        ],
        "a worm that is down shows, one that is up stays in its collar, and the collar is long enough to guide it": [
            f"apple.worm.1 >= apple.shows + {1 + slope:.4f} apple.stroke + shell.floor + cam.above_motor"
            " + 0.25 apple.worm.0"
        ],
    }
