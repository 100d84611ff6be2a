"""The drawings that are kept are up to date, and each picture shows the drawing beside it."""

from __future__ import annotations

import struct

import pytest

from hardware.making.drawings import FOLDER, HEADER, SHEETS, drawn, shows
from hardware.making.parts_list import BUDGETS
from hardware.making.png import read_text, with_text


@pytest.mark.parametrize("name", [*SHEETS, HEADER])
def test_a_drawing_and_its_picture_are_up_to_date(name: str) -> None:
    svg, png = FOLDER / f"{name}.svg", FOLDER / f"{name}.png"
    assert svg.read_bytes() == drawn(name), f"{svg.name} is old: run `make drawings`"
    assert shows(png, svg), f"{png.name} is old: run `make drawings`"
    width, height = struct.unpack_from(">II", png.read_bytes(), 16)
    assert 1000 < width < 3000
    assert 0.7 < width / height < 1.6


def test_everything_that_can_be_built_is_drawn_and_nothing_else_is_kept() -> None:
    assert {sheet.budget for sheet in SHEETS.values()} == set(BUDGETS)
    assert {file.stem for file in FOLDER.iterdir()} == {*SHEETS, HEADER}


def test_a_note_in_a_picture_is_read_back() -> None:
    png = (FOLDER / "block.png").read_bytes()
    assert read_text(with_text(png, "For", "you"), "For") == "you"
    assert read_text(png, "For") is None
    assert not shows(FOLDER / "block.png", FOLDER / "apple.svg")
    with pytest.raises(ValueError, match="not a PNG"):
        read_text(b"GIF89a", "For")
