"""A box with a button on top: a shell, and a base that carries the Pi. The question block, and the speed die."""

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
from hardware.making.housings.box import Box, base_screws, pi_from_middle, row_screws, vent_row
from hardware.making.housings.measures import measures
from hardware.making.housings.places import in_a_disc
from hardware.making.housings.raspberry_pi import Pi


def shell(box: Box) -> Solid:
    """Return the shell, lying on its top as it is printed. Only small round holes need bridging."""
    dims, made, gap = measures("block"), measures("shell"), measures("printer")["gap"]
    (width, depth, height), wall, floor = measures(box)["outside"], made["wall"], made["floor"]
    (button_x, button_y), speaker_x = measures(box)["button_place"], measures(box)["speaker_place"]
    whole = plate(width, depth, height, made["corner"])
    pillars = at(rod(measures("screw")["pillar"], height - floor), base_screws(box), floor)
    body = whole - Pos(0, 0, floor) * plate(width - 2 * wall, depth - 2 * wall, FAR, made["corner"] - wall)
    body += [whole & pillar for pillar in pillars]
    body -= at(Rot(180, 0, 0) * insert_hole(), base_screws(box), height)
    body -= Pos(-button_x, button_y) * rod(dims["button_hole"] + gap, floor)
    front = Pos(-speaker_x, -depth / 2, height / 2)
    places = in_a_disc(dims["speaker"] - 6, dims["grille_hole"], 1.6 * dims["grille_hole"])
    body -= [front * Pos(x, 0, z) * diamond(dims["grille_hole"], 3 * wall) for x, z in places]
    if box == "block":
        body -= front * Pos(0, 0, -dims["speaker"] / 2 - 5) * lying(dims["led_hole"] + gap, 3 * wall)
    else:
        body = _with_window(body)
    room, *heights = vent_row(box)
    slits = [Pos(x, (depth - wall) / 2, 0) * slit(*heights) for x in vents.places(room)]
    body -= slits + [Pos((depth - width) / 2, 0, 0) * Rot(0, 0, 90) * one for one in slits]
    cable, high = dims["cable"]
    return body - Pos(0, depth / 2, height - high) * block(cable, 4 * wall, high)


def _with_window(body: Solid) -> Solid:
    # LED modules lie behind a lip, in a pocket of the top, below the washers of screws in posts
    (covers, thick), (wide, deep, high) = measures("die")["lip"], measures("led-modules")["row"]
    floor, screw, gap = measures("shell")["floor"], measures("screw"), 2 * measures("printer")["gap"]
    body += at(rod(screw["pillar"], thick + high - 1), row_screws())
    body -= at(rod(screw["m3_pilot"], FAR), row_screws(), floor)
    middle = Pos(0, measures("die")["row"], 0)
    body -= middle * block(wide - 2 * covers, deep - 2 * covers, FAR)
    return body - middle * Pos(0, 0, thick) * block(wide + gap, deep + gap, FAR)


def base(box: Box, pi: Pi = "pi-zero") -> Solid:
    """Return the base, with four feet for a *pi* and a rim that centres it in the shell."""
    made = measures("shell")
    (width, depth, _), wall, floor = measures(box)["outside"], made["wall"], made["floor"]
    aside, corner = wall + measures("printer")["gap"], made["corner"]
    rim = plate(width - 2 * aside, depth - 2 * aside, floor + made["rim"], corner - wall)
    rim -= plate(width - 2 * (aside + wall), depth - 2 * (aside + wall), FAR, corner - wall)
    rim -= at(rod(measures("screw")["pillar"] + 6, FAR), base_screws(box))
    body = on_feet(plate(width, depth, floor, corner) + rim, pi, (0, pi_from_middle(box, pi)))
    body -= countersunk(base_screws(box))
    return body - Pos(0, depth / 2, floor) * block(measures("block")["cable"][0], 8 * wall, FAR)
