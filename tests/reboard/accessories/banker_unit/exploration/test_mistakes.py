"""The exploration finds mistakes in the unit. ``make explore ARGS=--mistakes`` tries all of them."""

from __future__ import annotations

import pytest

from tests.reboard.accessories.banker_unit.exploration.explore import explore
from tests.reboard.accessories.banker_unit.exploration.mistakes import MISTAKES

FEW = (
    "a leading point is dropped",
    "C takes back without GO",
    "GO pays a salary though an amount is typed",
    "M answers an offer",
    "an amount stays when its card is taken out",
    "a timer is lost at its very time",
)


@pytest.mark.parametrize("name", FEW)
def test_the_exploration_finds_a_mistake(name: str) -> None:
    with MISTAKES[name].made():
        assert explore("world", depth=3, stop_at=1).found
