"""The worm apple's pieces go together, and all that belongs inside fits and can move."""

from __future__ import annotations

import math

import pytest

from hardware.making.housings import bought
from hardware.making.housings.apart import TOUCHING_MM3, in_the_way, shared_mm3
from hardware.making.housings.inside import in_the_apple, solids
from hardware.making.housings.measures import measures
from hardware.making.housings.raspberry_pi import room
from hardware.making.housings.solids import at, rod
from hardware.making.housings.wobble import plate_in_place
from hardware.making.housings.worm_apple import (
    base,
    cam_height,
    collar_length,
    height,
    holes,
    motor_height,
    screws,
    shell_in_place,
    worms,
)

SAID = measures("apple")
FLOOR = measures("shell")["floor"]
ALL_WORMS = 20
LEAST_BETWEEN = 5.0
"""Fingers go between worms, and plastic between holes."""


@pytest.mark.parametrize("turned", range(0, 360, 45))
def test_nothing_is_in_the_way_of_anything_as_the_worms_dance(turned: float) -> None:
    assert in_the_way(solids(in_the_apple(turned, pulled=0))) == []


def test_nothing_is_in_the_way_of_the_lever() -> None:
    for part in (0.25, 0.5, 0.75, 1.0):
        things = in_the_apple(0, pulled=part * measures("lever")["travel"])
        assert in_the_way(solids(things)) == []


def test_there_are_twenty_worms_and_room_between_them() -> None:
    assert len(holes()) == ALL_WORMS
    wide = SAID["worm"][0] + 2 * (SAID["hole_gap"] + SAID["collar"][0])
    nearest = min(math.dist(one, other) for one in holes() for other in holes() if one != other)
    assert nearest - wide >= LEAST_BETWEEN


@pytest.mark.parametrize("turned", range(0, 360, 30))
def test_every_worm_shows_enough_to_be_taken_and_stays_in_its_collar(turned: float) -> None:
    for worm in worms(turned).decompose():
        _, _, low, _, _, high = worm.bounding_box()
        assert high - height() >= SAID["shows"] - 1e-3
        assert low < height() - FLOOR - collar_length()
    lifted_out = worms(turned).translate((0, 0, 100)) + worms(turned)
    assert shared_mm3(lifted_out, shell_in_place()) < TOUCHING_MM3


def test_a_collar_is_long_enough_to_guide_a_worm() -> None:
    assert collar_length() >= SAID["worm"][0] / 4


def test_two_posts_keep_the_plate_from_turning() -> None:
    for turned in (-6, 6):
        plate = plate_in_place(0).rotate((0, 0, turned)).translate((0, 0, cam_height()))
        assert shared_mm3(plate, shell_in_place()) > 1


def test_the_motor_lies_on_its_feet_and_its_screws_end_in_them() -> None:
    motor = bought.motor().translate((0, 0, motor_height()))
    assert shared_mm3(motor, base()) < TOUCHING_MM3
    assert shared_mm3(motor.translate((0, 0, -0.1)), base()) > 1
    thread = measures("motor")["screw"] - measures("motor")["body"][2]
    pilot = measures("screw")["m3_pilot"]
    low = motor_height() - thread
    assert shared_mm3(base(), at(rod(pilot - 0.1, thread), bought.motor_holes(), low)) < TOUCHING_MM3
    assert shared_mm3(base(), at(rod(pilot + 2, thread), bought.motor_holes(), low)) > 2 * thread * 5
    assert low > FLOOR


def test_a_screw_goes_through_the_base_into_each_pillar() -> None:
    pilot = measures("screw")["m3_pilot"]
    assert shared_mm3(base(), at(rod(3.0, 99), screws())) < TOUCHING_MM3
    assert shared_mm3(shell_in_place(), at(rod(pilot - 0.1, 11), screws(), FLOOR)) < TOUCHING_MM3
    assert shared_mm3(shell_in_place(), at(rod(pilot + 2, 11), screws(), FLOOR)) > 4 * 11 * 9


def test_a_pi_stands_on_its_feet() -> None:
    board = room("pi-zero", FLOOR).translate((*SAID["pi"], -0.1))
    assert shared_mm3(base(), board) > 0.1
