from __future__ import annotations

import pytest

from reboard.wiring.electrical.figures import all_of, apart


@pytest.mark.parametrize(
    ("value", "limit", "digits", "told"),
    [
        (3.6, 3.5, 1, "3.6"),
        (3.54, 3.5, 1, "3.54"),
        (1.9999, 2.0, 1, "1.9999"),
        (16.05, 16, 0, "16.1"),
        (2.5, 2.5, 1, "2.5"),
    ],
)
def test_a_figure_beyond_a_limit_does_not_read_as_the_limit(value: float, limit: float, digits: int, told: str) -> None:
    assert apart(value, limit, digits) == told


def test_a_list_has_commas_and_ends_with_and() -> None:
    assert [all_of(words) for words in (["a"], ["a", "b"], ["a", "b", "c"])] == ["a", "a and b", "a, b and c"]
