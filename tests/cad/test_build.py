"""What `make housings` writes, which needs build123d."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from build123d import import_step

from hardware.making.__main__ import main
from hardware.making.cad import build
from hardware.making.cad.solids import Solid
from hardware.making.housings import printing
from hardware.making.housings.measures import measures
from hardware.making.housings.meshes import load
from hardware.making.housings.pieces import FOLDER, FORMATS, piece_names
from hardware.making.housings.placed import Placed
from tests.hardware.housings.changing import housings_with
from tests.hardware.housings.finger import gets_beside_the_plate, gets_beside_the_tongue, stays_open_above


def test_every_piece_has_its_maker() -> None:
    assert list(build.MAKERS) == piece_names()


@pytest.mark.parametrize("name", piece_names())
def test_a_step_file_has_the_solid_of_the_mesh_beside_it(name: str) -> None:
    [solid] = import_step(FOLDER / f"{name}.step").solids()
    assert solid.is_valid
    assert load(FOLDER / f"{name}.stl").volume() == pytest.approx(solid.volume, rel=0.01)


def test_the_same_measures_make_the_same_files(tmp_path: Path) -> None:
    build.export(build.MAKERS["apple-cam"](), tmp_path / "apple-cam")
    for suffix in FORMATS:
        name = f"apple-cam.{suffix}"
        assert (tmp_path / name).read_bytes() == (FOLDER / name).read_bytes(), "run `make housings`"


def test_a_housing_without_room_is_named_and_nothing_is_written(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def kept(name: str, path: Path) -> None:
        shutil.copy(FOLDER / f"{name}.stl", path.with_suffix(".stl"))

    before = {file: file.stat().st_mtime_ns for file in FOLDER.iterdir()}
    monkeypatch.setattr(build, "MAKERS", {name: lambda name=name: name for name in piece_names()})
    monkeypatch.setattr(build, "export", kept)
    with housings_with({"unit.solder_board.0": -99.0}):
        assert main(["housings"]) == 1
    [line] = capsys.readouterr().err.splitlines()
    assert "`solder_board` below [unit]" in line
    assert {file: file.stat().st_mtime_ns for file in FOLDER.iterdir()} == before


def made(folder: Path, *names: str) -> Placed:
    for name in names:
        solid: Solid = build.MAKERS[name]()
        build.export(solid, folder / name)
        printing.check(name, load(folder / f"{name}.stl"))
    return Placed(folder)


def test_a_measure_that_goes_with_the_others_makes_pieces_that_can_be_printed(tmp_path: Path) -> None:
    with housings_with({"microswitch.body.2": measures("microswitch")["body"][2] * 1.05}):
        made(tmp_path, "unit-slot", "unit-switch-box", "apple-base")


@pytest.mark.parametrize(("place", "number"), [("apple.collar.1", 15.0), ("apple.stroke", 20.0), ("apple.shows", 15.0)])
def test_the_solids_show_that_with_a_former_measure_a_gap_closes(place: str, number: float, tmp_path: Path) -> None:
    with housings_with({place: number}):
        assert not stays_open_above(made(tmp_path, "apple-shell", "apple-wobble-plate"))


def test_the_probe_finds_a_gap_at_the_edge_and_at_the_tongue(tmp_path: Path) -> None:
    with housings_with({"apple.fence.1": 3.5}):
        assert gets_beside_the_plate(made(tmp_path, "apple-shell", "apple-wobble-plate"))
    with housings_with({"cam.tongue_gap": 4.0}):
        assert gets_beside_the_tongue(made(tmp_path, "apple-shell", "apple-wobble-plate"))
