"""The screws of a Pi fit question block and speed die, and the die shows every LED."""

from __future__ import annotations

import pytest

from hardware.making.housings.box import Box, pi_from_middle, row_screws
from hardware.making.housings.measures import measures
from hardware.making.housings.meshes import TOUCHING_MM3, at, block, rod, shared_mm3
from hardware.making.housings.placed import Placed
from hardware.making.housings.raspberry_pi import Pi

PIS: tuple[Pi, ...] = ("pi-zero", "pi-3-4-5")


@pytest.mark.parametrize("box", ["block", "die"])
@pytest.mark.parametrize("pi", PIS)
def test_the_screws_of_a_pi_are_where_its_holes_are(box: Box, pi: Pi) -> None:
    """From the drawings: 3.5 mm from the edges that it shares with a Pi Zero."""
    said, from_edge = measures(pi), 3.5
    left = said["holes_from_middle"][0] - said["holes_apart"][0] / 2
    right = said["holes_from_middle"][0] + said["holes_apart"][0] / 2
    assert said["width"] / 2 - max(-left, right) == pytest.approx(from_edge)
    assert (said["depth"] - said["holes_apart"][1]) / 2 == pytest.approx(from_edge)
    for x in (left, right):
        for y in (-1, 1):
            place = (x, pi_from_middle(box, pi) + y * said["holes_apart"][1] / 2, 1.01)
            base = Placed().base(box, pi)
            assert shared_mm3(base, rod(measures("screw")["m2_5_pilot"] - 0.1, 99).translate(place)) < TOUCHING_MM3
            assert shared_mm3(base, rod(said["hole"] + 2, 99).translate(place)) > 20


def test_the_die_shows_every_led_of_its_modules_and_lets_none_of_them_fall_through() -> None:
    """A module is 32 mm wide, with LEDs of 3 mm that are 4 mm apart."""
    shell, middle = Placed().shell("die"), measures("die")["row"]
    dots = [(4 * x - 46.0, 4 * y - 14.0 + middle) for x in range(24) for y in range(8)]
    assert shared_mm3(shell, at(rod(3.0, 99), dots)) < TOUCHING_MM3
    top = measures("die")["outside"][2] + measures("shell")["floor"]
    face = block(96.0, 32.0, 1.0).translate((0, middle, top - 1.0))
    for x, y in [(0.5, 0), (-0.5, 0), (0, 0.5), (0, -0.5)]:
        assert shared_mm3(shell, face.translate((x, y, 0))) > 10


def test_four_screws_hold_the_modules_of_the_die_without_piercing_its_top() -> None:
    shell, washer, screw = Placed().shell("die"), 1.0, 10.0
    _, _, high = measures("led-modules")["row"]
    back = measures("die")["outside"][2] + measures("shell")["floor"] - measures("die")["lip"][1] - high
    threads = at(rod(measures("screw")["m3_pilot"] - 0.1, screw), row_screws(), back - washer)
    assert shared_mm3(shell, threads) < TOUCHING_MM3
    assert all(shared_mm3(shell, at(rod(3.0, screw), [place], back - washer)) > 5 for place in row_screws())
