"""What a row of the ledger is to whoever asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Game:
    """One game. It is on until another begins or goes on. Times are seconds since 1970."""

    id: int
    edition: str
    start: int
    largest: int
    may_owe: bool
    started_at: float
    ended_at: float | None


@dataclass(frozen=True, slots=True)
class Transfer:
    """One row of the ledger: *amount* went from account *from_* to account *to*. *at*: seconds since 1970."""

    id: int
    game: int
    from_: int
    to: int
    amount: int
    reason: str
    at: float
    undoes: int | None

    def as_json(self) -> dict[str, object]:
        """The row as an object, with the ledger's own names."""
        return {
            "id": self.id,
            "game": self.game,
            "from": self.from_,
            "to": self.to,
            "amount": self.amount,
            "reason": self.reason,
            "at": self.at,
            "undoes": self.undoes,
        }


@dataclass(frozen=True, slots=True)
class NewGame(Game):
    """A game that has just begun, and what each card began it with."""

    starts: tuple[Transfer, ...]


GAME = "SELECT id, edition, start, largest, may_owe, started_at, ended_at FROM game"
TRANSFER = 'SELECT id, game, "from", "to", amount, reason, at, undoes FROM transfer'


def game_of(row: Sequence[Any]) -> Game:
    """The game in a row that `GAME` has found."""
    number, edition, start, largest, may_owe, started_at, ended_at = row
    return Game(number, edition, start, largest, bool(may_owe), started_at, ended_at)
