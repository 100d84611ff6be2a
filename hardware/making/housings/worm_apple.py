"""The worm apple: a shell with twenty holes, and a base that carries the motor, the lever and the Pi.

In place, its middle is at 0, 0, its front at negative y, and it stands at height 0.
"""

from __future__ import annotations

import math
from itertools import pairwise

from manifold3d import Manifold, OpType

from hardware.making.housings import lever, vents, wobble
from hardware.making.housings.bought import motor_holes
from hardware.making.housings.measures import measures, require
from hardware.making.housings.raspberry_pi import on_feet
from hardware.making.housings.screws import countersunk
from hardware.making.housings.solids import Place, at, between, block, in_a_disc, rod, round_edges, upside_down

MOST_RINGS = 20
"""Rings of worms: a bed has no room for more."""


def shell() -> Manifold:
    """Return the shell, lying on its top as it is printed."""
    return upside_down(shell_in_place())


def shell_in_place() -> Manifold:
    """Return the shell in place.

    A collar guides each worm. A fence keeps fingers from the edge of the wobble plate, and two posts keep the plate
    from turning.
    """
    dims, made, screw, gap = measures("apple"), measures("shell"), measures("screw"), measures("printer")["gap"]
    wall, floor, high = made["wall"], made["floor"], height()
    body = outline(0) - outline(wall)
    body = (body ^ _round(dims["diameter"], floor, high)) + (outline(0) ^ _round(dims["diameter"], high - floor, high))
    thick, long = dims["collar"]
    hole = dims["worm"][0] + 2 * dims["hole_gap"]
    body += at(rod(hole + 2 * thick, long), holes(), high - floor - long)
    pillars = at(rod(screw["pillar"], high - floor), screws(), floor)
    body += (pillars + _fence() + _posts()) ^ outline(0)
    body -= at(rod(screw["m3_pilot"], 12), screws(), floor)
    body -= at(rod(hole, 99), holes(), high - floor - long - 1)
    wide, _ = measures("lever")["bar"]
    slit = block(wide + 2 * gap, 4 * dims["edge"], lever.switch_middle() + measures("lever")["bar"][1] / 2 + gap)
    return body - slit.translate((0, -dims["diameter"] / 2, 0)) - _vents() - _cable(floor)


def base() -> Manifold:
    """Return the base, as it is printed and as it stands."""
    dims, made, gap = measures("apple"), measures("shell"), measures("printer")["gap"]
    wall, floor = made["wall"], made["floor"]
    inner = dims["diameter"] - 2 * (wall + gap)
    rim = _round(inner, 0, floor + made["rim"]) - _round(inner - 2 * wall, 0, 99)
    rim -= at(rod(measures("screw")["pillar"] + 6, 99), screws())
    rim -= between((-inner / 6, -inner, 0), (inner / 6, 0, 99))
    body = _round(dims["diameter"], 0, floor) + rim
    body = on_feet(body, "pi-zero", dims["pi"], floor)
    body += motor_feet() + lever.rails() + lever.switch_feet() + _band_post()
    x, y = dims["speaker"]
    hole = dims["grille_hole"]
    places = in_a_disc(measures("speaker")["diameter"] - 6, hole, 1.6 * hole)
    body -= at(rod(hole, 99), [(x + right, y + up) for right, up in places])
    return body - countersunk(screws()) - lever.switch_holes() - _cable(floor)


def motor_feet() -> Manifold:
    """Return the feet of the motor. They are so high that its lower shaft is free."""
    dims = measures("motor")
    wide, low = dims["body"][1], motor_height()
    away, half = dims["holes"][0], dims["foot"] / 2
    near = between((-dims["shaft_from_end"], -wide / 2, 0), (-dims["shaft"][0], wide / 2, low))
    far = between((away - half, -wide / 2, 0), (away + half, wide / 2, low))
    return near + far - at(rod(measures("screw")["m3_pilot"], 99), motor_holes(), measures("shell")["floor"] - 1)


def motor_height() -> float:
    """Return the height of the under side of the motor."""
    return float(measures("shell")["floor"] + measures("motor")["shaft_long"][1] + measures("motor")["free_below"])


