"""Outcomes and odds. Random numbers are seeded, so a test that passes always passes."""

from collections import Counter
from random import Random

import pytest

from reboard.accessories.question_block.outcomes import Bag, Odds, Outcome

PRESSES = 36_000
SEED = 20_081


def test_the_default_odds_are_the_rule_books_and_a_press_costs_2_17_coins() -> None:
    odds = [(outcome, weight) for outcome, weight in Odds().weighted() if weight]
    assert odds == [
        *((Outcome("coins", n), 2) for n in range(1, 7)),
        (Outcome("laugh"), 12),
        (Outcome("power_up"), 6),
        (Outcome("game_over"), 6),
    ]
    worth = {"coins": 1, "laugh": -5, "power_up": 0, "game_over": -10}
    total = sum(weight * (outcome.coins or 1) * worth[outcome.kind] for outcome, weight in odds)
    assert total / 36 == pytest.approx(-2.17, abs=0.005)


def test_outcomes_come_as_often_as_their_weights_say() -> None:
    rng, odds = Random(SEED), Odds()
    seen = Counter(odds.draw(rng) for _ in range(PRESSES))
    # chi-squared with 8 degrees of freedom: a fair draw exceeds 26.1 for one seed in a thousand
    assert sum((seen[o] - PRESSES * w / 36) ** 2 / (PRESSES * w / 36) for o, w in odds.weighted() if w) < 26.1
    odds = Odds(coins=(0, 0, 1), laugh=0, power_up=1, game_over=0)
    assert {odds.draw(rng) for _ in range(1000)} == {Outcome("coins", 3), Outcome("power_up")}


def test_a_bag_gives_each_token_once_in_another_order_each_time() -> None:
    rng, bag = Random(SEED), Bag(Odds())
    rounds = [[bag.draw(rng) for _ in range(36)] for _ in range(3)]
    assert all(Counter(outcomes) == Counter(dict(Odds().weighted())) for outcomes in rounds)
    assert rounds[0] != rounds[1]


@pytest.mark.parametrize(
    ("odds", "cause"),
    [
        ({"coins": (1, 1, 1, 1, 1, 1, 1)}, "at most 6 weights"),
        ({"laugh": -1}, "at least 0"),
        ({"luagh": 1}, "no outcome 'luagh': use coins, laugh"),
        ({"coins": (), "laugh": 0, "power_up": 0, "game_over": 0}, "at least one weight must be above 0"),
    ],
)
def test_invalid_odds_are_rejected(odds: dict[str, object], cause: str) -> None:
    with pytest.raises(ValueError, match=cause):
        Odds(**odds)  # type: ignore[arg-type]
