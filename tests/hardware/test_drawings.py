"""The drawings that are kept: up to date, and every picture of the drawing beside it."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from hardware.making import drawings
from hardware.making.drawings import FOLDER, HEADER, SHEETS, drawn, shows
from hardware.making.parts_list import BUDGETS
from hardware.making.png import read_note, with_note


@pytest.mark.parametrize("name", [*SHEETS, HEADER])
def test_the_drawing_that_is_kept_is_the_one_that_is_made(name: str) -> None:
    kept = FOLDER / f"{name}.svg"
    assert kept.read_bytes() == drawn(name), f"{kept.name} is old: run `make drawings`"


def size_of(png: Path) -> tuple[int, int]:
    width, height = struct.unpack_from(">II", png.read_bytes(), 16)
    return width, height


@pytest.mark.parametrize("name", SHEETS)
def test_each_picture_shows_the_drawing_beside_it(name: str) -> None:
    svg, png = FOLDER / f"{name}.svg", FOLDER / f"{name}.png"
    assert shows(png, svg), f"{png.name} is old: run `make drawings`"
    width, height = size_of(png)
    assert 1000 < width < 3000
    assert 0.9 < width / height < 1.6


def test_the_picture_of_the_header_shows_its_drawing_and_is_a_page_of_a4() -> None:
    svg, png = FOLDER / "header.svg", FOLDER / "header.png"
    assert shows(png, svg), f"{png.name} is old: run `make drawings`"
    width, height = size_of(png)
    assert width > 1500
    assert height / width == pytest.approx(2**0.5, abs=0.01)


def test_a_picture_of_another_drawing_is_told(tmp_path: Path) -> None:
    changed = tmp_path / "block.svg"
    changed.write_bytes((FOLDER / "block.svg").read_bytes() + b"\n")
    assert not shows(FOLDER / "block.png", changed)


def test_everything_that_can_be_built_is_drawn_and_nothing_else_is_kept() -> None:
    assert {sheet.budget for sheet in SHEETS.values()} == set(BUDGETS)
    assert {file.stem for file in drawings.FOLDER.iterdir()} == {*SHEETS, HEADER}


def test_a_note_in_a_picture_is_read_back() -> None:
    png = (FOLDER / "block.png").read_bytes()
    assert read_note(with_note(png, "For", "you"), "For") == "you"
    assert read_note(png, "For") is None
    with pytest.raises(ValueError, match="no PNG"):
        read_note(b"GIF89a", "For")
