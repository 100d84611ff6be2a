"""No head of a screw stands out of a base, so that a housing stands on its base and not on four heads."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from manifold3d import Manifold

from hardware.making.housings import banker_unit, question_block, worm_apple
from hardware.making.housings.apart import TOUCHING_MM3, shared_mm3
from hardware.making.housings.measures import measures
from hardware.making.housings.solids import Place, at, rod

Make = Callable[[], Manifold]

BASES = {
    "block": (question_block.base, question_block.base_screws()),
    "unit": (banker_unit.base, banker_unit.base_screws()),
    "apple": (worm_apple.base, worm_apple.screws()),
}
LEAST_HELD = 1.2
"""Millimetres of plastic between a head and what it holds the base to."""


def heads() -> Manifold:
    """A countersunk head, its flat side below on the bed's height, and its screw."""
    wide, high = measures("screw")["m3_head"]
    return Manifold.cylinder(high, wide / 2, 1.5) + rod(3.0, 30)


@pytest.mark.parametrize(("make", "places"), BASES.values(), ids=BASES)
def test_every_head_goes_into_the_base_with_nothing_of_it_below(make: Make, places: Sequence[Place]) -> None:
    assert shared_mm3(make(), at(heads(), places)) < TOUCHING_MM3


@pytest.mark.parametrize(("make", "places"), BASES.values(), ids=BASES)
def test_every_head_holds_the_base_and_is_not_pulled_through_it(make: Make, places: Sequence[Place]) -> None:
    base = make()
    assert len(places) == 4
    for place in places:
        assert shared_mm3(base, at(heads(), [place], 0.6)) > 1
    floor = measures("shell")["floor"]
    left = floor - (measures("screw")["m3_countersunk"] - measures("screw")["m3_hole"]) / 2
    assert left >= LEAST_HELD
    ring = at(rod(measures("screw")["m3_hole"] + 2, left) - rod(measures("screw")["m3_hole"], 9), places, floor - left)
    assert shared_mm3(base, ring) == pytest.approx(ring.volume(), rel=0.02)
