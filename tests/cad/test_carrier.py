"""Where the carrier board has room: on a Pi's header in a banker unit that is a little higher."""

from __future__ import annotations

from pathlib import Path

import pytest
from build123d import Align, Box, Compound, Pos, export_step

from hardware.making.cad import build
from hardware.making.cad.carrier import boxes, in_its_way, in_the_unit
from hardware.making.housings.inside import Things, in_every_unit, what_reads_cards
from hardware.making.housings.placed import Placed
from tests.hardware.housings.changing import housings_with

WIDE, DEEP, THICK = 100.0, 95.0, 1.6
TALLEST = 15.0
PI_CORNER = (35.0, 56.0)
CARRIED = {"solder board", "amplifier", "Pi", "first reader's board", "second reader's board", "USB hub"}
"""What is on the board or below it, and what it replaces."""

ROOM = {"unit.outside.2": 62.0, "unit.pi.0": 25.5}
"""A unit 12 mm higher, and its Pi to the left."""


@pytest.fixture
def board(tmp_path: Path) -> Path:
    """A board with a part in the middle, 15 mm high."""
    corner = (Align.MIN, Align.MIN, Align.MIN)
    part = Pos(WIDE / 2, DEEP / 2, THICK) * Box(20, 10, TALLEST, align=corner)
    export_step(Compound(children=[Box(WIDE, DEEP, THICK, align=corner), part]), tmp_path / "board.step")
    return tmp_path / "board.step"


def others(pieces: Placed) -> Things:
    inside = {**in_every_unit(pieces, "pi-zero"), **what_reads_cards(pieces, "pi-zero", "coil")}
    return {name: thing for name, thing in inside.items() if name not in CARRIED}


def test_a_boxes_size_is_that_of_the_board_and_its_parts(board: Path) -> None:
    assert boxes(board).bounding_box() == pytest.approx((0, 0, 0, WIDE, DEEP, THICK + TALLEST))
    assert boxes(board).volume() == pytest.approx(WIDE * DEEP * THICK + 20 * 10 * TALLEST)


def test_in_the_unit_as_it_is_the_shell_is_in_its_way(board: Path) -> None:
    assert "shell" in in_its_way(in_the_unit(boxes(board), "pi-zero", PI_CORNER), others(Placed()))


def test_it_has_room_in_a_unit_that_is_a_little_higher(board: Path, tmp_path: Path) -> None:
    with housings_with(ROOM):
        for name in ("unit-shell", "unit-base", "unit-slot", "unit-antenna-tray"):
            build.export(build.MAKERS[name](), tmp_path / name)
        assert in_its_way(in_the_unit(boxes(board), "pi-zero", PI_CORNER), others(Placed(tmp_path))) == []
