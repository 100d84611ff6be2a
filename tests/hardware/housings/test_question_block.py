"""The screws of a Pi fit the question block."""

from __future__ import annotations

import pytest

from hardware.making.housings.measures import measures
from hardware.making.housings.meshes import TOUCHING_MM3, rod, shared_mm3
from hardware.making.housings.placed import Placed
from hardware.making.housings.question_block import pi_from_middle
from hardware.making.housings.raspberry_pi import Pi

PIS: tuple[Pi, ...] = ("pi-zero", "pi-3-4-5")


@pytest.mark.parametrize("pi", PIS)
def test_the_screws_of_a_pi_are_where_its_holes_are(pi: Pi) -> None:
    """From the drawings: 3.5 mm from the edges that it shares with a Pi Zero."""
    said, from_edge = measures(pi), 3.5
    left = said["holes_from_middle"][0] - said["holes_apart"][0] / 2
    right = said["holes_from_middle"][0] + said["holes_apart"][0] / 2
    assert said["width"] / 2 - max(-left, right) == pytest.approx(from_edge)
    assert (said["depth"] - said["holes_apart"][1]) / 2 == pytest.approx(from_edge)
    for x in (left, right):
        for y in (-1, 1):
            place = (x, pi_from_middle(pi) + y * said["holes_apart"][1] / 2, 1.01)
            base = Placed().base("block", pi)
            assert shared_mm3(base, rod(measures("screw")["m2_5_pilot"] - 0.1, 99).translate(place)) < TOUCHING_MM3
            assert shared_mm3(base, rod(said["hole"] + 2, 99).translate(place)) > 20