def cam_height() -> float:
    """Return the height of the middle of the cam's face."""
    return motor_height() + float(measures("motor")["body"][2] + measures("cam")["above_motor"]) + wobble.cam_height()


def height() -> float:
    """Return the height of the apple, at which a worm that is down shows as much as it has to."""
    dims = measures("apple")
    outer = max(away for _, away in dims["rings"])
    lowest = cam_height() + wobble.plate_height(outer, 0, 0)
    return float(lowest + dims["worm"][1] - dims["shows"])


def above_plate() -> float:
    """Return the distance from the raised edge of the plate to the collars: the least of the motion."""
    inside = height() - measures("shell")["floor"]
    return float(inside - measures("apple")["collar"][1] - cam_height() - wobble.plate_top())


def fence_radius() -> float:
    """Return the inner radius of the fence, which the lowered edge of the plate does not touch."""
    return wobble.plate_edge()[1] + float(measures("apple")["fence"][1])


def holes() -> list[Place]:
    """Return the places of the worms."""
    polar = [
        (away, 360 * (number + 0.5) / count)
        for count, away in measures("apple")["rings"]
        for number in range(int(count))
    ]
    return [(away * math.cos(math.radians(angle)), away * math.sin(math.radians(angle))) for away, angle in polar]


def worms(turned: float = 0) -> Manifold:
    """Return all worms on the plate of a *turned* cam."""
    diameter, long = measures("apple")["worm"]
    polar = [(math.hypot(x, y), math.degrees(math.atan2(y, x))) for x, y in holes()]
    lifts = [cam_height() + wobble.plate_height(away, around, turned) for away, around in polar]
    standing = [rod(diameter, long).translate((x, y, up)) for (x, y), up in zip(holes(), lifts, strict=True)]
    return Manifold.batch_boolean(standing, OpType.Add)


def vent_row() -> vents.Row:
    """Return the row of slits around the back."""
    dims, made = measures("apple"), measures("shell")
    low = made["floor"] + max(dims["cable"][1], made["rim"]) + 3
    return dims["diameter"] * 0.4, low, height() - 2 * dims["edge"]


def screws() -> list[Place]:
    """Return the places of the screws that hold the base to the shell."""
    side = measures("apple")["screws"] / math.sqrt(2)
    return [(x, y) for x in (-side, side) for y in (-side, side)]


def outline(less: float) -> Manifold:
    """Return the outline of the apple, smaller by *less* on each side. Its upper edge slopes at 45°."""
    dims, high = measures("apple"), height()
    radius, edge = dims["diameter"] / 2, dims["edge"]
    straight = high - edge - less * (math.sqrt(2) - 1)
    top = high - less
    upright = _round(2 * (radius - less), 0, straight)
    return upright + Manifold.cylinder(
        top - straight, radius - less, radius - less - (top - straight), circular_segments=round_edges(2 * radius)
    ).translate((0, 0, straight))


def _round(diameter: float, low: float, high: float) -> Manifold:
    return Manifold.cylinder(high - low, diameter / 2, circular_segments=round_edges(diameter)).translate((0, 0, low))


def _vents() -> Manifold:
    dims, (room, low, high) = measures("apple"), vent_row()
    slit = vents.slit(low, high).translate((0, (dims["diameter"] - measures("shell")["wall"]) / 2, 0))
    turned = [math.degrees(2 * around / dims["diameter"]) for around in vents.places(room)]
    return Manifold.batch_boolean([slit.rotate((0, 0, angle)) for angle in turned], OpType.Add)


def _fence() -> Manifold:
    # as deep as the plate goes, and open where the plate's tongue is
    dims, thick = measures("cam"), measures("apple")["fence"][0]
    low, high, inner = cam_height() + wobble.plate_bottom(wobble.plate_radius()), height(), 2 * fence_radius()
    ring = _round(inner + 2 * thick, low, high - measures("shell")["floor"]) - _round(inner, 0, high)
    half = dims["tongue"][0] / 2 + dims["tongue_gap"]
    return ring - between((-inner, -half, 0), (0, half, high))


