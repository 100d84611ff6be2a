"""The banker unit: a shell with the panel, and a base that carries the Pi and most of the front."""

from __future__ import annotations

from build123d import Plane, Pos

from hardware.making.cad.solids import (
    FAR,
    Solid,
    at,
    between,
    block,
    countersunk,
    insert_hole,
    on_feet,
    plate,
    prism,
    rod,
    slit,
    upside_down,
)
from hardware.making.housings import banker_unit as unit
from hardware.making.housings import vents
from hardware.making.housings.card_slot import bump_places, inner_width, under_side
from hardware.making.housings.measures import measures
from hardware.making.housings.raspberry_pi import Pi


def shell() -> Solid:
    """Return the shell, lying on its panel as it is printed. Its front is open below the slots, for the base."""
    made, screw = measures("shell"), measures("screw")
    wall, floor, panel, roof = made["wall"], made["floor"], unit.panel(), unit.roof()
    height, opening = measures("unit")["outside"][2], unit.front_opening() / 2
    body = _outline(0, floor, height) - _outline(wall, floor, panel)
    body -= between((-opening, -1, 0), (opening, wall + 1, roof))
    body += [_outline(0, 0, height) & one for one in at(rod(screw["pillar"], panel - floor), unit.base_screws(), floor)]
    body += at(rod(screw["pillar"], panel - roof), unit.slot_screws(), roof)
    body += _ribs()
    display = measures("display")
    high = display["bezel"][2] - floor
    body += at(rod(display["pillar"], high), unit.display_screws(), panel - high)
    body -= at(insert_hole(), unit.base_screws(), floor)
    body -= at(rod(screw["m3_pilot"], panel - roof + floor - 0.8), unit.slot_screws(), roof)
    body -= at(rod(screw["m2_5_pilot"], panel + floor / 2), unit.display_screws())
    rectangles = [one for openings in unit.panel_openings().values() for one in openings]
    body -= [Pos(x, y, roof) * block(wide, deep, FAR) for x, y, wide, deep in rectangles]
    body -= at(rod(measures("block")["grille_hole"], FAR), unit.speaker_holes(), roof)
    room, *heights = unit.vent_row()
    body -= at(slit(*heights), [(x, measures("unit")["outside"][1] - wall / 2) for x in vents.places(room)])
    return upside_down(body - _cable())


def base(pi: Pi = "pi-zero") -> Solid:
    """Return the base with feet for a *pi*, as it is printed and as it stands."""
    made, gap = measures("shell"), measures("printer")["gap"]
    wall, floor = made["wall"], made["floor"]
    rim = _outline(wall + gap, 0, floor + made["rim"]) - _outline(2 * wall + gap, 0, FAR)
    rim -= at(rod(measures("screw")["pillar"] + 6, FAR), unit.base_screws())
    half, top = unit.front_opening() / 2 - gap, unit.roof() + under_side() - gap
    between_slots = min(abs(x) for x in measures("unit")["slots"]) - inner_width() / 2 - wall - gap
    body = _outline(0, 0, floor) + rim + between((-half, 0, 0), (half, wall, top))
    body += between((-between_slots, 0, 0), (between_slots, wall, unit.roof() - gap))
    gusset = [(0, floor), (wall + top / 3, floor), (wall, floor + top / 3), (0, floor + top / 3)]
    body += [prism(Plane.YZ, gusset, side * half / 2 - wall / 2, side * half / 2 + wall / 2) for side in (-1, 1)]
    return on_feet(body, pi, unit.pi_place(pi)) - countersunk(unit.base_screws()) - _cable()


def _outline(less: float, low: float, high: float) -> Solid:
    # the unit's outline, smaller by so much on each side
    width, depth, _ = measures("unit")["outside"]
    flat = plate(width - 2 * less, depth - 2 * less, high - low, measures("shell")["corner"] - less)
    return Pos(0, depth / 2, low) * flat


def _ribs() -> list[Solid]:
    wall, low, high = measures("shell")["wall"], unit.roof(), unit.panel()
    half, opening = inner_width() / 2, unit.front_opening() / 2
    places = [middle + x for middle in measures("unit")["slots"] for x in (wall - half, half - wall, *_bumps())]
    edge = between((-wall, 0, low), (wall, measures("slot")["card_goes_in"] + wall, high))
    return [*at(edge, [(x, 0) for x in places]), between((-opening, 0, low), (opening, wall, high))]


def _bumps() -> list[float]:
    return [x for x, _ in bump_places()]


def _cable() -> Solid:
    wide, high = measures("block")["cable"]
    depth, wall = measures("unit")["outside"][1], measures("shell")["wall"]
    return Pos(measures("unit")["pi"][0], depth, measures("shell")["floor"]) * block(wide, 8 * wall, high)
