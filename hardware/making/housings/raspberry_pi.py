"""Raspberry Pis: the feet that they stand on, and the room that they take."""

from __future__ import annotations

from typing import Literal

from manifold3d import Manifold

from hardware.making.housings.measures import measures
from hardware.making.housings.solids import Place, at, block, corners, rod

Pi = Literal["pi-zero", "pi-3-4-5"]
"""A section of the measures. Pi 3, 4 and 5 have the same holes."""


def on_feet(base: Manifold, pi: Pi, place: Place, floor: float) -> Manifold:
    """*base* with four feet for a board whose middle is at *place*, and a hole for an M2.5 screw in each, which ends in
    the floor."""
    said = measures(pi)
    x, y = said["holes_from_middle"]
    places = [(place[0] + x + right, place[1] + y + up) for right, up in corners(*said["holes_apart"])]
    standing = base + at(rod(2 * said["hole"], floor + said["standoff"]), places)
    return standing - at(rod(measures("screw")["m2_5_pilot"], 99), places, 1)


def room(pi: Pi, floor: float) -> Manifold:
    """What a board and all that is on it lie within, on such feet."""
    said = measures(pi)
    return block(said["width"], said["depth"], said["board"] + said["above"]).translate(
        (0, 0, floor + said["standoff"])
    )
