"""Every piece can be printed, and the files that are kept were made from the measures and the code as they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from manifold3d import Manifold

from hardware.making import made
from hardware.making.housings import exploded, inside, printing
from hardware.making.housings.measures import MeasureError
from hardware.making.housings.meshes import block, load, rod
from hardware.making.housings.pieces import FOLDER, FORMATS, PIECES, made_from, piece_names
from hardware.making.housings.placed import Placed


@pytest.mark.parametrize("name", piece_names())
def test_a_piece_can_be_printed_as_it_lies_in_its_file(name: str) -> None:
    piece = load(FOLDER / f"{name}.stl")
    printing.check(name, piece)
    assert piece.bounding_box()[2] == pytest.approx(0, abs=1e-4)


def test_all_that_belongs_inside_has_room() -> None:
    inside.check(Placed())


def test_the_files_that_are_kept_are_all_there_and_up_to_date() -> None:
    names = {f"{name}.{suffix}" for name in piece_names() for suffix in FORMATS}
    pictures = {*PIECES, *(f"{name}-{kind}" for name in exploded.PICTURES for kind in ("together", "steps"))}
    names |= {made.DIGEST} | {f"{name}.png" for name in pictures}
    assert {file.name for file in FOLDER.iterdir()} == names
    assert made.is_made_from(FOLDER, made_from()), "run `make housings`"


BOX = block(40, 30, 20)


@pytest.mark.parametrize(
    ("solid", "wrong"),
    [
        (block(230, 30, 20), "bed"),
        (BOX + BOX.translate((50, 0, 0)), "pieces"),
        (BOX + block(80, 30, 5).translate((0, 0, 15)), "supports"),
        (BOX - block(38.6, 28, 18).translate((0, 0, 2)), "wall of 0.70 mm"),
        (BOX - rod(3, 15).translate((18.0, 0, 10)), "wall of 0.5"),
    ],
)
def test_a_piece_that_cannot_be_printed_is_refused(solid: Manifold, wrong: str) -> None:
    with pytest.raises(MeasureError, match=wrong):
        printing.check("block-base", solid)


def test_a_small_pocket_that_leaves_a_thin_wall_is_found() -> None:
    pocket = block(3, 3, 10).translate((20, 10, 0.3))
    with pytest.raises(MeasureError, match=r"wall of 0\.30 mm"):
        printing.check("apple-base", load(FOLDER / "apple-base.stl") - pocket)


def test_a_file_with_a_hole_is_refused(tmp_path: Path) -> None:
    head, triangle = 84, 50
    whole = (FOLDER / "apple-cam.stl").read_bytes()
    (tmp_path / "open.stl").write_bytes(whole[:head] + whole[head + triangle :])
    with pytest.raises(MeasureError, match="closed"):
        printing.check("apple-cam", load(tmp_path / "open.stl"))
