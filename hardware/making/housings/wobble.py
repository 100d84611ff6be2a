"""What makes the worms rise and fall: a cam whose top slopes, and a plate on it that does not turn.

The cam's sloping face turns below the plate, so the plate's slope goes round while the plate itself only wobbles: a
worm anywhere on it rises and falls once in a turn, each at its own time, and nothing rubs but the hub in the middle.
"""

from __future__ import annotations

import math

from manifold3d import Manifold

from hardware.making.housings.measures import measures
from hardware.making.housings.solids import block, on_the_bed, rod, upside_down


def slope() -> float:
    """Of the cam, in degrees: as much as lifts the worms of the outer ring by their stroke."""
    said = measures("apple")
    return math.degrees(math.atan(said["stroke"] / 2 / max(away for _, away in said["rings"])))


def cam() -> Manifold:
    """The cam, standing on its socket as it is printed."""
    return on_the_bed(cam_in_place())


def cam_in_place(turned: float = 0) -> Manifold:
    """The cam: the middle of its sloping face is at 0, 0, 0, and it slopes down to *turned* degrees from the x axis."""
    said, motor, fit = measures("cam"), measures("motor"), measures("motor")["fit"]
    low = -cam_height()
    column = rod(said["diameter"], 3 * said["diameter"]).translate((0, 0, low))
    body = column ^ _sloping(block(200, 200, 100).translate((0, 0, -100)))
    rooted = said["spindle"] / 2
    spindle = rod(said["spindle"], rooted + said["hub"] + said["plate"] + said["gap"])
    body += _sloping(spindle.translate((0, 0, -rooted)))
    body -= _sloping(rod(measures("screw")["m3_pilot"], 99))
    diameter, flats = (size + 2 * fit for size in motor["shaft"])
    body -= (rod(diameter, said["socket"]) ^ block(diameter, flats, 99)).translate((0, 0, low))
    return body.rotate((0, 0, turned))


def cam_height() -> float:
    """From the cam's foot to the middle of its sloping face."""
    said = measures("cam")
    return float(said["socket"] + said["above_socket"] + said["diameter"] / 2 * math.tan(math.radians(slope())))


def wobble_plate() -> Manifold:
    """The plate that the worms stand on, lying on its upper side as it is printed."""
    return upside_down(_flat_plate())


def plate_in_place(turned: float = 0) -> Manifold:
    """The plate on the cam that is *turned*, where the cam is: its tongue stays on the left."""
    return _sloping(_flat_plate().rotate((0, 0, -turned))).rotate((0, 0, turned))


def plate_height(away: float, around: float, turned: float) -> float:
    """How high the plate's upper side is above the middle of the cam's face: so *away* from the motor's shaft, *around*
    as many degrees, when the cam is *turned*."""
    said, tilt = measures("cam"), math.radians(slope())
    middle = (said["hub"] + said["plate"]) / math.cos(tilt)
    return float(middle - away * math.tan(tilt) * math.cos(math.radians(around - turned)))


def plate_radius() -> float:
    """To the edge of what worms stand on."""
    said = measures("apple")
    return float(max(away for _, away in said["rings"]) + said["worm"][0] / 2 + 2)


def _flat_plate() -> Manifold:
    said = measures("cam")
    wide, long = said["tongue"]
    radius = plate_radius()
    body = rod(2 * radius, said["plate"]).translate((0, 0, said["hub"]))
    tongue = block(radius + long, wide, said["plate"]).translate((-(radius + long) / 2, 0, said["hub"]))
    hub = rod(said["diameter"], said["hub"])
    return body + tongue + hub - rod(said["spindle"] + 2 * said["gap"], 99)


def _sloping(solid: Manifold) -> Manifold:
    return solid.rotate((0, slope(), 0))
