"""Checks of pieces before they are printed, and the plastic and time that they take."""

from __future__ import annotations

import math

import numpy as np
from manifold3d import Manifold
from numpy.typing import NDArray

from hardware.making.housings.measures import FILE, MeasureError, measures
from hardware.making.housings.meshes import Floats, load, triangles
from hardware.making.housings.pieces import FOLDER, PIECES, Piece

Ints = NDArray[np.intp]

THINNEST_MM = 0.8
"""Two lines of a nozzle of 0.4 mm."""

WALL_MM = 2.0
"""Thicker walls are not measured."""

RAYS_PER_MM2 = 0.5
"""A thin place of 3 × 3 mm gets some. The seed is fixed, so a piece always gets the same."""

CELL_MM = 10.0
"""Rays of a cell of this size are looked at together, with the triangles that are near."""

MOST_BRIDGED_MM2 = 30.0
"""Roofs of small holes, which a nozzle spans."""

SKIN_MM = 1.2
"""Three lines on each face are solid; what is between them is infill."""

FLOW_MM3_PER_S = 5.0
"""0.4 × 0.2 mm at some 60 mm/s, moves without plastic included. A fast printer needs half of that time."""

GRAMS_PER_MM3 = 0.00127
"""PETG; PLA weighs 2 % less."""

MEASURED_IN = {
    "block": "[block], [shell] and [screw]",
    "die": "[die], [led-modules], [block], [shell] and [screw]",
    "unit": "[unit], [slot], [switch-box], [antenna], [shell] and [screw]",
    "apple": "[apple], [cam], [lever], [motor], [shell] and [screw]",
    "test": "[screw] and [lever]",
}
"""The sections with the measures of a housing's pieces."""


def check(name: str, solid: Manifold) -> None:
    """Raise ``MeasureError`` if a piece cannot be printed."""
    bed, box = measures("printer")["bed"], solid.bounding_box()
    sides = [end - start for start, end in zip(box[:3], box[3:], strict=True)]
    wrong = ""
    if solid.is_empty():
        wrong = "is not closed"
    elif len(solid.decompose()) > 1:
        wrong = "falls into pieces"
    elif max(sides) > bed:
        wrong = f"has {' × '.join(f'{side:.1f}' for side in sides)} mm, and the bed has {bed:g} mm"
    elif (hangs := hanging_mm2(solid)) > MOST_BRIDGED_MM2:
        wrong = f"hangs over by {hangs:.0f} mm², which needs supports"
    else:
        thin, place = thinnest(solid)
        if thin < THINNEST_MM - 0.01:
            where = ", ".join(f"{axis:.1f}" for axis in place)
            wrong = f"has a wall of {thin:.2f} mm at {where}, and {THINNEST_MM:g} mm are needed"
    if wrong:
        sections = MEASURED_IN[name.partition("-")[0]]
        raise MeasureError(f"{FILE.name}: the piece {name} {wrong}. Correct {sections}.")


def hanging_mm2(solid: Manifold) -> float:
    """Return the area above the bed that looks further down than a printer can build without support."""
    half_a_degree = 0.5
    steepest = math.sin(math.radians(measures("printer")["steepest"] + half_a_degree))
    corners, normals, areas = triangles(solid)
    lowest = corners[..., 2].min(axis=1)
    return float(areas[(normals[:, 2] < -steepest) & (lowest > lowest.min() + 0.01)].sum())


def thinnest(solid: Manifold) -> tuple[float, tuple[float, ...]]:
    """Return the least thickness below `WALL_MM` that rays find, and the place; or `WALL_MM`.

    They go straight in from points on the surface, more of them on small faces than their area would get. Where a ray
    leaves at a slant, near an edge, there is no wall.
    """
    corners, normals, areas = triangles(solid)
    rng = np.random.default_rng(1)
    by_area = _points(corners, areas, max(4000, int(areas.sum() * RAYS_PER_MM2)), rng)
    small = _points(corners, np.sqrt(areas), 4000, rng)
    points, faces = (np.concatenate(both) for both in zip(by_area, small, strict=True))
    near = np.lexsort(np.floor(points / CELL_MM).T)
    points, faces = points[near], faces[near]
    inward = -normals[faces]
    ends = points + inward * WALL_MM
    low, high = np.minimum(points, ends) - 1e-6, np.maximum(points, ends) + 1e-6
    numbers, met = _boxes_that_meet(low, high, corners.min(axis=1), corners.max(axis=1))
    leaves = np.einsum("ij,ij->i", normals[met], inward[numbers])
    numbers, met = numbers[leaves > 0.9], met[leaves > 0.9]
    first, side, other = corners[met, 0], corners[met, 1] - corners[met, 0], corners[met, 2] - corners[met, 0]
    # Möller and Trumbore: where a line meets a triangle
    across, start = np.cross(inward[numbers], other), points[numbers] - first
    scale = np.einsum("ij,ij->i", side, across)
    u = np.einsum("ij,ij->i", start, across) / scale
    turned = np.cross(start, side)
    v = np.einsum("ij,ij->i", inward[numbers], turned) / scale
    away = np.einsum("ij,ij->i", other, turned) / scale
    hit = (u >= 0) & (v >= 0) & (u + v <= 1) & (away > 0.05) & (away < WALL_MM)
    if not hit.any():
        return WALL_MM, ()
    found = np.where(hit, away, np.inf)
    return float(found.min()), tuple(map(float, points[numbers[found.argmin()]]))


def _points(corners: Floats, weights: Floats, count: int, rng: np.random.Generator) -> tuple[Floats, Ints]:
    # points on triangles, which are chosen by their weights, and the numbers of the triangles
    faces = rng.choice(len(corners), count, p=weights / weights.sum())
    along = rng.random((count, 2, 1))
    along = np.where(along.sum(axis=1, keepdims=True) > 1, 1 - along, along)
    first = corners[faces, 0]
    return first + (along * (corners[faces, 1:] - first[:, np.newaxis])).sum(axis=1), faces


def _boxes_that_meet(low: Floats, high: Floats, other_low: Floats, other_high: Floats) -> tuple[Ints, Ints]:
    # the numbers of every two boxes that meet; quick if boxes of similar numbers are near each other
    pairs = []
    for begin in range(0, len(low), 100):
        part = slice(begin, begin + 100)
        around = (low[part].min(axis=0) <= other_high) & (high[part].max(axis=0) >= other_low)
        near = np.flatnonzero(around.all(axis=1))
        meet = np.ones((len(low[part]), len(near)), np.bool_)
        for axis in range(3):
            meet &= low[part, axis, None] <= other_high[near, axis]
            meet &= high[part, axis, None] >= other_low[near, axis]
        one, other = np.nonzero(meet)
        pairs.append((one + begin, near[other]))
    return np.concatenate([one for one, _ in pairs]), np.concatenate([other for _, other in pairs])


def plastic_mm3(solid: Manifold, piece: Piece) -> float:
    """Return the plastic of a piece: all of its skin, and the infill of the rest."""
    skin = min(solid.volume(), solid.surface_area() * SKIN_MM)
    return float(skin + piece.infill * (solid.volume() - skin))


def printed(housing: str, name: str) -> tuple[str, str]:
    """Return the plastic of a piece in grams, and the time that it takes in hours."""
    plastic = plastic_mm3(load(FOLDER / f"{housing}-{name}.stl"), PIECES[housing][name])
    return f"{plastic * GRAMS_PER_MM3:.0f}", f"{plastic / FLOW_MM3_PER_S / 3600:.1f}"
