"""Solids as binary STL, which every slicer reads."""

from __future__ import annotations

import numpy as np
from manifold3d import Manifold
from numpy.typing import NDArray

HEADER = b"reboard"
FACET = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def triangles(solid: Manifold) -> NDArray[np.float32]:
    """Return the corners of *solid*'s triangles: number, corner, axis."""
    mesh = solid.to_mesh()
    corners: NDArray[np.float32] = mesh.vert_properties[:, :3][mesh.tri_verts]
    return corners


def normals(corners: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the direction of each triangle, with length 1, or 0 for a triangle without area."""
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(across, axis=1, keepdims=True)
    found: NDArray[np.float32] = np.divide(across, lengths, out=np.zeros_like(across), where=lengths > 0)
    return found


def as_stl(solid: Manifold) -> bytes:
    """Return *solid* as a file."""
    corners = triangles(solid)
    facets = np.zeros(len(corners), FACET)
    facets["normal"], facets["corners"] = normals(corners), corners
    return HEADER.ljust(80, b" ") + len(corners).to_bytes(4, "little") + facets.tobytes()
