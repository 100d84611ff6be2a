"""No sequence of keys, cards and timers breaks a rule of the money, as deep as the time of a test lets it look."""

from __future__ import annotations

import pytest

from tests.reboard.accessories.banker_unit.exploration.explore import EDITIONS, as_play, explore


@pytest.mark.parametrize("edition", EDITIONS)
def test_no_sequence_of_inputs_breaks_a_rule(edition: str) -> None:
    result = explore(edition, seconds=20.0, at_least=2)
    assert not result.found, "\n\n".join(f"# {name}\n{as_play(edition, path)}" for name, path in result.found.items())
