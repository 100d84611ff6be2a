"""The outcomes of a press of the question block, and their odds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Annotated, Self

from reboard.labels import Labels, OutcomeKind
from reboard.record import Record
from reboard.vocabulary.limits import OneOf

Blink = tuple[float, float]
"""The time for which the lamp is on, and then the time for which it is off, in seconds."""

Weights = int | Sequence[int]
"""A number for an outcome, or a list of numbers for 1, 2, … coins."""


class BlockOutcomeKind(OutcomeKind):
    """A kind of outcome of the question block. All else about outcomes is made from `KINDS`.

    *weight* is the default weight of the outcome, or of each number of coins from 1 to *most*. In quiet mode, the lamp
    shows *rhythm*, once for each coin. *sound* is the name if it is left out.
    """

    weight: Weights
    rhythm: Sequence[Blink]
    most: int
    sound: str

    def __new__(
        cls,
        name: str,
        label: str,
        *,
        weight: int,
        rhythm: Sequence[Blink],
        most: int = 0,
        sound: str = "",
        is_booked: bool = True,
    ) -> Self:
        made = super().__new__(cls, name, label, is_booked=is_booked)
        made.weight, made.rhythm = (weight,) * most if most else weight, rhythm
        made.most, made.sound = most, sound or name
        return made

    @property
    def outcomes(self) -> Sequence[Outcome]:
        """The outcomes of this kind: one for each number of coins, or only one."""
        name = str(self)
        return [Outcome(name, n) for n in range(1, self.most + 1)] or [Outcome(name)]


class Outcomes(Labels):
    """The kinds of outcomes, in the order of charts.

    The weights are the rule book's table for playing without sound, in 36ths. One die decides the kind: 1 or 2 for
    coins, 3 or 4 for laugh, 5 for power-up, 6 for game over. A second die gives the number of coins.
    """

    COINS = BlockOutcomeKind("coins", "coins", weight=2, most=6, rhythm=[(0.3, 0.3)], sound="coin")
    LAUGH = BlockOutcomeKind("laugh", "laugh", weight=12, rhythm=[(0.12, 0.12), (0.12, 0.5)] * 3)
    POWER_UP = BlockOutcomeKind("power_up", "power-up", weight=6, rhythm=[(0.08, 0.08)] * 12, is_booked=False)
    GAME_OVER = BlockOutcomeKind("game_over", "game-over sound", weight=6, rhythm=[(2.5, 0.0)])


KINDS: Mapping[str, BlockOutcomeKind] = {str(kind): kind for kind in Outcomes.members}

MOST_COINS = Outcomes.COINS.most

OutcomeName = Annotated[str, OneOf(*KINDS)]


class Outcome(Record):
    """The outcome of a press. *coins* is 1 to 6 for the kind ``coins``, and 0 for all other kinds."""

    kind: OutcomeName
    coins: int = 0


class Odds:
    """The *weights* of the outcomes by kind: whole numbers from 0, not all of them 0.

    Raises ``ValueError`` for an unknown kind, too many weights, a negative weight, or no weight above 0.
    """

    def __init__(self, **weights: Weights) -> None:
        if strange := weights.keys() - KINDS.keys():
            raise ValueError(f"there is no outcome {min(strange)!r}: use {', '.join(KINDS)}")
        self._weighted: list[tuple[Outcome, int]] = []
        for name, kind in KINDS.items():
            each = each_of(weights.get(name, kind.weight))
            if len(each) > len(kind.outcomes):
                raise ValueError(f"{name} must have at most {len(kind.outcomes)} weights")
            self._weighted += zip(kind.outcomes, each, strict=False)
        if min(weight for _, weight in self._weighted) < 0:
            raise ValueError("every weight must be at least 0")
        if not any(weight for _, weight in self._weighted):
            raise ValueError("at least one weight must be above 0")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Odds) and self._weighted == other._weighted

    def __hash__(self) -> int:
        return hash(tuple(self._weighted))

    def weighted(self) -> list[tuple[Outcome, int]]:
        """Return all outcomes with their weights."""
        return [*self._weighted]

    def draw(self, rng: Random) -> Outcome:
        """Return a random outcome, which does not depend on earlier outcomes."""
        outcomes, weights = zip(*self._weighted, strict=True)
        drawn: Outcome = rng.choices(outcomes, weights)[0]
        return drawn


class Bag:
    """A source of outcomes that draws tokens without replacement, one token for each unit of weight.

    An empty bag is filled again.
    """

    def __init__(self, odds: Odds) -> None:
        self._odds = odds
        self._tokens: list[Outcome] = []

    def draw(self, rng: Random) -> Outcome:
        """Remove a random token and return its outcome. Fill the bag first if it is empty."""
        if not self._tokens:
            self._tokens = [outcome for outcome, weight in self._odds.weighted() for _ in range(weight)]
            rng.shuffle(self._tokens)
        return self._tokens.pop()


def by_kind(counts: Mapping[Outcome, int]) -> dict[OutcomeName, Weights]:
    """Return *counts* as a JSON object: a list for 1 to `MOST_COINS` coins, and a number for each other kind."""
    numbers = {name: [counts.get(outcome, 0) for outcome in kind.outcomes] for name, kind in KINDS.items()}
    return {name: each if KINDS[name].most else each[0] for name, each in numbers.items()}


def each_of(weights: Weights) -> Sequence[int]:
    """Return the numbers of the outcomes of a kind."""
    return [weights] if isinstance(weights, int) else weights
