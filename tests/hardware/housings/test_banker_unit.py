"""The banker unit's pieces go together, and all that belongs inside fits."""

from __future__ import annotations

from typing import get_args

import pytest

from hardware.making.housings import bought
from hardware.making.housings.banker_unit import display_screws, roof, slot_screws
from hardware.making.housings.card_slot import (
    Antenna,
    antenna_middle,
    bump_places,
    screws,
    sticker_from_mouth,
    under_side,
)
from hardware.making.housings.inside import HAIR, in_every_unit, solids, what_reads_cards
from hardware.making.housings.measures import measures
from hardware.making.housings.meshes import TOUCHING_MM3, at, block, in_the_way, rod, shared_mm3
from hardware.making.housings.placed import Placed, at_the_slots, card
from hardware.making.housings.raspberry_pi import Pi
from hardware.making.housings.switch_box import bottom

PIECES = Placed()
SAID = measures("unit")
WIDTH, DEPTH, HEIGHT = SAID["outside"]
FLOOR, WALL = measures("shell")["floor"], measures("shell")["wall"]
PIS: tuple[Pi, ...] = get_args(Pi)
ANTENNAS: tuple[Antenna, ...] = get_args(Antenna)
LEAST_THREAD = 4.0
DISPLAY_SCREW = 6
LONG_SCREW, MIDDLE_SCREW, SHORT_SCREW = 30, 20, 10


@pytest.mark.parametrize("pi", PIS)
def test_no_board_and_no_plug_lies_behind_a_coil(pi: Pi) -> None:
    wide, deep, _ = measures("antenna")["coil"]
    behind = at_the_slots(block(wide, deep, roof()).translate((0, sticker_from_mouth(), -roof())))
    inside = solids({**in_every_unit(PIECES, pi), **what_reads_cards(PIECES, pi, "coil")})
    of_plastic = {"shell", "base", "slots", "cards", "keypad", "antenna trays", "antennas"}
    metal = {name: part for name, part in inside.items() if name not in of_plastic}
    assert {"Pi", "solder board", "supply's plug", "amplifier"} < set(metal)
    assert [name for name, part in metal.items() if shared_mm3(part, behind) > TOUCHING_MM3] == []


def test_a_keypads_plug_goes_through_its_slit_with_a_gap_on_each_side() -> None:
    pins_apart, pins, gap = 2.54, 8, measures("printer")["gap"]
    wide, thick = measures("keypad")["plug"]
    assert wide >= pins * pins_apart
    assert thick >= pins_apart
    behind_foil = SAID["keypad_from_front"] + measures("keypad")["foil"][1]
    plug = block(wide, thick, HEIGHT + 1).translate((0, behind_foil + gap + thick / 2, 0))
    shell = PIECES.shell("unit").trim_by_plane((0, 0, 1), roof())
    for aside in (-gap + HAIR, gap - HAIR):
        assert shared_mm3(shell, plug.translate((aside, aside, 0))) < TOUCHING_MM3
        assert shared_mm3(shell, plug.translate((3 * aside, aside, 0))) > 1
        assert shared_mm3(shell, plug.translate((aside, 3 * aside, 0))) > 1


def test_a_display_lies_on_its_pillars_and_its_face_is_in_the_panel() -> None:
    display = bought.display().translate((*SAID["display"], HEIGHT))
    assert display.bounding_box()[5] == pytest.approx(HEIGHT)
    assert shared_mm3(PIECES.shell("unit"), display.translate((0, 0, 0.1))) > 1
    head = HEIGHT - measures("display")["bezel"][2] - measures("display")["board"][2]
    thread = rod(measures("screw")["m2_5_pilot"] - 0.1, DISPLAY_SCREW)
    assert shared_mm3(PIECES.shell("unit"), at(thread, display_screws(), head)) < TOUCHING_MM3
    for place in display_screws():
        assert shared_mm3(PIECES.shell("unit"), at(rod(5, HEIGHT), [place])) > 10


@pytest.mark.parametrize("deep", [24.2, 26.0])
def test_the_window_is_for_a_frame_of_24_mm_and_for_one_of_26(deep: float) -> None:
    wide, _, high = measures("display")["bezel"]
    frame = block(wide, deep, high).translate((*SAID["display"], HEIGHT - high))
    for aside in (-0.25, 0.25):
        assert shared_mm3(PIECES.shell("unit"), frame.translate((aside, aside, 0))) < TOUCHING_MM3


def test_a_card_is_held_between_the_slot_and_the_ribs_of_the_panel() -> None:
    cards = at_the_slots(card())
    assert shared_mm3(PIECES.shell("unit"), cards) < TOUCHING_MM3
    over_each_roller = at_the_slots(at(rod(2, 1), bump_places(), -1))
    raised = PIECES.shell("unit") ^ (cards ^ over_each_roller).translate((0, 0, 0.1))
    assert len(raised.decompose()) == 6


@pytest.mark.parametrize(
    ("long", "under", "places"),
    [
        (SHORT_SCREW, under_side(), screws()),
        (MIDDLE_SCREW, under_side() - measures("antenna")["height"], screws()[:2]),
        (LONG_SCREW, bottom(), screws()[2:]),
    ],
)
def test_screws_hold_the_slots_and_do_not_come_out_of_the_panel(
    long: float, under: float, places: list[tuple[float, float]]
) -> None:
    thread = long + under
    assert thread >= LEAST_THREAD
    in_thread = at(rod(measures("screw")["m3_pilot"] - 0.1, thread), places)
    assert shared_mm3(PIECES.shell("unit"), at_the_slots(in_thread)) < TOUCHING_MM3
    passing = at_the_slots(at(rod(3.0, long), places, under))
    pieces = {"slots": PIECES.slot(), "boxes": PIECES.switch_box(), "trays": PIECES.antenna_tray()}
    assert in_the_way({"screws": passing, "slots": at_the_slots(pieces["slots"])}) == []
    for piece in pieces.values():
        assert shared_mm3(passing, at_the_slots(piece)) < TOUCHING_MM3
    outermost = at(rod(3.0, 0.5), slot_screws(), HEIGHT - 0.5)
    assert shared_mm3(PIECES.shell("unit"), outermost) == pytest.approx(outermost.volume())


@pytest.mark.parametrize("antenna", ANTENNAS)
def test_an_antenna_stays_in_its_tray_and_the_rest_of_an_rc522_sticks_out_behind(antenna: Antenna) -> None:
    tray, (wide, deep, high) = PIECES.antenna_tray(), measures("antenna")[antenna]
    flat = block(wide, deep, high).translate((0, antenna_middle(antenna), under_side() - high))
    assert shared_mm3(tray, flat) < TOUCHING_MM3
    assert shared_mm3(tray, flat.translate((12, 0, 0))) > 1
    assert (shared_mm3(tray, flat.translate((0, 12, 0))) > 1) == (antenna != "rc522")


def test_an_rc522_has_its_antenna_below_the_sticker_of_a_card() -> None:
    """Its antenna is as deep as it is wide, at the end without pins."""
    wide, deep, _ = measures("antenna")["rc522"]
    assert antenna_middle("rc522") - (deep - wide) / 2 == pytest.approx(sticker_from_mouth(), abs=2)
