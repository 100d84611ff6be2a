"""The question block: a shell with the button on top, and a base that carries the Pi."""

from __future__ import annotations

from manifold3d import Manifold

from hardware.making.housings.measures import measures
from hardware.making.housings.raspberry_pi import Pi, on_feet
from hardware.making.housings.screws import countersunk
from hardware.making.housings.solids import Place, at, bar, block, corners, in_a_disc, plate, rod


def shell() -> Manifold:
    """The shell, lying on its top as it is printed: nothing hangs over but small round holes."""
    said, made, screw = measures("block"), measures("shell"), measures("screw")
    width, depth, height = said["outside"]
    wall, floor = made["wall"], made["floor"]
    body = plate(width, depth, height, made["corner"])
    inside = plate(width - 2 * wall, depth - 2 * wall, height, made["corner"] - wall).translate((0, 0, floor))
    body -= inside
    pillars = at(rod(screw["pillar"], height - floor), base_screws(), floor)
    body += pillars ^ plate(width, depth, height, made["corner"])
    body -= at(rod(screw["m3_pilot"], 14), base_screws(), height - 12)
    body -= rod(said["button_hole"] + measures("printer")["gap"], 3 * floor).translate((0, 0, -floor))
    middle = height / 2
    for x, z in in_a_disc(said["speaker"] - 6, said["grille_hole"], 1.6 * said["grille_hole"]):
        body -= bar(said["grille_hole"], 3 * wall, edges=4).translate((x, -depth / 2, middle + z))
    lamp = bar(said["led_hole"] + measures("printer")["gap"], 3 * wall)
    body -= lamp.translate((0, -depth / 2, middle - said["speaker"] / 2 - 5))
    cable, high = said["cable"]
    return body - block(cable, 4 * wall, high + 1).translate((0, depth / 2, height - high))


def base(pi: Pi = "pi-zero") -> Manifold:
    """The base, with four feet for a *pi* and a rim that centres it in the shell."""
    said, made, screw = measures("block"), measures("shell"), measures("screw")
    width, depth, _ = said["outside"]
    wall, floor, gap = made["wall"], made["floor"], measures("printer")["gap"]
    body = plate(width, depth, floor, made["corner"])
    outer = plate(width - 2 * (wall + gap), depth - 2 * (wall + gap), floor + made["rim"], made["corner"] - wall)
    rim = outer - plate(width - 4 * wall - 2 * gap, depth - 4 * wall - 2 * gap, 99, made["corner"] - wall)
    rim -= at(rod(screw["pillar"] + 6, 99), base_screws())
    body += rim
    body = on_feet(body, pi, (0, pi_from_middle(pi)), floor)
    body -= countersunk(base_screws())
    cable = said["cable"][0]
    return body - block(cable, 8 * wall, 99).translate((0, depth / 2, floor))


def pi_from_middle(pi: Pi) -> float:
    """How far behind the middle a *pi* stands. A long one moves forward, for the plug of its supply."""
    said = measures("block")
    room = said["outside"][1] / 2 - measures("shell")["wall"] - said["plug"]
    return min(0.0, float(room - measures(pi)["depth"] / 2))


def base_screws() -> list[Place]:
    """Where the base is screwed to the shell."""
    width, depth, _ = measures("block")["outside"]
    from_edge = 2 * (measures("shell")["wall"] + measures("screw")["pillar"] / 2)
    return corners(width - from_edge, depth - from_edge)
