"""Solids that housings consist of. They stand on the bed, around the middle."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from manifold3d import CrossSection, JoinType, Manifold, OpType

ROUND = 64
"""Corners of a circle that is seen."""

ROUND_ENOUGH = 0.04
"""Largest distance between a side of a rod and its circle, in millimetres. More corners make larger files."""

Place = tuple[float, float]
Point = tuple[float, float, float]


def plate(width: float, depth: float, height: float, corner: float) -> Manifold:
    """Return a plate with rounded corners."""
    inner = CrossSection.square((width - 2 * corner, depth - 2 * corner), center=True)
    return Manifold.extrude(inner.offset(corner, JoinType.Round, 2, ROUND), height)


def rod(diameter: float, height: float) -> Manifold:
    """Return an upright rod, or the shape of an upright hole."""
    return Manifold.cylinder(height, diameter / 2, circular_segments=round_edges(diameter))


def bar(diameter: float, length: float, *, edges: int = ROUND) -> Manifold:
    """Return a bar along the y axis, around its middle.

    With four *edges* it stands on one of them: a hole of that form needs no support.
    """
    upright = Manifold.cylinder(length, diameter / 2, circular_segments=edges)
    return upright.translate((0, 0, -length / 2)).rotate((90, 0, 0))


def teardrop(diameter: float, length: float) -> Manifold:
    """Return the shape of a hole along the x axis for something round. Its roof rises at 45° and needs no support."""
    round_part = Manifold.cylinder(length, diameter / 2, circular_segments=round_edges(diameter))
    roof = Manifold.cube((diameter / 2, diameter / 2, length)).rotate((0, 0, 45))
    return (round_part + roof).translate((0, 0, -length / 2)).rotate((90, 0, 0)).rotate((0, 0, 90))


def block(width: float, depth: float, height: float) -> Manifold:
    """Return a block with sharp corners."""
    return Manifold.cube((width, depth, height), center=True).translate((0, 0, height / 2))


def between(low: Point, high: Point) -> Manifold:
    """Return a block from one corner to the opposite one."""
    size = (high[0] - low[0], high[1] - low[1], high[2] - low[2])
    return Manifold.cube(size).translate(low)


def wedge(*outline: Place, length: float) -> Manifold:
    """Return a solid with an *outline* in y and z, extended along the x axis: a ramp, a gusset."""
    points = [(x, y, z) for x in (-length / 2, length / 2) for y, z in outline]
    return Manifold.hull_points(points)


def upside_down(solid: Manifold) -> Manifold:
    """Return *solid* turned over, on the bed."""
    turned = solid.rotate((180, 0, 0))
    return on_the_bed(turned)


def on_the_bed(solid: Manifold) -> Manifold:
    """Return *solid* moved up or down onto the bed."""
    return solid.translate((0, 0, -solid.bounding_box()[2]))


def at(solid: Manifold, places: Iterable[Place], height: float = 0) -> Manifold:
    """Return *solid* at each of *places*, at a *height* above the bed."""
    return Manifold.batch_boolean([solid.translate((x, y, height)) for x, y in places], OpType.Add)


def corners(width: float, depth: float) -> list[Place]:
    """Return the corners of a rectangle around the middle."""
    return [(x * width / 2, y * depth / 2) for x in (-1, 1) for y in (-1, 1)]


def in_a_disc(diameter: float, hole: float, apart: float) -> Iterator[Place]:
    """Yield the places of holes in a disc, in a pattern of triangles, *apart* from middle to middle."""
    reach = (diameter - hole) / 2
    rows = int(reach // (apart * math.sqrt(3) / 2))
    for row in range(-rows, rows + 1):
        y = row * apart * math.sqrt(3) / 2
        shift = apart / 2 * (row % 2)
        steps = int(reach // apart) + 1
        yield from ((x, y) for step in range(-steps, steps + 1) if math.hypot(x := step * apart + shift, y) <= reach)


def round_edges(diameter: float) -> int:
    """Return the number of corners of a circle: a multiple of four, so that it is as wide as deep."""
    return 4 * math.ceil(math.pi / math.acos(1 - 2 * ROUND_ENOUGH / diameter) / 4)


def size(solid: Manifold) -> str:
    """Return the outer size of *solid* in words."""
    left, front, low, right, back, high = solid.bounding_box()
    return f"{right - left:.1f} × {back - front:.1f} × {high - low:.1f} mm"
