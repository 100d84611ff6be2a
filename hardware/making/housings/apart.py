"""Finds solids that overlap."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from manifold3d import Manifold

TOUCHING_MM3 = 1e-3
"""Solids that only touch share no more."""


def shared_mm3(one: Manifold, other: Manifold) -> float:
    """Return the volume that two solids share."""
    return float((one ^ other).volume())


def in_the_way(placed: Mapping[str, Manifold]) -> list[tuple[str, str, float]]:
    """Yield every two of *placed* that overlap, and the volume that they share."""
    pairs = combinations(placed.items(), 2)
    found = [(one, other, shared_mm3(solid, another)) for (one, solid), (other, another) in pairs]
    return [(one, other, round(shared, 3)) for one, other, shared in found if shared > TOUCHING_MM3]
