"""The question block: a shell with the button on top, and a base that carries the Pi."""

from __future__ import annotations

from build123d import Pos, Rot

from hardware.making.cad.solids import (
    FAR,
    Solid,
    at,
    block,
    countersunk,
    diamond,
    insert_hole,
    lying,
    on_feet,
    plate,
    rod,
    slit,
)
from hardware.making.housings import vents
from hardware.making.housings.measures import measures
from hardware.making.housings.places import in_a_disc
from hardware.making.housings.question_block import base_screws, pi_from_middle, vent_row
from hardware.making.housings.raspberry_pi import Pi


def shell() -> Solid:
    """Return the shell, lying on its top as it is printed. Only small round holes need bridging."""
    dims, made, gap = measures("block"), measures("shell"), measures("printer")["gap"]
    (width, depth, height), wall, floor = dims["outside"], made["wall"], made["floor"]
    whole = plate(width, depth, height, made["corner"])
    pillars = at(rod(measures("screw")["pillar"], height - floor), base_screws(), floor)
    body = whole - Pos(0, 0, floor) * plate(width - 2 * wall, depth - 2 * wall, FAR, made["corner"] - wall)
    body += [whole & pillar for pillar in pillars]
    body -= at(Rot(180, 0, 0) * insert_hole(), base_screws(), height)
    body -= rod(dims["button_hole"] + gap, floor)
    front, middle = -depth / 2, height / 2
    places = in_a_disc(dims["speaker"] - 6, dims["grille_hole"], 1.6 * dims["grille_hole"])
    body -= [Pos(x, front, middle + z) * diamond(dims["grille_hole"], 3 * wall) for x, z in places]
    body -= Pos(0, front, middle - dims["speaker"] / 2 - 5) * lying(dims["led_hole"] + gap, 3 * wall)
    room, *heights = vent_row()
    slits = [Pos(x, (depth - wall) / 2, 0) * slit(*heights) for x in vents.places(room)]
    body -= slits + [Pos((depth - width) / 2, 0, 0) * Rot(0, 0, 90) * one for one in slits]
    cable, high = dims["cable"]
    return body - Pos(0, depth / 2, height - high) * block(cable, 4 * wall, high)


def base(pi: Pi = "pi-zero") -> Solid:
    """Return the base, with four feet for a *pi* and a rim that centres it in the shell."""
    dims, made = measures("block"), measures("shell")
    (width, depth, _), wall, floor = dims["outside"], made["wall"], made["floor"]
    aside, corner = wall + measures("printer")["gap"], made["corner"]
    rim = plate(width - 2 * aside, depth - 2 * aside, floor + made["rim"], corner - wall)
    rim -= plate(width - 2 * (aside + wall), depth - 2 * (aside + wall), FAR, corner - wall)
    rim -= at(rod(measures("screw")["pillar"] + 6, FAR), base_screws())
    body = on_feet(plate(width, depth, floor, corner) + rim, pi, (0, pi_from_middle(pi)))
    body -= countersunk(base_screws())
    return body - Pos(0, depth / 2, floor) * block(dims["cable"][0], 8 * wall, FAR)
