"""What a press of the question block can bring, and how likely each is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal, Protocol

Kind = Literal["coins", "power_up", "laugh", "game_over"]

MOST_COINS = 6
"""The rule book's table for playing without sound rolls one die for the coins."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one press brings; `coins` is 1 to 6 for coins and 0 for everything else."""

    kind: Kind
    coins: int = 0


LAUGH, POWER_UP, GAME_OVER = Outcome("laugh"), Outcome("power_up"), Outcome("game_over")


class Chance(Protocol):
    """Whatever outcomes are drawn from."""

    def weighted(self) -> list[tuple[Outcome, int]]:
        """Every outcome with its weight."""

    def draw(self, rng: Random) -> Outcome:
        """The next outcome."""


@dataclass(frozen=True, slots=True)
class Odds:
    """Weights of the outcomes, whole numbers from 0, not all of them 0.

    The default is the rule book's own table for playing without sound, in 36ths: a die shows 1 or 2 and a second
    one says how many coins, 3 or 4 laugh, 5 power-up, 6 game over. A press then costs 2.17 coins on average.

    Raises ``ValueError`` when there are more than six weights for coins, a negative one, or none above 0.
    """

    coins: Sequence[int] = (2, 2, 2, 2, 2, 2)
    laugh: int = 12
    power_up: int = 6
    game_over: int = 6

    def __post_init__(self) -> None:
        weights = [weight for _, weight in self.weighted()]
        if len(self.coins) > MOST_COINS:
            raise ValueError(f"coins have at most {MOST_COINS} weights")
        if min(weights) < 0:
            raise ValueError("no weight may be below 0")
        if sum(weights) == 0:
            raise ValueError("at least one weight must be above 0")

    def weighted(self) -> list[tuple[Outcome, int]]:
        """Every outcome with its weight."""
        coins = [(Outcome("coins", n), weight) for n, weight in enumerate(self.coins, start=1)]
        return [*coins, (LAUGH, self.laugh), (POWER_UP, self.power_up), (GAME_OVER, self.game_over)]

    def draw(self, rng: Random) -> Outcome:
        """One outcome, independent of all before."""
        outcomes, weights = zip(*self.weighted(), strict=True)
        drawn: Outcome = rng.choices(outcomes, weights)[0]
        return drawn


class Bag:
    """Odds as a bag of tokens, one for each unit of weight, drawn without putting back until the bag is empty."""

    def __init__(self, odds: Odds) -> None:
        self._odds = odds
        self._tokens: list[Outcome] = []

    def weighted(self) -> list[tuple[Outcome, int]]:
        """Every outcome with how many of its tokens a full bag has."""
        return self._odds.weighted()

    def draw(self, rng: Random) -> Outcome:
        """Take one token out; an empty bag is filled first."""
        if not self._tokens:
            self._tokens = [outcome for outcome, weight in self._odds.weighted() for _ in range(weight)]
            rng.shuffle(self._tokens)
        return self._tokens.pop()


def by_kind(counts: Mapping[Outcome, int]) -> dict[str, object]:
    """A number for each outcome, as JSON: a list for one to `MOST_COINS` coins, and one number for each other kind."""
    coins = [counts.get(Outcome("coins", n), 0) for n in range(1, MOST_COINS + 1)]
    return {"coins": coins} | {outcome.kind: counts.get(outcome, 0) for outcome in (LAUGH, POWER_UP, GAME_OVER)}
