"""Whether solids are in each other's way."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from manifold3d import Manifold

TOUCHING_MM3 = 1e-3
"""Solids that only touch share no more."""


def shared_mm3(one: Manifold, other: Manifold) -> float:
    """The volume that is in both."""
    return float((one ^ other).volume())


def in_the_way(placed: Mapping[str, Manifold]) -> list[tuple[str, str, float]]:
    """Every two of *placed* that are in each other, and how much they share."""
    pairs = combinations(placed.items(), 2)
    found = [(one, other, shared_mm3(solid, another)) for (one, solid), (other, another) in pairs]
    return [(one, other, round(shared, 3)) for one, other, shared in found if shared > TOUCHING_MM3]
