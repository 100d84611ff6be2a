"""The worm apple's pieces go together, and all that belongs inside fits and can move."""

from __future__ import annotations

import pytest

from hardware.making.housings import bought
from hardware.making.housings.measures import measures
from hardware.making.housings.meshes import TOUCHING_MM3, at, rod, shared_mm3
from hardware.making.housings.placed import Placed, worms
from hardware.making.housings.worm_apple import cam_height, height, motor_height

PIECES = Placed()
SAID = measures("apple")
FLOOR = measures("shell")["floor"]


@pytest.mark.parametrize("turned", range(0, 360, 30))
def test_every_worm_shows_enough_to_be_taken_and_stays_in_its_collar(turned: float) -> None:
    for worm in worms(turned).decompose():
        _, _, low, _, _, high = worm.bounding_box()
        assert high - height() >= SAID["shows"] - 1e-3
        assert low < height() - FLOOR - SAID["collar"][1]
    lifted_out = worms(turned).translate((0, 0, 100)) + worms(turned)
    assert shared_mm3(lifted_out, PIECES.shell("apple")) < TOUCHING_MM3


def test_two_posts_keep_the_plate_from_turning() -> None:
    for turned in (-6, 6):
        plate = PIECES.plate(0).rotate((0, 0, turned)).translate((0, 0, cam_height()))
        assert shared_mm3(plate, PIECES.shell("apple")) > 1


def test_the_motor_lies_on_its_feet_and_its_screws_end_in_them() -> None:
    motor = bought.motor().translate((0, 0, motor_height()))
    assert shared_mm3(motor, PIECES.base("apple")) < TOUCHING_MM3
    assert shared_mm3(motor.translate((0, 0, -0.1)), PIECES.base("apple")) > 1
    thread = measures("motor")["screw"] - measures("motor")["body"][2]
    pilot = measures("screw")["m3_pilot"]
    low = motor_height() - thread
    assert shared_mm3(PIECES.base("apple"), at(rod(pilot - 0.1, thread), bought.motor_holes(), low)) < TOUCHING_MM3
    assert shared_mm3(PIECES.base("apple"), at(rod(pilot + 2, thread), bought.motor_holes(), low)) > 2 * thread * 5
    assert low > FLOOR
