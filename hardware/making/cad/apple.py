"""The worm apple: a shell with twenty holes, and a base that carries the motor, the lever and the Pi."""

from __future__ import annotations

import math

from build123d import Cone, Pos, Rot

from hardware.making.cad.mechanism import rails, switch_foot, switch_slits
from hardware.making.cad.solids import (
    FAR,
    STANDING,
    Solid,
    at,
    between,
    block,
    countersunk,
    insert_hole,
    on_feet,
    rod,
    slit,
    upside_down,
)
from hardware.making.housings import vents, wobble
from hardware.making.housings import worm_apple as apple
from hardware.making.housings.bought import motor_holes
from hardware.making.housings.lever import switch_middle
from hardware.making.housings.measures import measures


def shell() -> Solid:
    """Return the shell, lying on its top as it is printed.

    A collar guides each worm. A fence keeps fingers from the edge of the wobble plate, and two posts keep the plate
    from turning.
    """
    dims, made, screw, gap = measures("apple"), measures("shell"), measures("screw"), measures("printer")["gap"]
    wall, floor, high, lever = made["wall"], made["floor"], apple.height(), measures("lever")
    (thick, long), hole = dims["collar"], dims["worm"][0] + 2 * dims["hole_gap"]
    inside = _outline(wall) & rod(dims["diameter"], high - floor)
    body = (_outline(0) - inside) - rod(dims["diameter"], floor)
    body += at(rod(hole + 2 * thick, long), apple.holes(), high - floor - long)
    inner = [*at(rod(screw["pillar"], high - floor), apple.screws(), floor), _fence(), *_posts()]
    body += [_outline(0) & one for one in inner]
    body -= at(insert_hole(), apple.screws(), floor)
    body -= at(rod(hole, FAR), apple.holes(), high - floor - long)
    way = block(lever["bar"][0] + 2 * gap, 4 * dims["edge"], switch_middle() + lever["bar"][1] / 2 + gap)
    body -= Pos(0, -dims["diameter"] / 2, 0) * way
    room, *heights = apple.vent_row()
    opening = Pos(0, (dims["diameter"] - wall) / 2, 0) * slit(*heights)
    body -= [Rot(0, 0, math.degrees(2 * x / dims["diameter"])) * opening for x in vents.places(room)]
    return upside_down(body - _cable())


def base() -> Solid:
    """Return the base, as it is printed and as it stands."""
    dims, made = measures("apple"), measures("shell")
    wall, floor = made["wall"], made["floor"]
    inner = dims["diameter"] - 2 * (wall + measures("printer")["gap"])
    rim = rod(inner, floor + made["rim"]) - rod(inner - 2 * wall, FAR)
    rim -= at(rod(measures("screw")["pillar"] + 6, FAR), apple.screws())
    rim -= between((-inner / 6, -inner, 0), (inner / 6, 0, FAR))
    body = on_feet(rod(dims["diameter"], floor) + rim, "pi-zero", dims["pi"])
    body += [*_motor_feet(), rails(), switch_foot(), _band_post()]
    body -= at(rod(dims["grille_hole"], FAR), apple.speaker_holes())
    return body - countersunk(apple.screws()) - switch_slits() - _cable()


def _outline(less: float) -> Solid:
    # smaller by so much on each side; its upper edge slopes at 45°
    dims, high = measures("apple"), apple.height()
    radius, edge = dims["diameter"] / 2, dims["edge"]
    straight, top = high - edge - less * (math.sqrt(2) - 1), high - less
    sloping = Cone(radius - less, radius - less - (top - straight), top - straight, align=STANDING)
    return rod(2 * (radius - less), straight) + Pos(0, 0, straight) * sloping


def _fence() -> Solid:
    # as deep as the plate goes, and open where the plate's tongue is
    dims, thick = measures("cam"), measures("apple")["fence"][0]
    low, inner = apple.cam_height() + wobble.plate_bottom(wobble.plate_radius()), 2 * apple.fence_radius()
    high, half = apple.height() - measures("shell")["floor"] - low, dims["tongue"][0] / 2 + dims["tongue_gap"]
    ring = rod(inner + 2 * thick, high) - rod(inner, high)
    return Pos(0, 0, low) * (ring - between((-inner, -half, 0), (0, half, high)))


def _posts() -> list[Solid]:
    made, away = measures("shell"), measures("cam")["tongue"][0] / 2 + measures("cam")["tongue_gap"]
    outer, wall = measures("apple")["diameter"] / 2 - made["wall"] / 2, made["wall"]
    low, high = made["floor"] + made["rim"], apple.height() - made["floor"]
    return [between((-outer, y, low), (-apple.fence_radius(), y + wall, high)) for y in (away, -away - wall)]


def _motor_feet() -> list[Solid]:
    # so high that the motor's lower shaft is free
    dims, high = measures("motor"), apple.motor_height()
    half, (away, _), foot = dims["body"][1] / 2, dims["holes"], dims["foot"] / 2
    near = between((-dims["shaft_from_end"], -half, 0), (-dims["shaft"][0], half, high))
    far = between((away - foot, -half, 0), (away + foot, half, high))
    return [near, far - at(rod(measures("screw")["m3_pilot"], FAR), motor_holes(), measures("shell")["floor"] - 1)]


def _band_post() -> Solid:
    screw, floor = measures("screw"), measures("shell")["floor"]
    post = rod(screw["pillar"] - 2, switch_middle()) - Pos(0, 0, floor) * rod(screw["m3_pilot"], FAR)
    return Pos(0, measures("lever")["band_post"], 0) * post


def _cable() -> Solid:
    dims = measures("apple")
    wide, high = dims["cable"]
    return Pos(dims["pi"][0], dims["diameter"] / 2, measures("shell")["floor"]) * block(wide, 60, high)
