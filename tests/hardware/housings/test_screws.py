"""No head of a screw stands out of a base, and each screw goes through an insert in the shell."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from manifold3d import Manifold

from hardware.making.housings import banker_unit, box, worm_apple
from hardware.making.housings.measures import measures
from hardware.making.housings.meshes import TOUCHING_MM3, at, rod, shared_mm3
from hardware.making.housings.placed import Placed
from hardware.making.housings.places import Place

PIECES = Placed()
BASES = {
    "block": box.base_screws("block"),
    "die": box.base_screws("die"),
    "unit": banker_unit.base_screws(),
    "apple": worm_apple.screws(),
}
LEAST_HELD = 1.2
"""Millimetres of plastic between a head and what it holds the base to."""


def heads() -> Manifold:
    """A countersunk head, its flat side below on the bed's height, and its screw."""
    wide, high = measures("screw")["m3_head"]
    return Manifold.cylinder(high, wide / 2, 1.5) + rod(3.0, 30)


@pytest.mark.parametrize(("housing", "places"), BASES.items(), ids=BASES)
def test_every_head_goes_into_the_base_with_nothing_of_it_below(housing: str, places: Sequence[Place]) -> None:
    assert shared_mm3(PIECES.base(housing), at(heads(), places)) < TOUCHING_MM3


@pytest.mark.parametrize(("housing", "places"), BASES.items(), ids=BASES)
def test_every_head_holds_the_base_and_is_not_pulled_through_it(housing: str, places: Sequence[Place]) -> None:
    base = PIECES.base(housing)
    assert len(places) == 4
    for place in places:
        assert shared_mm3(base, at(heads(), [place], 0.6)) > 1
    floor = measures("shell")["floor"]
    left = floor - (measures("screw")["m3_countersunk"] - measures("screw")["m3_hole"]) / 2
    assert left >= LEAST_HELD
    ring = at(rod(measures("screw")["m3_hole"] + 2, left) - rod(measures("screw")["m3_hole"], 9), places, floor - left)
    assert shared_mm3(base, ring) == pytest.approx(ring.volume(), rel=0.02)


@pytest.mark.parametrize(("housing", "places"), BASES.items(), ids=BASES)
def test_each_screw_of_a_base_goes_through_an_insert_in_the_shell(housing: str, places: Sequence[Place]) -> None:
    shell = PIECES.shell(housing)
    (hole, deep), floor = measures("screw")["insert"], measures("shell")["floor"]
    assert shared_mm3(shell, at(rod(hole - 0.1, deep), places, floor)) < TOUCHING_MM3
    assert shared_mm3(shell, at(rod(3.0, measures("screw")["base_screw"] - floor), places, floor)) < TOUCHING_MM3
    around = at(rod(hole + 3.2, deep) - rod(hole + 0.1, deep), places, floor)
    assert shared_mm3(shell, around) == pytest.approx(around.volume(), rel=0.01)
