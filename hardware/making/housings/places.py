"""Places in a plane: where screws and holes are."""

from __future__ import annotations

import math
from collections.abc import Iterator

Place = tuple[float, float]
"""A distance to the right and one to the back, in millimetres."""

Rectangle = tuple[float, float, float, float]
"""The middle of a rectangle, its width and its depth."""


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
