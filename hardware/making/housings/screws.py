"""Holes for screws whose heads must not stand out."""

from __future__ import annotations

from collections.abc import Iterable

from manifold3d import Manifold

from hardware.making.housings.measures import measures
from hardware.making.housings.solids import Place, at, rod, round_edges


def countersunk(places: Iterable[Place]) -> Manifold:
    """What leaves holes for M3 screws through a base that lies on the bed: their heads go in from below, and what they
    stand on slopes at 45°, as a countersunk head does, and prints without support."""
    said = measures("screw")
    wide, narrow = said["m3_countersunk"], said["m3_hole"]
    high = (wide - narrow) / 2
    cone = Manifold.cylinder(high, wide / 2, narrow / 2, circular_segments=round_edges(wide))
    return at(cone + rod(narrow, 99), places)
