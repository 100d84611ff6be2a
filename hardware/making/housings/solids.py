"""Solids that housings are put together from. They stand on the bed, around the middle."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from manifold3d import CrossSection, JoinType, Manifold, OpType

ROUND = 64
"""Corners of a circle."""

Place = tuple[float, float]


def plate(width: float, depth: float, height: float, corner: float) -> Manifold:
    """A plate with rounded corners."""
    inner = CrossSection.square((width - 2 * corner, depth - 2 * corner), center=True)
    return Manifold.extrude(inner.offset(corner, JoinType.Round, 2, ROUND), height)


def rod(diameter: float, height: float) -> Manifold:
    """An upright rod, or what leaves an upright hole."""
    return Manifold.cylinder(height, diameter / 2, circular_segments=ROUND)


def bar(diameter: float, length: float, *, edges: int = ROUND) -> Manifold:
    """A bar lying along the y axis, around the middle of its own length. With four *edges* it stands on one of them:
    a hole of that form has a roof that needs no support."""
    upright = Manifold.cylinder(length, diameter / 2, circular_segments=edges)
    return upright.translate((0, 0, -length / 2)).rotate((90, 0, 0))


def block(width: float, depth: float, height: float) -> Manifold:
    """A block with sharp corners."""
    return Manifold.cube((width, depth, height), center=True).translate((0, 0, height / 2))


def at(solid: Manifold, places: Iterable[Place], height: float = 0) -> Manifold:
    """*solid* at each of *places*, so *height* above the bed."""
    return Manifold.batch_boolean([solid.translate((x, y, height)) for x, y in places], OpType.Add)


def corners(width: float, depth: float) -> list[Place]:
    """The corners of a rectangle around the middle."""
    return [(x * width / 2, y * depth / 2) for x in (-1, 1) for y in (-1, 1)]


def in_a_disc(diameter: float, hole: float, apart: float) -> Iterator[Place]:
    """Where holes of diameter *hole* go in a disc, in a pattern of triangles, *apart* from middle to middle."""
    reach = (diameter - hole) / 2
    rows = int(reach // (apart * math.sqrt(3) / 2))
    for row in range(-rows, rows + 1):
        y = row * apart * math.sqrt(3) / 2
        shift = apart / 2 * (row % 2)
        steps = int(reach // apart) + 1
        yield from ((x, y) for step in range(-steps, steps + 1) if math.hypot(x := step * apart + shift, y) <= reach)
