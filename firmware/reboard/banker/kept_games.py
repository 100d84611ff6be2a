"""The games that were put aside and can be gone on with."""

from __future__ import annotations

from dataclasses import dataclass

from reboard.banker.ledger import Ledger
from reboard.banker.rows import GAME, Game, game_of
from reboard.banker.schema import BANK, POT

MOST_OFFERED = 50


@dataclass(frozen=True, slots=True)
class KeptGame:
    """A game that was put aside, and how many players it has."""

    game: Game
    players: int


def kept_games(ledger: Ledger) -> list[KeptGame]:
    """The latest `MOST_OFFERED` games that are not on and in which more happened than that cards were put in."""
    rows = ledger.book.connection.execute(
        f"SELECT *, (SELECT count(*) FROM account WHERE game = g.id AND card NOT IN (?, ?)) FROM ({GAME}) AS g "
        "WHERE ended_at IS NOT NULL AND EXISTS (SELECT 1 FROM transfer WHERE game = g.id AND reason <> 'start') "
        "ORDER BY id DESC LIMIT ?",
        (BANK, POT, MOST_OFFERED),
    )
    return [KeptGame(game_of(row), players) for *row, players in rows]
