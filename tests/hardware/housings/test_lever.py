"""The apple's lever presses its switch at the end of its way, and not before."""

from __future__ import annotations

import numpy as np
import pytest

from hardware.making.housings import microswitch
from hardware.making.housings.measures import measures
from hardware.making.housings.meshes import TOUCHING_MM3, between, shared_mm3
from hardware.making.housings.placed import Placed, lever_switch

PIECES = Placed()
BASE = PIECES.base("apple")
SAID, MADE = measures("lever"), measures("microswitch")
TRAVEL, CLICKS = SAID["travel"], MADE["operates_at"]
BEFORE_THE_END = 5.0


def pushed_to(pulled: float) -> float:
    """Return the height of the roller's top with the lever pulled so far: the highest if they do not touch."""
    low, high = float(CLICKS - 3), float(MADE["free_at_most"])
    while high - low > 0.01:
        middle = (low + high) / 2
        touches = shared_mm3(lever_switch(microswitch.roller(middle)), PIECES.lever(pulled)) > TOUCHING_MM3
        low, high = (low, middle) if touches else (middle, high)
    return low


def test_the_switch_has_clicked_when_the_lever_is_all_the_way_back() -> None:
    assert pushed_to(TRAVEL) == pytest.approx(CLICKS - SAID["pressed"], abs=0.05)
    assert SAID["pressed"] <= MADE["overtravel"]


def test_the_switch_has_not_clicked_before() -> None:
    for pulled in np.arange(0, TRAVEL - BEFORE_THE_END + 0.1, 1):
        assert pushed_to(pulled) > CLICKS + MADE["travels_back"]


def test_the_lever_runs_in_its_rails_and_is_stopped_at_both_ends() -> None:
    for pulled in np.linspace(0, TRAVEL, 6):
        assert shared_mm3(PIECES.lever(pulled), BASE) < TOUCHING_MM3
    assert shared_mm3(PIECES.lever(TRAVEL + 0.5), BASE) > 1
    wall = between((-99, -95, 3), (-SAID["bar"][0] / 2 - 0.3, -92, 60))
    assert shared_mm3(PIECES.lever(0), wall) < TOUCHING_MM3
    assert shared_mm3(PIECES.lever(-0.5), wall) > 1


def test_the_lever_cannot_be_lifted_out_of_its_rails_nor_pushed_aside() -> None:
    gap = measures("printer")["gap"]
    for moved in ((0, 0, 2 * gap), (2 * gap, 0, 0), (-2 * gap, 0, 0)):
        assert shared_mm3(PIECES.lever(TRAVEL / 2).translate(moved), BASE) > 1
