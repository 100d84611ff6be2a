"""No finger is caught in the apple, wherever its cam and its lever are: found from the files to print."""

from __future__ import annotations

from hardware.making.housings.finger_gaps import OPEN_MM
from hardware.making.housings.inside import in_the_apple, solids
from hardware.making.housings.measures import measures
from hardware.making.housings.meshes import TOUCHING_MM3, rod, shared_mm3, union
from hardware.making.housings.placed import Placed
from tests.hardware.housings.finger import gets_beside_the_plate, gets_beside_the_tongue, plate_moved, stays_open_above

PIECES = Placed()


def test_between_the_plate_and_what_is_above_it_12_mm_stay_open() -> None:
    assert stays_open_above(PIECES)


def test_between_the_plate_and_what_is_below_it_12_mm_stay_open() -> None:
    moving = {"wobble plate", "cam", "worms", "shell"}
    standing = [solid for name, solid in solids(in_the_apple(PIECES, 0, 0)).items() if name not in moving]
    below = union(standing) - rod(measures("cam")["diameter"] + 2, 99)
    assert all(shared_mm3(below, plate) < TOUCHING_MM3 for plate in plate_moved(PIECES, -OPEN_MM))


def test_no_finger_gets_past_the_plate_at_its_edge_or_its_tongue() -> None:
    assert not gets_beside_the_plate(PIECES)
    assert not gets_beside_the_tongue(PIECES)


def test_a_finger_behind_the_knob_has_room_when_the_lever_is_back() -> None:
    outside, beside = -measures("apple")["diameter"] / 2, measures("lever")["neck"][0] / 2
    finger = rod(OPEN_MM - 0.02, 40).translate((beside + OPEN_MM / 2, outside - OPEN_MM / 2, 0))
    assert shared_mm3(finger, PIECES.lever(0)) < TOUCHING_MM3
    assert shared_mm3(finger, PIECES.shell("apple")) < TOUCHING_MM3
    assert shared_mm3(finger.translate((0, -3, 0)), PIECES.lever(0)) > 1
