"""Solids that housings consist of. They stand on the bed, around the middle."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from build123d import Align, Box, Cone, Cylinder, Plane, Polygon, Pos, Rectangle, RectangleRounded, Rot, extrude

from hardware.making.housings.measures import measures
from hardware.making.housings.places import Place
from hardware.making.housings.raspberry_pi import Pi, holes

# build123d's own classes are hardly typed: what an operator returns is any of them
Solid = Any

STANDING = (Align.CENTER, Align.CENTER, Align.MIN)
FAR = 400.0
"""Millimetres: more than any piece is high."""


def rod(diameter: float, height: float) -> Solid:
    """Return an upright rod, or the shape of an upright hole."""
    return Cylinder(diameter / 2, height, align=STANDING)


def lying(diameter: float, length: float) -> Solid:
    """Return a rod along the y axis, around the middle."""
    return Rot(90, 0, 0) * Cylinder(diameter / 2, length)


def block(width: float, depth: float, height: float) -> Solid:
    """Return a block with sharp corners."""
    return Box(width, depth, height, align=STANDING)


def plate(width: float, depth: float, height: float, corner: float) -> Solid:
    """Return a plate with rounded corners."""
    return extrude(RectangleRounded(width, depth, corner) if corner else Rectangle(width, depth), height)


def between(low: Sequence[float], high: Sequence[float]) -> Solid:
    """Return a block from one corner to the opposite one."""
    return Pos(*low) * Box(*(end - start for start, end in zip(low, high, strict=True)), align=(Align.MIN,) * 3)


def prism(plane: Plane, outline: Sequence[Place], start: float, end: float) -> Solid:
    """Return an *outline* in x and y of *plane*, extended from *start* to *end* along its axis x, y or z."""
    axis = max(range(3), key=lambda number: abs(tuple(plane.z_dir)[number]))
    middle = [(start + end) / 2 if number == axis else 0 for number in range(3)]
    return Pos(*middle) * extrude(plane * Polygon(*outline, align=None), (end - start) / 2, both=True)


def diamond(size: float, length: float) -> Solid:
    """Return a square bar along the y axis that stands on an edge: a hole of that form needs no support."""
    half = size / 2
    return prism(Plane.XZ, [(half, 0), (0, half), (-half, 0), (0, -half)], -length / 2, length / 2)


def teardrop(diameter: float, length: float) -> Solid:
    """Return the shape of a hole along the x axis for something round. Its roof rises at 45° and needs no support."""
    side = diameter / 2 / 2**0.5
    roof = prism(Plane.YZ, [(0, 0), (side, side), (0, 2 * side), (-side, side)], -length / 2, length / 2)
    return Rot(0, 90, 0) * Cylinder(diameter / 2, length) + roof


def at(solid: Solid, places: Iterable[Place], height: float = 0) -> list[Solid]:
    """Return *solid* at each of *places*, at a *height* above the bed."""
    return [Pos(x, y, height) * solid for x, y in places]


def upside_down(solid: Solid) -> Solid:
    """Return *solid* turned over, on the bed."""
    return on_the_bed(Rot(180, 0, 0) * solid)


def on_the_bed(solid: Solid) -> Solid:
    """Return *solid* moved up or down onto the bed."""
    return Pos(0, 0, -solid.bounding_box().min.Z) * solid


def countersunk(places: Iterable[Place]) -> list[Solid]:
    """Return holes for M3 screws through a base on the bed, with their heads below. They need no support."""
    dims = measures("screw")
    wide, narrow = dims["m3_countersunk"], dims["m3_hole"]
    return at(Cone(wide / 2, narrow / 2, (wide - narrow) / 2, align=STANDING) + rod(narrow, FAR), places)


def insert_hole() -> Solid:
    """Return a hole upwards from height 0 for a heat-set insert, and above it the room for the end of its screw."""
    dims = measures("screw")
    return rod(*dims["insert"]) + rod(dims["m3_hole"], dims["base_screw"])


def on_feet(base: Solid, pi: Pi, place: Place) -> Solid:
    """Return *base* with four feet for a board with its middle at *place*. Each has a hole for an M2.5 screw."""
    dims, places = measures(pi), holes(pi, place)
    standing = base + at(rod(2 * dims["hole"], measures("shell")["floor"] + dims["standoff"]), places)
    return standing - at(rod(measures("screw")["m2_5_pilot"], FAR), places, 1)


def slit(low: float, high: float) -> Solid:
    """Return a slit for air through a wall along the x axis, with its middle at 0, 0. Its ends slope at 45°."""
    half, deep = measures("vents")["wide"] / 2, 2 * measures("shell")["wall"]
    right = [(half, low + half), (half, high - half)]
    outline = [(0, low), *right, (0, high), *((-x, z) for x, z in reversed(right))]
    return prism(Plane.XZ, outline, -deep / 2, deep / 2)
