"""The worm apple: a shell with twenty holes, and a base that carries the motor, the lever and the Pi.

In place, its middle is at 0, 0, its front at the left of the y axis, and it stands on the height 0.
"""

from __future__ import annotations

import math

from manifold3d import Manifold, OpType

from hardware.making.housings import lever, wobble
from hardware.making.housings.bought import motor_holes
from hardware.making.housings.measures import measures
from hardware.making.housings.raspberry_pi import on_feet
from hardware.making.housings.screws import countersunk
from hardware.making.housings.solids import Place, at, between, block, in_a_disc, rod, round_edges, upside_down


def shell() -> Manifold:
    """The shell, lying on its top as it is printed."""
    return upside_down(shell_in_place())


def shell_in_place() -> Manifold:
    """The shell, where it is: a collar guides each worm, and two posts keep the wobble plate from turning."""
    said, made, screw, gap = measures("apple"), measures("shell"), measures("screw"), measures("printer")["gap"]
    wall, floor, high = made["wall"], made["floor"], height()
    body = outline(0) - outline(wall)
    body = (body ^ _round(said["diameter"], floor, high)) + (outline(0) ^ _round(said["diameter"], high - floor, high))
    thick, long = said["collar"][0], collar_length()
    hole = said["worm"][0] + 2 * said["hole_gap"]
    body += at(rod(hole + 2 * thick, long), holes(), high - floor - long)
    pillars = at(rod(screw["pillar"], high - floor), screws(), floor)
    body += (pillars + _posts()) ^ outline(0)
    body -= at(rod(screw["m3_pilot"], 12), screws(), floor)
    body -= at(rod(hole, 99), holes(), high - floor - long - 1)
    wide, _ = measures("lever")["bar"]
    slit = block(wide + 2 * gap, 4 * said["edge"], lever.switch_middle() + measures("lever")["bar"][1] / 2 + gap)
    return body - slit.translate((0, -said["diameter"] / 2, 0)) - _cable(floor)


def base() -> Manifold:
    """The base, as it stands and as it is printed: motor, lever, a switch, a Pi Zero, and a speaker that looks down."""
    said, made, gap = measures("apple"), measures("shell"), measures("printer")["gap"]
    wall, floor = made["wall"], made["floor"]
    inner = said["diameter"] - 2 * (wall + gap)
    rim = _round(inner, 0, floor + made["rim"]) - _round(inner - 2 * wall, 0, 99)
    rim -= at(rod(measures("screw")["pillar"] + 6, 99), screws())
    rim -= between((-inner / 6, -inner, 0), (inner / 6, 0, 99))
    body = _round(said["diameter"], 0, floor) + rim
    body = on_feet(body, "pi-zero", said["pi"], floor)
    body += motor_feet() + lever.rails() + lever.switch_feet() + _band_post()
    x, y = said["speaker"]
    hole = said["grille_hole"]
    places = in_a_disc(measures("speaker")["diameter"] - 6, hole, 1.6 * hole)
    body -= at(rod(hole, 99), [(x + right, y + up) for right, up in places])
    return body - countersunk(screws()) - lever.switch_holes() - _cable(floor)


def motor_feet() -> Manifold:
    """What the motor lies on, so high that its lower shaft is free: its two screws go in one of them."""
    said = measures("motor")
    wide, low = said["body"][1], motor_height()
    away, half = said["holes"][0], said["foot"] / 2
    near = between((-said["shaft_from_end"], -wide / 2, 0), (-said["shaft"][0], wide / 2, low))
    far = between((away - half, -wide / 2, 0), (away + half, wide / 2, low))
    return near + far - at(rod(measures("screw")["m3_pilot"], 99), motor_holes(), measures("shell")["floor"] - 1)


def motor_height() -> float:
    """The height of the motor's under side."""
    return float(measures("shell")["floor"] + measures("motor")["shaft_long"][1] + measures("motor")["free_below"])


def cam_height() -> float:
    """The height of the middle of the cam's sloping face."""
    return motor_height() + float(measures("motor")["body"][2] + measures("cam")["above_motor"]) + wobble.cam_height()


def height() -> float:
    """Of the whole apple: so that a worm that is down shows as much as it has to."""
    said = measures("apple")
    outer = max(away for _, away in said["rings"])
    lowest = cam_height() + wobble.plate_height(outer, 0, 0)
    return float(lowest + said["worm"][1] - said["shows"])


def collar_length() -> float:
    """Of what guides a worm: the plate's edge stays away from it when that is up."""
    highest = cam_height() + wobble.plate_height(wobble.plate_radius(), 180, 0)
    room = height() - measures("shell")["floor"] - highest - measures("cam")["above_motor"]
    return float(min(measures("apple")["collar"][1], room))


def holes() -> list[Place]:
    """Where the worms are."""
    polar = [
        (away, 360 * (number + 0.5) / count)
        for count, away in measures("apple")["rings"]
        for number in range(int(count))
    ]
    return [(away * math.cos(math.radians(angle)), away * math.sin(math.radians(angle))) for away, angle in polar]


def worms(turned: float = 0) -> Manifold:
    """All worms, standing on the plate when the cam is *turned*."""
    diameter, long = measures("apple")["worm"]
    polar = [(math.hypot(x, y), math.degrees(math.atan2(y, x))) for x, y in holes()]
    lifts = [cam_height() + wobble.plate_height(away, around, turned) for away, around in polar]
    standing = [rod(diameter, long).translate((x, y, up)) for (x, y), up in zip(holes(), lifts, strict=True)]
    return Manifold.batch_boolean(standing, OpType.Add)


def screws() -> list[Place]:
    """Where the base is screwed to the shell."""
    side = measures("apple")["screws"] / math.sqrt(2)
    return [(x, y) for x in (-side, side) for y in (-side, side)]


def outline(less: float) -> Manifold:
    """The apple's outline, smaller by *less* on each side: its upper edge slopes at 45°."""
    said, high = measures("apple"), height()
    radius, edge = said["diameter"] / 2, said["edge"]
    straight = high - edge - less * (math.sqrt(2) - 1)
    top = high - less
    upright = _round(2 * (radius - less), 0, straight)
    return upright + Manifold.cylinder(
        top - straight, radius - less, radius - less - (top - straight), circular_segments=round_edges(2 * radius)
    ).translate((0, 0, straight))


def _round(diameter: float, low: float, high: float) -> Manifold:
    return Manifold.cylinder(high - low, diameter / 2, circular_segments=round_edges(diameter)).translate((0, 0, low))


def _posts() -> Manifold:
    """Two, with the tongue of the wobble plate between them."""
    said, made = measures("cam"), measures("shell")
    wide, long = said["tongue"]
    away = wide / 2 + said["tongue_gap"]
    outer = measures("apple")["diameter"] / 2 - made["wall"] / 2
    inner = wobble.plate_radius() + long / 3
    post = between((-outer, away, made["floor"] + made["rim"]), (-inner, away + made["wall"], height() - made["floor"]))
    return post + post.mirror((0, 1, 0))


def _band_post() -> Manifold:
    screw, floor = measures("screw"), measures("shell")["floor"]
    high = lever.switch_middle() - floor
    post = rod(screw["pillar"] - 2, floor + high) - rod(screw["m3_pilot"], 99).translate((0, 0, floor))
    return post.translate((0, measures("lever")["band_post"], 0))


def _cable(floor: float) -> Manifold:
    """The hole for the supply's plug, behind the Pi."""
    said = measures("apple")
    wide, high = said["cable"]
    return block(wide, 60, high).translate((said["pi"][0], said["diameter"] / 2, floor))
