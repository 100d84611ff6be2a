"""Every piece can be printed, and the files and pictures that are kept show the pieces as they are made."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping
from functools import cache

import numpy as np
import pytest
import trimesh
from manifold3d import Manifold, Mesh

from hardware.making.housings.build import FOLDER, PIECES, made, picture_files, shows, stl_file
from hardware.making.housings.measures import measures
from hardware.making.housings.stl import as_stl, normals, triangles
from tests.hardware.housings.changing import housings_with

ALL = [(housing, piece) for housing, pieces in PIECES.items() for piece in pieces]

MOST_BRIDGED_MM2 = 30.0
"""Roofs of small holes, which a nozzle spans."""

MOST_DIFFERENT_MM3 = 0.5
"""What rounding may change: a hole that has moved by a tenth of a millimetre changes more."""


@cache
def ours() -> Mapping[str, Mapping[str, Manifold]]:
    """All pieces; making them checks that everything inside fits."""
    return made()


def loaded(stl: bytes) -> trimesh.Trimesh:
    mesh = trimesh.load(io.BytesIO(stl), file_type="stl")
    assert isinstance(mesh, trimesh.Trimesh)
    return mesh


def hanging_mm2(solid: Manifold) -> float:
    """The area above the bed that looks further down than a printer can build without support."""
    corners = triangles(solid).astype(np.float64)
    looks = normals(corners.astype(np.float32))[:, 2]
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2
    too_steep = looks < -math.sin(math.radians(measures("printer")["steepest"])) - 1e-3
    return float(areas[too_steep & (corners[..., 2].min(axis=1) > 0.01)].sum())


def assert_is_printable(solid: Manifold) -> None:
    mesh = loaded(as_stl(solid))
    assert mesh.is_volume
    assert len(solid.decompose()) == 1
    low, high = mesh.bounds
    assert low[2] == pytest.approx(0, abs=1e-4)
    assert max(high - low) <= measures("printer")["bed"]
    assert hanging_mm2(solid) < MOST_BRIDGED_MM2


def solid_of(stl: bytes) -> Manifold:
    mesh = loaded(stl)
    return Manifold(Mesh(np.asarray(mesh.vertices, np.float32), np.asarray(mesh.faces, np.uint32)))


@pytest.mark.parametrize(("housing", "piece"), ALL)
def test_a_piece_can_be_printed_and_its_file_is_up_to_date(housing: str, piece: str) -> None:
    solid = ours()[housing][piece]
    assert_is_printable(solid)
    kept, now = (solid_of(stl) for stl in (stl_file(housing, piece).read_bytes(), as_stl(solid)))
    assert (kept - now).volume() + (now - kept).volume() < MOST_DIFFERENT_MM3, "run `make housings`"


def test_a_measure_that_goes_with_the_others_makes_pieces_that_can_be_printed() -> None:
    with housings_with("microswitch.body.2", measures("microswitch")["body"][2] * 1.05):
        for solid in (piece() for pieces in PIECES.values() for piece in pieces.values()):
            assert_is_printable(solid)


@pytest.mark.parametrize("housing", PIECES)
def test_each_picture_shows_the_pieces_and_measures_beside_it(housing: str) -> None:
    assert [png.name for png in picture_files(housing) if not shows(png, housing)] == [], "run `make housings`"


def test_nothing_else_is_kept() -> None:
    names = {stl_file(*one).name for one in ALL}
    names |= {png.name for housing in PIECES for png in picture_files(housing)}
    assert {file.name for file in FOLDER.iterdir()} == names
