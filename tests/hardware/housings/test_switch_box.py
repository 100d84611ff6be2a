"""Three switches below a slot read every card, and each can be set to click where it should."""

from __future__ import annotations

import pytest
from manifold3d import Manifold

from hardware.making.housings import microswitch
from hardware.making.housings.card_slot import bump_places
from hardware.making.housings.measures import measures
from hardware.making.housings.meshes import TOUCHING_MM3, at, in_the_way, rod, shared_mm3
from hardware.making.housings.placed import Placed, card, switches
from hardware.making.housings.switch_box import pin, setting_screws

PIECES = Placed()
MADE = measures("microswitch")
CLICKS = MADE["operates_at"]
WORST = 0.8
"""The most by which a switch clicks above or below the height of its data sheet."""

CODES = range(8)
PIN_ENDS = -20.0
"""The left end of 40 mm of wire in the box's middle."""


def code_read(shown: Manifold, *, clicks: float = CLICKS, lifted: float = 0) -> int:
    """Return the code that switches read from a card. A switch clicks if its roller is pushed further than that."""
    rollers = switches(microswitch.roller(clicks), lifted=lifted).decompose()
    by_place = [
        next(one for one in rollers if abs((one.bounding_box()[0] + one.bounding_box()[3]) / 2 - x) < 1)
        for x, _ in bump_places()
    ]
    return sum(1 << number for number, roller in enumerate(by_place) if shared_mm3(roller, shown) > TOUCHING_MM3)


@pytest.mark.parametrize("code", CODES)
def test_every_card_is_read_and_a_switch_that_clicks_elsewhere_is_set_by_its_screw(code: int) -> None:
    assert code_read(card(code)) == code
    assert code_read(card(code).translate((0, 0, -0.99 * measures("slot")["play"]))) == code
    assert measures("switch-box")["turns"] >= WORST
    for wrong in (-WORST, WORST):
        assert code_read(card(code), clicks=CLICKS + wrong) != code or code in (0, 7)
        assert code_read(card(code), clicks=CLICKS + wrong, lifted=-wrong) == code


def test_no_bump_pushes_a_switch_further_than_it_can_travel() -> None:
    assert code_read(card(7), clicks=CLICKS - MADE["overtravel"]) == 0
    half_a_millimetre = 0.5
    assert code_read(card(7), clicks=CLICKS - half_a_millimetre + 0.01) == 7


@pytest.mark.parametrize("lifted", [-1.0, 0.0, 1.0])
def test_switches_fit_their_wells_however_they_are_set(lifted: float) -> None:
    by = lifted * measures("switch-box")["turns"]
    inside = {
        "bodies": switches(microswitch.body(), lifted=by),
        "terminals": switches(microswitch.terminals(), lifted=by),
        "levers": switches(microswitch.lever(CLICKS), lifted=by),
        "rollers": switches(microswitch.roller(CLICKS), lifted=by),
    }
    for name, part in inside.items():
        around = {"box": PIECES.switch_box(), "slot": PIECES.slot(), name: part}
        assert in_the_way(around) == []


def test_one_pin_goes_through_the_box_and_all_switches() -> None:
    y, z = pin()
    thick, long = measures("switch-box")["pin"], 60.0
    wire = rod(thick, long).rotate((0, 90, 0)).translate((PIN_ENDS, y, z))
    around = rod(thick + 1, long).rotate((0, 90, 0)).translate((PIN_ENDS, y, z))
    bodies = switches(microswitch.body())
    assert in_the_way({"pin": wire, "box": PIECES.switch_box()}) == []
    assert in_the_way({"pin": wire, "bodies": bodies}) == []
    assert shared_mm3(around, PIECES.switch_box()) > 10
    assert shared_mm3(around, bodies) > 10


def test_a_setting_screw_reaches_the_body_and_no_terminal() -> None:
    screw = at(rod(3.0, 30), setting_screws(), pin()[1] - MADE["hole_above_bottom"] - 30)
    assert shared_mm3(screw, switches(microswitch.terminals())) < TOUCHING_MM3
    assert shared_mm3(screw, switches(microswitch.body())) < TOUCHING_MM3
    assert shared_mm3(screw.translate((0, 0, 0.1)), switches(microswitch.body())) > 1
    thread = rod(measures("screw")["m3_pilot"] + 1, 99).translate((0, 0, -99))
    assert shared_mm3(at(thread, setting_screws()), PIECES.switch_box()) > 3 * 10
