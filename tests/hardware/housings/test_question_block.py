"""The question block's two pieces go together, and what belongs inside fits."""

from __future__ import annotations

import math

import pytest
from manifold3d import Manifold

from hardware.making.housings.apart import in_the_way
from hardware.making.housings.bought import speaker
from hardware.making.housings.inside import in_the_block, solids
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


def test_a_long_pi_leaves_the_plug_of_its_supply_its_room_and_the_speaker_too() -> None:
    said, wall = measures("block"), measures("shell")["wall"]
    back = pi_from_middle("pi-3-4-5") + measures("pi-3-4-5")["depth"] / 2
    assert DEPTH / 2 - wall - back >= said["plug"]
    loud = speaker().rotate((-90, 0, 0)).translate((0, wall - DEPTH / 2, FLOOR + HEIGHT / 2))
    for pi in PIS:
        board = room(pi, FLOOR).translate((0, pi_from_middle(pi), 0))
        assert (loud ^ board).volume() == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("pi", PIS)
def test_an_amplifier_has_its_place_on_the_left_wall_and_a_plug_behind_the_pi(pi: Pi) -> None:
    things = solids(in_the_block(pi))
    assert {"amplifier", "supply's plug", "speaker", "button", "Pi", "shell", "base"} == set(things)
    assert things["amplifier"].bounding_box()[0] == pytest.approx(measures("shell")["wall"] - WIDTH / 2, abs=0.1)
    assert in_the_way(things) == []


def test_the_arcade_button_has_its_hole_and_room_below() -> None:
    hole = measures("block")["button_hole"]
    assert (shell() ^ rod(hole, HEIGHT)).volume() == pytest.approx(0, abs=1e-6)
    missing = plate_volume(hole + 4) - (shell() ^ rod(hole + 4, FLOOR)).volume()
    assert missing == pytest.approx(plate_volume(hole + measures("printer")["gap"]), rel=0.01)


def plate_volume(diameter: float) -> float:
    """Of a disc as thick as the top."""
    return math.pi * diameter**2 / 4 * float(FLOOR)
