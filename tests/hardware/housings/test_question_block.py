"""The question block's two pieces go together, and what belongs inside fits."""

from __future__ import annotations

import math

import pytest
from manifold3d import Manifold

from hardware.making.housings.measures import measures
from hardware.making.housings.question_block import base, shell
from hardware.making.housings.solids import block, rod

WIDTH, DEPTH, HEIGHT = measures("block")["outside"]
FLOOR = measures("shell")["floor"]
CLEARANCE = 0.05


def upside_down(solid: Manifold) -> Manifold:
    """*solid* as it lies on the shell while that is on its top."""
    return solid.rotate((180, 0, 0)).translate((0, 0, HEIGHT + FLOOR + CLEARANCE))


def test_the_base_closes_the_shell_and_nothing_of_it_is_in_the_way() -> None:
    assert (shell() ^ upside_down(base())).volume() == pytest.approx(0, abs=1e-6)


def test_a_screw_goes_through_the_base_into_each_pillar() -> None:
    screw = measures("screw")
    edge = 2 * (measures("shell")["wall"] + screw["pillar"] / 2)
    for x in (-1, 1):
        for y in (-1, 1):
            place = (x * (WIDTH - edge) / 2, y * (DEPTH - edge) / 2, 0)
            assert (base() ^ rod(screw["m3_hole"] - 0.1, 99).translate(place)).volume() == pytest.approx(0, abs=1e-6)
            thread = rod(screw["m3_pilot"] - 0.1, 11).translate((place[0], place[1], HEIGHT - 11))
            assert (shell() ^ thread).volume() == pytest.approx(0, abs=1e-6)
            around = rod(screw["m3_pilot"] + 2, 11).translate((place[0], place[1], HEIGHT - 11))
            assert (shell() ^ around).volume() > 0.9 * (around - thread).volume() - 20


def test_a_pi_zero_stands_on_its_feet_and_touches_nothing_else() -> None:
    pi = measures("pi-zero")
    board = block(pi["width"], pi["depth"], 8).translate((0, 0, FLOOR + pi["standoff"] + CLEARANCE))
    assert (base() ^ board).volume() == pytest.approx(0, abs=1e-6)
    assert (shell() ^ upside_down(board)).volume() == pytest.approx(0, abs=1e-6)
    assert (base() ^ board.translate((0, 0, -2 * CLEARANCE))).volume() > 0


def test_the_arcade_button_has_its_hole_and_room_below() -> None:
    hole = measures("block")["button_hole"]
    assert (shell() ^ rod(hole, HEIGHT)).volume() == pytest.approx(0, abs=1e-6)
    missing = plate_volume(hole + 4) - (shell() ^ rod(hole + 4, FLOOR)).volume()
    assert missing == pytest.approx(plate_volume(hole + measures("printer")["gap"]), rel=0.01)


def plate_volume(diameter: float) -> float:
    """Of a disc as thick as the top."""
    return math.pi * diameter**2 / 4 * float(FLOOR)