def _posts() -> Manifold:
    dims, made = measures("cam"), measures("shell")
    away = dims["tongue"][0] / 2 + dims["tongue_gap"]
    outer = measures("apple")["diameter"] / 2 - made["wall"] / 2
    post = between(
        (-outer, away, made["floor"] + made["rim"]), (-fence_radius(), away + made["wall"], height() - made["floor"])
    )
    return post + post.mirror((0, 1, 0))


def _band_post() -> Manifold:
    screw, floor = measures("screw"), measures("shell")["floor"]
    high = lever.switch_middle() - floor
    post = rod(screw["pillar"] - 2, floor + high) - rod(screw["m3_pilot"], 99).translate((0, 0, floor))
    return post.translate((0, measures("lever")["band_post"], 0))


def _cable(floor: float) -> Manifold:
    dims = measures("apple")
    wide, high = dims["cable"]
    return block(wide, 60, high).translate((dims["pi"][0], dims["diameter"] / 2, floor))


def check() -> None:
    """Raise ``MeasureError`` if the worms have no room, or the apple is too small for what is inside."""
    dims, wall = measures("apple"), measures("shell")["wall"]
    vents.check_row(vent_row(), "[apple] diameter")
    rings = sorted((away, count) for count, away in dims["rings"])
    require(
        1 <= len(rings) <= MOST_RINGS and all(count >= 1 and count == int(count) for _, count in rings),
        f"[apple] rings needs 1 to {MOST_RINGS} rings, each with 1, 2, 3 … worms.",
    )
    radius, (worm, worm_long), (inner, _), (outer, _) = dims["diameter"] / 2, dims["worm"], rings[0], rings[-1]
    cable_wide, cable_high = dims["cable"]
    wide = worm + 2 * dims["hole_gap"] + 2 * dims["collar"][0]
    narrower = "or decrease [apple] worm, hole_gap or collar"
    for away, count in rings:
        require(
            count == 1 or 2 * math.sin(math.pi / count) * away >= wide,
            f"{count:g} worms do not go into a ring. Put it further out or take fewer worms in [apple] rings, "
            f"{narrower}.",
        )
    for (one, _), (other, _) in pairwise(rings):
        require(other - one >= wide, f"two rings of worms touch. Move [apple] rings apart, {narrower}.")
    require(
        inner >= (wobble.WASHER + worm) / 2,
        "a worm stands on the cam's washer. Put the inner one of [apple] rings further out, or decrease worm.",
    )
    require(
        radius >= outer + wide / 2 + dims["edge"],
        "the outer worms do not come out of the flat top. Increase [apple] diameter, or decrease rings, edge, worm, "
        "hole_gap or collar.",
    )
    require(
        radius >= wobble.plate_radius() + measures("cam")["tongue"][1] + wall,
        "the wobble plate and its tongue reach the wall. Increase [apple] diameter, or decrease rings, worm, "
        "[cam] tongue or [shell] wall.",
    )
    require(
        dims["screws"] >= fence_radius() + dims["fence"][0] + measures("screw")["pillar"] / 2,
        "the pillars of the screws reach into the fence. Increase [apple] screws, or decrease rings, worm, fence or "
        "[screw] pillar.",
    )
    require(
        dims["collar"][1] >= worm / 4,
        "the collars are too short to guide the worms. Increase the second number of [apple] collar to a quarter of "
        "the first one of worm, or more.",
    )
    require(
        worm >= 3 and dims["hole_gap"] >= 0.1 and dims["collar"][0] >= 0.8,
        "worms jam. Increase [apple] worm to 3, hole_gap to 0.1, and collar to 0.8 or more.",
    )
    require(
        radius >= 1 + dims["screws"] + measures("screw")["m3_countersunk"] / 2,
        "the base's screws are not in it. Decrease [apple] screws or [screw] m3_countersunk, or increase "
        "[apple] diameter.",
    )
    require(
        min(cable_wide, cable_high) >= 3 and dims["diameter"] >= 6 * cable_wide and worm_long >= 2 * cable_high,
        "the cable's hole is too small, or larger than the wall. Set [apple] cable to 3 or more, or decrease it.",
    )
