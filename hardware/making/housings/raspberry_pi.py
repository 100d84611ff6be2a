"""Raspberry Pis: their feet, and the room that they take."""

from __future__ import annotations

from typing import Literal, get_args

from manifold3d import Manifold

from hardware.making.housings.measures import measures, require
from hardware.making.housings.solids import Place, at, block, corners, rod

Pi = Literal["pi-zero", "pi-3-4-5"]
"""A section of the measures. Pi 3, 4 and 5 have the same holes."""


def on_feet(base: Manifold, pi: Pi, place: Place, floor: float) -> Manifold:
    """Return *base* with four feet for a board with its middle at *place*. Each has a hole for an M2.5 screw."""
    dims = measures(pi)
    x, y = dims["holes_from_middle"]
    places = [(place[0] + x + right, place[1] + y + up) for right, up in corners(*dims["holes_apart"])]
    standing = base + at(rod(2 * dims["hole"], floor + dims["standoff"]), places)
    return standing - at(rod(measures("screw")["m2_5_pilot"], 99), places, 1)


def room(pi: Pi, floor: float) -> Manifold:
    """Return the room of a board on its feet, with everything on it."""
    dims = measures(pi)
    return block(dims["width"], dims["depth"], dims["board"] + dims["above"]).translate(
        (0, 0, floor + dims["standoff"])
    )


def check() -> None:
    """Raise ``MeasureError`` if a Pi's holes and sockets are not on its board, or its screws do not hold."""
    for pi in get_args(Pi):
        dims = measures(pi)
        hole, apart, aside = dims["hole"], dims["holes_apart"], dims["holes_from_middle"]
        for axis, side in enumerate(("width", "depth")):
            require(
                dims[side] >= apart[axis] + hole + 2 * abs(aside[axis]),
                f"a hole is not in the board. Increase [{pi}] {side} or decrease holes_apart, holes_from_middle or "
                "hole.",
            )
        require(min(apart) >= 1 + 2 * hole, f"the feet touch each other. Increase [{pi}] holes_apart or decrease hole.")
        require(2.5 <= hole <= 4.5, f"M2.5 screws do not hold the board. Set [{pi}] hole to 2.5 or more, up to 4.5.")
        require(dims["board"] <= 3, f"a 6 mm screw does not hold. Decrease [{pi}] board to 3 or less.")
        require(dims["standoff"] >= 1.5, f"solder joints need room. Increase [{pi}] standoff to 1.5 or more.")
        for socket in ("supply_from_middle", "usb_from_middle"):
            require(
                abs(dims.get(socket, 0)) <= dims["width"] / 2,
                f"a socket is not on the board. Move [{pi}] {socket} nearer to 0 or increase width.",
            )
