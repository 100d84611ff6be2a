"""Every piece of every housing can be printed: whole, small enough, and without anything hanging in the air."""

from __future__ import annotations

import io
import math

import numpy as np
import pytest
import trimesh
from manifold3d import Manifold, Mesh, OpType

from hardware.making.housings.build import FOLDER, PIECES, picture_file, picture_files, shows, stl_file
from hardware.making.housings.measures import measures
from hardware.making.housings.picture import COLOURS, HEIGHT, WIDTH, in_rows, picture
from hardware.making.housings.stl import as_stl, normals, triangles

ALL = [(housing, piece) for housing, pieces in PIECES.items() for piece in pieces]

MOST_BRIDGED_MM2 = 30.0
"""Roofs of small holes, which a nozzle spans."""

MOST_DIFFERENT_MM3 = 0.5
"""What rounding may make of a piece: a hole that has moved by a tenth of a millimetre makes more."""


def made(housing: str, piece: str) -> Manifold:
    return PIECES[housing][piece]()


def loaded(stl: bytes) -> trimesh.Trimesh:
    mesh = trimesh.load(io.BytesIO(stl), file_type="stl")
    assert isinstance(mesh, trimesh.Trimesh)
    return mesh


def hanging_mm2(solid: Manifold) -> float:
    """The area that looks further down than a printer can build without support, and does not lie on the bed."""
    corners = triangles(solid).astype(np.float64)
    looks = normals(corners.astype(np.float32))[:, 2]
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2
    too_steep = looks < -math.sin(math.radians(measures("printer")["steepest"])) - 1e-3
    return float(areas[too_steep & (corners[..., 2].min(axis=1) > 0.01)].sum())


@pytest.mark.parametrize(("housing", "piece"), ALL)
def test_a_piece_is_one_watertight_solid_that_lies_on_the_bed_and_fits_it(housing: str, piece: str) -> None:
    mesh = loaded(as_stl(made(housing, piece)))
    assert mesh.is_watertight
    assert mesh.is_volume
    assert len(made(housing, piece).decompose()) == 1
    low, high = mesh.bounds
    assert low[2] == pytest.approx(0, abs=1e-4)
    assert max(high - low) <= measures("printer")["bed"]


@pytest.mark.parametrize(("housing", "piece"), ALL)
def test_nothing_of_a_piece_hangs_in_the_air(housing: str, piece: str) -> None:
    assert hanging_mm2(made(housing, piece)) < MOST_BRIDGED_MM2


def test_what_hangs_in_the_air_is_found() -> None:
    table_top = Manifold.cube((40, 40, 3)).translate((0, 0, 20)) + Manifold.cube((5, 5, 20))
    assert hanging_mm2(table_top) == pytest.approx(40 * 40 - 25)


def solid_of(stl: bytes) -> Manifold:
    mesh = loaded(stl)
    return Manifold(Mesh(np.asarray(mesh.vertices, np.float32), np.asarray(mesh.faces, np.uint32)))


def different_mm3(one: bytes, other: bytes) -> float:
    """The volume that is in only one of two files: however they are cut into triangles, and by which version."""
    first, second = solid_of(one), solid_of(other)
    return float((first - second).volume() + (second - first).volume())


@pytest.mark.parametrize(("housing", "piece"), ALL)
def test_the_file_that_is_kept_is_the_piece_that_is_made(housing: str, piece: str) -> None:
    kept, now = stl_file(housing, piece).read_bytes(), as_stl(made(housing, piece))
    assert different_mm3(kept, now) < MOST_DIFFERENT_MM3, "run `make housings`"


def test_a_hole_that_has_moved_is_found_though_volume_and_outline_are_the_same() -> None:
    board, hole = Manifold.cube((40, 40, 3)), Manifold.cylinder(9, 1.7, circular_segments=24).translate((20, 20, -3))
    kept, now = board - hole, board - hole.translate((0.2, 0, 0))
    assert kept.volume() == pytest.approx(now.volume())
    assert different_mm3(as_stl(kept), as_stl(now)) > MOST_DIFFERENT_MM3
    assert different_mm3(as_stl(kept), as_stl(kept)) < MOST_DIFFERENT_MM3


@pytest.mark.parametrize("housing", PIECES)
def test_each_picture_shows_the_pieces_and_measures_beside_it(housing: str) -> None:
    assert [png.name for png in picture_files(housing) if not shows(png, housing)] == [], "run `make housings`"


def test_a_picture_of_other_pieces_is_told() -> None:
    assert not shows(picture_file("unit"), "apple")


def test_nothing_else_is_kept() -> None:
    names = {stl_file(*one).name for one in ALL}
    names |= {png.name for housing in PIECES for png in picture_files(housing)}
    assert {file.name for file in FOLDER.iterdir()} == names


@pytest.mark.parametrize(("housing", "piece"), ALL)
def test_a_file_is_small_enough_to_be_kept_beside_the_code(housing: str, piece: str) -> None:
    assert stl_file(housing, piece).stat().st_size < 500_000


def test_every_piece_of_a_housing_has_a_colour_of_its_own_in_the_picture() -> None:
    assert len(set(COLOURS)) == len(COLOURS) >= max(len(pieces) for pieces in PIECES.values())


def test_solids_in_rows_do_not_touch_each_other() -> None:
    placed = in_rows([Manifold.cube((size, size / 2, 5)) for size in (40, 10, 30, 20, 25, 35)])
    assert len({round(solid.bounding_box()[4], 6) for solid in placed}) > 1
    whole = Manifold.batch_boolean(placed, OpType.Add)
    assert whole.volume() == pytest.approx(sum(solid.volume() for solid in placed))


def test_a_picture_shows_the_solid_and_not_the_paper_alone() -> None:
    cube = picture([(Manifold.cube((10, 10, 10)), COLOURS[0])])
    assert cube.startswith(b"\x89PNG")
    assert int.from_bytes(cube[16:20]) == WIDTH
    assert int.from_bytes(cube[20:24]) == HEIGHT
    assert cube != picture([(Manifold.cube((10, 10, 5)), COLOURS[0])])
    assert cube != picture([(Manifold.cube((10, 10, 10)), COLOURS[1])])
