"""Who has won."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ranked:
    """A player's place, from 1, and what *card* is worth."""

    place: int
    card: int
    worth: int


def ranking(worths: Mapping[int, int]) -> list[Ranked]:
    """The cards by what each is worth, best first; equals share a place."""
    best_first = sorted(worths.items(), key=lambda player: (-player[1], player[0]))
    return [Ranked(1 + sum(other > worth for other in worths.values()), card, worth) for card, worth in best_first]
