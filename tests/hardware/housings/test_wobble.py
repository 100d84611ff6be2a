"""Worms rise and fall, each at its own time, as the cam goes round."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hardware.making.housings.measures import measures
from hardware.making.housings.meshes import TOUCHING_MM3, block, rod, shared_mm3
from hardware.making.housings.placed import Placed
from hardware.making.housings.wobble import plate_height, plate_radius
from hardware.making.housings.worm_apple import holes

PIECES = Placed()
TURNS = range(0, 360, 5)
SOME_TURNS = (0, 40, 135, 250)
WORMS = [(math.hypot(x, y), math.degrees(math.atan2(y, x))) for x, y in holes()]


def height(worm: tuple[float, float], turned: float) -> float:
    return plate_height(*worm, turned)


@pytest.mark.parametrize("turned", SOME_TURNS)
def test_the_plate_is_as_high_under_each_worm_as_is_reckoned(turned: float) -> None:
    plate = PIECES.plate(turned)
    for (x, y), worm in zip(holes(), WORMS, strict=True):
        needle = rod(0.1, 200).translate((x, y, -100))
        assert (plate ^ needle).bounding_box()[5] == pytest.approx(height(worm, turned), abs=0.02)


def test_each_worm_is_lifted_by_its_stroke_and_lowered_again() -> None:
    outer = max(away for away, _ in WORMS)
    for worm in WORMS:
        heights = [height(worm, turned) for turned in TURNS]
        stroke = max(heights) - min(heights)
        assert stroke == pytest.approx(measures("apple")["stroke"] * worm[0] / outer, rel=0.01)
        assert stroke >= 10, "less hardly seems to wiggle"


def test_at_no_time_more_than_half_of_the_worms_are_up() -> None:
    middle = np.mean([height(worm, turned) for worm in WORMS for turned in TURNS])
    for turned in TURNS:
        up = sum(height(worm, turned) > middle + 0.1 for worm in WORMS)
        down = sum(height(worm, turned) < middle - 0.1 for worm in WORMS)
        assert up <= len(WORMS) / 2
        assert down <= len(WORMS) / 2
        assert up + down >= len(WORMS) - 4


@pytest.mark.parametrize("turned", SOME_TURNS)
def test_the_plate_lies_on_the_cam_and_its_tongue_stays_where_it_is(turned: float) -> None:
    plate, cam = PIECES.plate(turned), PIECES.cam(turned)
    assert shared_mm3(plate, cam) < TOUCHING_MM3
    assert shared_mm3(plate.translate((0, 0, -0.1)), cam) > 1
    tongue = (plate - rod(2 * plate_radius() + 3, 99).translate((0, 0, -50))).bounding_box()
    said = measures("cam")
    free = said["tongue"][0] / 2 + said["tongue_gap"]
    assert -free < tongue[1] < 0 < tongue[4] < free


def test_the_motors_shaft_goes_into_the_cam_and_turns_it() -> None:
    said = measures("motor")
    diameter, flats = said["shaft"]
    low = PIECES.cam().bounding_box()[2]
    shaft = (rod(diameter, said["shaft_long"][0]) ^ block(diameter, flats, 99)).translate(
        (0, 0, low - measures("cam")["above_motor"])
    )
    assert shared_mm3(shaft, PIECES.cam()) < TOUCHING_MM3
    assert shared_mm3(shaft.translate((0, 0, 0.1)), PIECES.cam()) > 1
    for turned in (-20, 20):
        assert shared_mm3(shaft.rotate((0, 0, turned)), PIECES.cam()) > 1
