"""No sequence of three keys, cards and timers after any setup breaks a rule of the money."""

from __future__ import annotations

import pytest

from tests.reboard.accessories.banker_unit.exploration.explore import EDITIONS, as_play, explore

DEPTH = 3


@pytest.mark.parametrize("edition", EDITIONS)
def test_no_sequence_of_inputs_breaks_a_rule(edition: str) -> None:
    result = explore(edition, depth=DEPTH)
    assert not result.found, "\n\n".join(f"# {name}\n{as_play(edition, path)}" for name, path in result.found.items())
