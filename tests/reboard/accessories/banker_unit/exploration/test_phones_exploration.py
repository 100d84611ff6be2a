"""No sequence of two requests of phones after any setup moves money that nobody agreed to move."""

from __future__ import annotations

import pytest

from tests.reboard.accessories.banker_unit.exploration.phones import SETUPS, explore

DEPTH = 2


@pytest.mark.parametrize("name", SETUPS)
def test_no_sequence_of_requests_breaks_a_rule(name: str) -> None:
    states, found = explore(name, DEPTH)
    assert states > 500
    assert not found, found
