"""The outcomes of a press of the question block, and their odds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Literal, Protocol

from reboard.record import Record

Kind = Literal["coins", "power_up", "laugh", "game_over"]

MOST_COINS = 6
"""The largest number of coins, from the rule book: one die determines the coins when playing without sound."""


class Outcome(Record):
    """The outcome of a press. *coins* is 1 to 6 for the kind ``coins``, and 0 for all other kinds."""

    kind: Kind
    coins: int = 0


LAUGH, POWER_UP, GAME_OVER = Outcome("laugh"), Outcome("power_up"), Outcome("game_over")


class Chance(Protocol):
    """A source of outcomes."""

    def weighted(self) -> list[tuple[Outcome, int]]:
        """Return all outcomes with their weights."""

    def draw(self, rng: Random) -> Outcome:
        """Return a random outcome."""


class Odds(Record):
    """The weights of the outcomes: whole numbers from 0, not all of them 0.

    The default is the rule book's table for playing without sound, in 36ths. One die decides the
    kind: 1 or 2 for coins, 3 or 4 for laugh, 5 for power-up, 6 for game over. A second die gives the number of coins.

    Raises ``ValueError`` for more than six weights for coins, a negative weight, or no weight above 0.
    """

    coins: Sequence[int] = (2, 2, 2, 2, 2, 2)
    laugh: int = 12
    power_up: int = 6
    game_over: int = 6

    def __post_init__(self) -> None:
        weights = [weight for _, weight in self.weighted()]
        if len(self.coins) > MOST_COINS:
            raise ValueError(f"coins must have at most {MOST_COINS} weights")
        if min(weights) < 0:
            raise ValueError("every weight must be at least 0")
        if sum(weights) == 0:
            raise ValueError("at least one weight must be above 0")

    def weighted(self) -> list[tuple[Outcome, int]]:
        coins = [(Outcome("coins", n), weight) for n, weight in enumerate(self.coins, start=1)]
        return [*coins, (LAUGH, self.laugh), (POWER_UP, self.power_up), (GAME_OVER, self.game_over)]

    def draw(self, rng: Random) -> Outcome:
        """Return a random outcome, which does not depend on earlier outcomes."""
        outcomes, weights = zip(*self.weighted(), strict=True)
        drawn: Outcome = rng.choices(outcomes, weights)[0]
        return drawn


class Bag:
    """A source of outcomes that draws tokens without replacement, one token for each unit of weight.

    An empty bag is filled again.
    """

    def __init__(self, odds: Odds) -> None:
        self._odds = odds
        self._tokens: list[Outcome] = []

    def weighted(self) -> list[tuple[Outcome, int]]:
        return self._odds.weighted()

    def draw(self, rng: Random) -> Outcome:
        """Remove a random token and return its outcome. Fill the bag first if it is empty."""
        if not self._tokens:
            self._tokens = [outcome for outcome, weight in self._odds.weighted() for _ in range(weight)]
            rng.shuffle(self._tokens)
        return self._tokens.pop()


def by_kind(counts: Mapping[Outcome, int]) -> dict[Kind, int | Sequence[int]]:
    """Return *counts* as a JSON object: a list for 1 to `MOST_COINS` coins, and a number for each other kind."""
    coins = [counts.get(Outcome("coins", n), 0) for n in range(1, MOST_COINS + 1)]
    return {"coins": coins, **{outcome.kind: counts.get(outcome, 0) for outcome in (LAUGH, POWER_UP, GAME_OVER)}}
