"""No sequence of keys, cards and timers after any setup breaks a rule of the money."""

from __future__ import annotations

import pytest

from tests.reboard.accessories.banker_unit.exploration.explore import as_play, explore

DEPTHS = {"world": 3, "classic-de": 2}
"""How many acts are tried after each setup. `make explore` goes on in all editions."""


@pytest.mark.parametrize("edition", DEPTHS)
def test_no_sequence_of_inputs_breaks_a_rule(edition: str) -> None:
    result = explore(edition, depth=DEPTHS[edition])
    assert not result.found, "\n\n".join(f"# {name}\n{as_play(edition, path)}" for name, path in result.found.items())
