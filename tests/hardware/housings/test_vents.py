"""Enough of each housing's walls is open that a Pi does not get too warm: measured on the solids."""

from __future__ import annotations

import pytest
from manifold3d import Manifold

from hardware.making.housings import banker_unit, box, worm_apple
from hardware.making.housings.box import Box
from hardware.making.housings.measures import measures
from hardware.making.housings.meshes import between, rod
from hardware.making.housings.placed import Placed
from hardware.making.housings.vents import LEAST_MM2, Row, open_mm2

WALL = measures("shell")["wall"]
THIN = 0.1


def back(row: Row, away: float) -> Manifold:
    room, low, high = row
    return between((-room / 2, away - WALL / 2, low), (room / 2, away - WALL / 2 + THIN, high))


def round_back(row: Row, diameter: float) -> Manifold:
    room, low, high = row
    middle = diameter - WALL
    ring = rod(middle, high - low) - rod(middle - 2 * THIN, high - low)
    return ring.translate((0, 0, low)) ^ between((-room / 2, 0, low), (room / 2, diameter, high))


def measured(shell: Manifold, sheet: Manifold) -> float:
    return float((sheet - shell).volume() / THIN)


def in_a_box(name: Box) -> tuple[float, float]:
    row, shell, (width, depth, _) = box.vent_row(name), Placed().printed(f"{name}-shell"), measures(name)["outside"]
    both = measured(shell, back(row, depth / 2)) + measured(shell.rotate((0, 0, -90)), back(row, width / 2))
    return both, 2 * open_mm2(row)


def test_as_much_is_open_as_is_reckoned_and_needed() -> None:
    unit, apple = banker_unit.vent_row(), worm_apple.vent_row()
    pieces = Placed()
    found = {
        "block": in_a_box("block"),
        "die": in_a_box("die"),
        "unit": (measured(pieces.shell("unit"), back(unit, measures("unit")["outside"][1])), open_mm2(unit)),
        "apple": (
            measured(pieces.shell("apple"), round_back(apple, measures("apple")["diameter"])),
            open_mm2(apple),
        ),
    }
    for is_open, reckoned in found.values():
        assert is_open == pytest.approx(reckoned, rel=0.05)
        assert is_open >= LEAST_MM2
