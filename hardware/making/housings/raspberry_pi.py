"""Places of a Raspberry Pi's holes, and whether its measures go together."""

from __future__ import annotations

from typing import Literal, get_args

from hardware.making.housings.measures import measures, require
from hardware.making.housings.places import Place, corners

Pi = Literal["pi-zero", "pi-3-4-5"]
"""A section of the measures. Pi 3, 4 and 5 have the same holes."""


def holes(pi: Pi, place: Place) -> list[Place]:
    """Return the places of the holes of a *pi* with its middle at *place*."""
    dims = measures(pi)
    x, y = dims["holes_from_middle"]
    return [(place[0] + x + right, place[1] + y + up) for right, up in corners(*dims["holes_apart"])]


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
