"""Who has won."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reboard.banker.ranking import Ranked, ranking

WORTHS = st.dictionaries(st.integers(1, 8), st.integers(-5, 5))


def test_the_best_comes_first_and_equals_share_a_place() -> None:
    assert ranking({1: 50, 2: 70, 3: 50, 4: 10}) == [
        Ranked(1, 2, 70),
        Ranked(2, 1, 50),
        Ranked(2, 3, 50),
        Ranked(4, 4, 10),
    ]


@given(WORTHS)
def test_everybody_has_one_place_behind_all_who_are_worth_more(worths: dict[int, int]) -> None:
    ranked = ranking(worths)
    assert {player.card: player.worth for player in ranked} == worths
    assert len(ranked) == len(worths)
    for player in ranked:
        assert player.place == 1 + sum(worth > player.worth for worth in worths.values())
    assert [player.place for player in ranked] == sorted(player.place for player in ranked)
