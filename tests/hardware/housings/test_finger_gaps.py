"""No finger is caught in the apple, wherever its cam and its lever are: found from the solids."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from manifold3d import CrossSection, JoinType, Manifold, OpType

from hardware.making.housings.apart import TOUCHING_MM3, shared_mm3
from hardware.making.housings.finger_gaps import CLOSED_MM, OPEN_MM
from hardware.making.housings.inside import in_the_apple, solids
from hardware.making.housings.lever import lever_in_place
from hardware.making.housings.measures import measures
from hardware.making.housings.solids import rod
from hardware.making.housings.wobble import plate_bottom, plate_in_place, plate_radius
from hardware.making.housings.worm_apple import cam_height, height, shell_in_place
from tests.hardware.housings.changing import housings_with

TURNS = range(0, 360, 10)
STEP = 2.0
"""Millimetres that the plate is moved at a time: it is thicker, so it jumps over nothing."""

THROUGH_WALL = (-82.0, -85.0, -88.0)
"""Places between fence and wall, where the plate's tongue is."""


def plate_moved(least: float) -> Iterator[Manifold]:
    """The plate at every angle of the cam, moved up or down by up to *least*."""
    steps = round(abs(least) / STEP)
    for turned in TURNS:
        plate = plate_in_place(turned).translate((0, 0, cam_height()))
        yield from (plate.translate((0, 0, least * step / steps)) for step in range(steps + 1))


def stays_open_above() -> bool:
    shell = shell_in_place()
    return all(shared_mm3(shell, plate) < TOUCHING_MM3 for plate in plate_moved(OPEN_MM))


def test_between_the_plate_and_what_is_above_it_12_mm_stay_open() -> None:
    assert stays_open_above()


@pytest.mark.parametrize(("place", "number"), [("apple.collar.1", 15.0), ("apple.stroke", 20.0), ("apple.shows", 15.0)])
def test_the_solids_show_that_with_a_former_measure_it_closes(place: str, number: float) -> None:
    with housings_with(place, number):
        assert not stays_open_above()


def test_between_the_plate_and_what_is_below_it_12_mm_stay_open() -> None:
    moving = {"wobble plate", "cam", "worms", "shell"}
    standing = [solid for name, solid in solids(in_the_apple(0, 0)).items() if name not in moving]
    below = Manifold.batch_boolean(standing, OpType.Add) - rod(measures("cam")["diameter"] + 2, 99)
    assert all(shared_mm3(below, plate) < TOUCHING_MM3 for plate in plate_moved(-OPEN_MM))


def parts_of_room(section: CrossSection) -> list[CrossSection]:
    """Where the middle of a finger of 5 mm can be, as areas that it cannot leave."""
    room = CrossSection.square((2 * measures("apple")["diameter"], height()), center=True).translate((0, height() / 2))
    found: list[CrossSection] = (room - section).offset(-CLOSED_MM / 2, JoinType.Round).decompose()
    return found


def upright(solid: Manifold) -> CrossSection:
    """The section through y = 0; its second axis is the height."""
    return solid.rotate((-90, 0, 0)).slice(0)


def gets_past(section: CrossSection, above: CrossSection, below: CrossSection) -> bool:
    return any(not (part ^ above).is_empty() and not (part ^ below).is_empty() for part in parts_of_room(section))


def mark(x: float, up: float) -> CrossSection:
    return CrossSection.square((1, 1), center=True).translate((x, up))


def gets_beside_the_plate() -> bool:
    # at 180° the section is through the tongue; beside that it would be along the tongue's narrow gap
    shell, low = shell_in_place(), cam_height() + plate_bottom(plate_radius()) - CLOSED_MM
    above = mark(20, height() - measures("shell")["floor"] - measures("apple")["collar"][1] - OPEN_MM / 2)
    for turned in range(0, 360, 45):
        inside = shell + plate_in_place(turned).translate((0, 0, cam_height())) + rod(40, 50)
        for around in range(0, 360, 5):
            if gets_past(upright(inside.rotate((0, 0, -around))), above, mark(plate_radius() - 10, low)):
                return True
    return False


def gets_beside_the_tongue() -> bool:
    shell, middle = shell_in_place(), cam_height() + measures("cam")["hub"]
    for turned in range(0, 360, 30):
        inside = shell + plate_in_place(turned).translate((0, 0, cam_height()))
        for place in THROUGH_WALL:
            section = upright(inside.translate((-place, 0, 0)).rotate((0, 0, 90)))
            if gets_past(section, mark(0, middle + 20), mark(0, middle - 20)):
                return True
    return False


def test_no_finger_gets_past_the_plate_at_its_edge_or_its_tongue() -> None:
    assert not gets_beside_the_plate()
    assert not gets_beside_the_tongue()


def test_the_probe_finds_a_gap_at_the_edge_and_at_the_tongue() -> None:
    with housings_with("apple.fence.1", 3.5):
        assert gets_beside_the_plate()
    with housings_with("cam.tongue_gap", 4.0):
        assert gets_beside_the_tongue()


def test_a_finger_behind_the_knob_has_room_when_the_lever_is_back() -> None:
    outside, beside = -measures("apple")["diameter"] / 2, measures("lever")["neck"][0] / 2
    finger = rod(OPEN_MM - 0.02, 40).translate((beside + OPEN_MM / 2, outside - OPEN_MM / 2, 0))
    assert shared_mm3(finger, lever_in_place(0)) < TOUCHING_MM3
    assert shared_mm3(finger, shell_in_place()) < TOUCHING_MM3
    assert shared_mm3(finger.translate((0, -3, 0)), lever_in_place(0)) > 1
