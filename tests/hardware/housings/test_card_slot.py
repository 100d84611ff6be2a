"""A card goes into its slot, is stopped, and can be taken out again."""

from __future__ import annotations

import pytest
from manifold3d import Manifold

from hardware.making.housings.card_slot import bump_places
from hardware.making.housings.measures import measures
from hardware.making.housings.meshes import TOUCHING_MM3, shared_mm3, union
from hardware.making.housings.placed import Placed, card
from reboard.cards.sheet import card_shape

PIECES = Placed()
ALL_BUMPS = 7


def way_in(code: int) -> Manifold:
    """Return the space that a card of that *code* sweeps through on its way to the stop."""
    flat, bumps = card(), card(code) - card()
    swept = [flat, *bumps.decompose()]
    return union(Manifold.batch_hull([part, part.translate((0, -100, 0))]) for part in swept)


@pytest.mark.parametrize("across", [-1, 0, 1])
@pytest.mark.parametrize("lowered", [0, 1])
def test_a_card_with_all_bumps_goes_in_wherever_its_play_puts_it(across: int, lowered: int) -> None:
    said = measures("slot")
    moved = way_in(ALL_BUMPS).translate((across * said["play_beside"] * 0.99, 0, -lowered * said["play"] * 0.99))
    assert shared_mm3(PIECES.slot(), moved) < TOUCHING_MM3


def test_a_card_has_no_more_play_than_that() -> None:
    said = measures("slot")
    for moved in ((said["play_beside"] + 0.1, 0, 0), (0, 0, -said["play"] - 0.1)):
        assert shared_mm3(PIECES.slot(), card().translate(moved)) > 1


def test_a_card_is_stopped_where_its_bumps_are_over_the_switches() -> None:
    assert shared_mm3(PIECES.slot(), card()) < TOUCHING_MM3
    assert shared_mm3(PIECES.slot(), card().translate((0, 0.2, 0))) > 1


def test_bumps_are_where_a_card_that_lies_on_its_back_has_them() -> None:
    """Seen from above, what is on the left of its back is on the right."""
    shape, said = card_shape(), measures("slot")
    deep = said["card_goes_in"] - shape.bumps.from_upper_edge
    assert bump_places() == [pytest.approx((-x, deep)) for x in shape.bumps.places]
    for number, weight in enumerate((1, 2, 4)):
        left, front, low, right, back, _ = (card(weight) - card()).bounding_box()
        assert ((left + right) / 2, (front + back) / 2) == pytest.approx(bump_places()[number], abs=1e-4)
        assert low == pytest.approx(-shape.card.thickness - shape.bumps.height)
