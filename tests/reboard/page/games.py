"""Games to tell of and to draw, without a table."""

from __future__ import annotations

from random import Random
from typing import Any

from reboard.page.story import Story

EVENING = 1_763_755_200.0


def transfer(number: int, from_: int, to: int, amount: int, at: float = EVENING) -> dict[str, Any]:
    """A row as the snapshot has it."""
    return {
        "id": number,
        "game": 3,
        "from": from_,
        "to": to,
        "amount": amount,
        "reason": "players",
        "at": at,
        "undoes": None,
    }


def any_game(transfers: int, cards: int = 4, *, seed: int = 1, gap_s: float = 60.0) -> list[dict[str, Any]]:
    """So many transfers, oldest first; the first ones give each card its start."""
    chance = Random(seed)
    rows = [transfer(card, 0, card, 15_000_000) for card in range(1, cards + 1)]
    for number in range(cards + 1, transfers + 1):
        payer, receiver = chance.sample(range(cards + 1), 2)
        amount = chance.randrange(1, 30) * 100_000
        rows.append(transfer(number, payer, receiver, amount, EVENING + gap_s * number))
    return rows[:transfers]


def story_of(rows: list[dict[str, Any]], before: dict[int, int] | None = None) -> Story:
    """The story of game 3."""
    return Story(3, before or {}, tuple(rows))
