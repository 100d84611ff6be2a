"""Solids of triangles: the pieces that were made, the parts that are bought, and what two of them share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import combinations
from pathlib import Path

import numpy as np
from manifold3d import Manifold, Mesh, OpType
from numpy.typing import NDArray

from hardware.making.housings.places import Place

ROUND_ENOUGH = 0.04
"""Largest distance between a side of a rod and its circle, in millimetres."""

TOUCHING_MM3 = 1e-3
"""Solids that only touch share no more."""

STL = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attributes", "<u2")])
"""A triangle of a binary STL file."""

STL_HEAD = 84
"""The bytes before the first triangle."""

Point = tuple[float, float, float]
Floats = NDArray[np.float64]


def load(stl: Path) -> Manifold:
    """Return the solid in an STL file. It is empty if the file is not that of a closed solid."""
    corners = np.fromfile(stl, STL, offset=STL_HEAD)["corners"].reshape(-1, 3)
    mesh = Mesh(corners, np.arange(len(corners), dtype=np.uint32).reshape(-1, 3))
    mesh.merge()
    return Manifold(mesh)


def triangles(solid: Manifold) -> tuple[Floats, Floats, Floats]:
    """Return the corners of each triangle of a *solid*, its normal, and its area."""
    mesh = solid.to_mesh()
    corners = mesh.vert_properties[:, :3].astype(np.float64)[mesh.tri_verts]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    twice_the_area = np.linalg.norm(across, axis=1)
    return corners, across / np.maximum(twice_the_area, 1e-12)[:, np.newaxis], twice_the_area / 2


def rod(diameter: float, height: float) -> Manifold:
    """Return an upright rod on height 0."""
    edges = 4 * math.ceil(math.pi / math.acos(1 - 2 * ROUND_ENOUGH / diameter) / 4)
    return Manifold.cylinder(height, diameter / 2, circular_segments=edges)


def block(width: float, depth: float, height: float) -> Manifold:
    """Return a block around the middle, on height 0."""
    return Manifold.cube((width, depth, height), center=True).translate((0, 0, height / 2))


def between(low: Point, high: Point) -> Manifold:
    """Return a block from one corner to the opposite one."""
    return Manifold.cube((high[0] - low[0], high[1] - low[1], high[2] - low[2])).translate(low)


def union(solids: Iterable[Manifold]) -> Manifold:
    """Return all *solids* as one."""
    return Manifold.batch_boolean(list(solids), OpType.Add)


def at(solid: Manifold, places: Iterable[Place], height: float = 0) -> Manifold:
    """Return *solid* at each of *places*, at a *height*."""
    return union(solid.translate((x, y, height)) for x, y in places)


def size(solid: Manifold) -> str:
    """Return the outer size of *solid* in words."""
    left, front, low, right, back, high = solid.bounding_box()
    return f"{right - left:.1f} × {back - front:.1f} × {high - low:.1f} mm"


def shared_mm3(one: Manifold, other: Manifold) -> float:
    """Return the volume that two solids share."""
    return float((one ^ other).volume())


def in_the_way(placed: Mapping[str, Manifold]) -> list[tuple[str, str, float]]:
    """Return every two of *placed* that overlap, and the volume that they share."""
    pairs = combinations(placed.items(), 2)
    found = [(one, other, shared_mm3(solid, another)) for (one, solid), (other, another) in pairs]
    return [(one, other, round(shared, 3)) for one, other, shared in found if shared > TOUCHING_MM3]
