"""The question block's two pieces go together, and what belongs inside fits."""

from __future__ import annotations

import pytest
from manifold3d import Manifold

from hardware.making.housings.measures import measures
from hardware.making.housings.question_block import base, pi_from_middle, shell
from hardware.making.housings.raspberry_pi import Pi, room
from hardware.making.housings.solids import rod

WIDTH, DEPTH, HEIGHT = measures("block")["outside"]
FLOOR = measures("shell")["floor"]
CLEARANCE = 0.05


PIS: tuple[Pi, ...] = ("pi-zero", "pi-3-4-5")


def turned_over(solid: Manifold) -> Manifold:
    """*solid* as it lies on the shell while that is on its top, the holes for the cable together."""
    return solid.rotate((0, 180, 0)).translate((0, 0, HEIGHT + FLOOR + CLEARANCE))


def test_the_base_closes_the_shell_and_nothing_of_it_is_in_the_way() -> None:
    assert (shell() ^ turned_over(base())).volume() == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("pi", PIS)
def test_a_pi_stands_on_its_feet_and_touches_nothing_else(pi: Pi) -> None:
    board = room(pi, FLOOR + CLEARANCE).translate((0, pi_from_middle(pi), 0))
    assert (base(pi) ^ board).volume() == pytest.approx(0, abs=1e-6)
    assert (shell() ^ turned_over(board)).volume() == pytest.approx(0, abs=1e-6)
    assert (base(pi) ^ board.translate((0, 0, -2 * CLEARANCE))).volume() > 0


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
            assert (base(pi) ^ rod(measures("screw")["m2_5_pilot"] - 0.1, 99).translate(place)).volume() < 1e-6
            assert (base(pi) ^ rod(said["hole"] + 2, 99).translate(place)).volume() > 20
