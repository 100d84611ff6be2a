"""The questions to the hall's store: the games of each table, and who has how much in them."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

TRANSFERS = (
    'SELECT id, game, "from", "to", amount, reason, at, undoes FROM transfer '
    "WHERE table_name = ? AND ledger = ? AND game = ? AND id < ? ORDER BY id DESC LIMIT ?"
)
TRANSFER_KEYS = ("id", "game", "from", "to", "amount", "reason", "at", "undoes")

PLAYED = """
WITH played AS (
    SELECT table_name, ledger, game, edition, began_at, seen_at,
        first_value(table_name) OVER newest AS at_table, first_value(number) OVER newest AS number
    FROM game JOIN chain USING (table_name, ledger)
        LEFT JOIN (SELECT table_name, seen_at FROM last_state) USING (table_name)
    WHERE is_played
    WINDOW newest AS (PARTITION BY ledger, game, began_at ORDER BY seen_at DESC, table_name)
)
"""
"""The games that were played. One that several tables sent is of the table that was heard last: it was renamed."""

LATEST = f"""
{PLAYED.rstrip()}, latest AS (
    SELECT *, dense_rank() OVER (PARTITION BY at_table ORDER BY number DESC, game DESC) AS age
    FROM played WHERE began_at >= ?
)
"""
"""The games that were played since a time, with their age: 1 is a table's latest one."""

HAS_PLAYED = """
EXISTS (
    SELECT 1 FROM transfer AS t INDEXED BY transfer_of_game
    WHERE t.table_name = seat.table_name AND t.ledger = seat.ledger AND t.game = seat.game
    AND t.undoes IS NULL AND t.reason NOT IN ('start', 'left')
    AND (
        t."from" = seat.card AND t.reason <> 'bankrupt'
        OR t."to" = seat.card AND NOT (t.reason = 'bankrupt' AND t."from" = 0)
    )
    AND NOT EXISTS (
        SELECT 1 FROM transfer AS u
        WHERE u.table_name = t.table_name AND u.ledger = t.ledger AND u.undoes = t.id
    )
    AND NOT EXISTS (
        SELECT 1 FROM transfer AS s INDEXED BY transfer_of_start
        WHERE s.table_name = t.table_name AND s.ledger = t.ledger AND s.game = t.game AND s."to" = seat.card
        AND s.reason = 'start' AND s.id > t.id
    )
)
"""
"""Whether a seat is of a player, as the banker unit counts players: a card that only joined or left is none."""

MOST_GAMES = 200
"""The maximum number of a table's games in its history."""

MOST_ROUNDS = 100
"""The maximum number of a table's games that count for the standings. A table must not make them long for all."""

MOST_NAMED = 20
"""The maximum number of tables or players that a notice about the standings names."""


class GameKey(NamedTuple):
    """A game of a table. Each ledger of a table counts its games from 1."""

    table: str
    ledger: str
    game: int


class Seat(NamedTuple):
    """A player's part in a game. *name* is ``None`` if the table keeps its names.

    *worth* is that of cash and property, or ``None`` if the game was not ended.
    """

    card: int
    balance: int
    name: str | None
    worth: int | None


@dataclass(frozen=True, slots=True)
class StoredGame:
    """A game with its seats. *began_at* is in seconds since 1970."""

    key: GameKey
    edition: str
    began_at: float
    seats: Sequence[Seat] = ()


class GameReader:
    """The questions to the store.

    A ledger that was restored from a backup has a new name, and all its rows come again. A game that two ledgers have
    counts once, as the newer ledger has it. A table with a new name sends its ledger again, too.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def games(self, table: str) -> list[StoredGame]:
        """Return the latest games of *table*, newest first."""
        rows = self._connection.execute(
            "SELECT ledger, game, edition, began_at FROM game JOIN chain USING (table_name, ledger) "
            "WHERE table_name = ? ORDER BY number DESC, game DESC LIMIT ?",
            (table, MOST_GAMES),
        )
        games: dict[tuple[int, float], StoredGame] = {}
        for ledger, game, edition, began_at in rows:
            games.setdefault((game, began_at), StoredGame(GameKey(table, ledger, game), edition, began_at))
        return list(games.values())

    def seats(self, key: GameKey) -> list[Seat]:
        rows = self._connection.execute(
            "SELECT card, balance, name, worth FROM seat "
            "WHERE table_name = ? AND ledger = ? AND game = ? ORDER BY card",
            key,
        )
        return [Seat(*row) for row in rows]

    def transfers(self, key: GameKey, before: int, most: int) -> list[dict[str, object]]:
        """Return the *most* latest transfers of a game with an id below *before* as JSON objects, newest first."""
        rows = self._connection.execute(TRANSFERS, (*key, before, most))
        return [dict(zip(TRANSFER_KEYS, row, strict=True)) for row in rows]

    def played_since(self, since: float) -> list[StoredGame]:
        """Return the games that began at *since* or later, without games and seats that were never played.

        Of each table, only the latest `MOST_ROUNDS` count. They are ordered by table, and then as they were played,
        whatever the table's clock showed.
        """
        games: dict[tuple[str, int, float], tuple[StoredGame, dict[int, Seat]]] = {}
        rows = self._connection.execute(
            f"{LATEST} SELECT at_table, ledger, game, edition, began_at, card, balance, name, worth "
            "FROM latest JOIN seat USING (table_name, ledger, game) "
            f"WHERE age <= ? AND {HAS_PLAYED} ORDER BY at_table, number, game, seen_at, card",
            (since, MOST_ROUNDS),
        )
        for table, ledger, game, edition, began_at, *of_seat in rows:
            seat = Seat(*of_seat)
            _, seats = games.get((table, game, began_at), (None, {}))
            if older := seats.get(seat.card):
                seat = seat._replace(
                    name=seat.name or older.name, worth=older.worth if seat.worth is None else seat.worth
                )
            seats[seat.card] = seat
            stored = StoredGame(GameKey(table, ledger, game), edition, began_at)
            games[table, game, began_at] = stored, seats
        return [replace(game, seats=list(seats.values())) for game, seats in games.values()]

    def removed(self) -> frozenset[str]:
        """Return the tables that the organiser has removed."""
        return frozenset(name for (name,) in self._connection.execute("SELECT table_name FROM removed"))

    def tables_cut(self, since: float) -> list[str]:
        """Return the tables with more than `MOST_ROUNDS` games since *since*. Their earlier games do not count."""
        rows = self._connection.execute(
            f"{LATEST} SELECT DISTINCT at_table FROM latest WHERE age > ? ORDER BY at_table LIMIT ?",
            (since, MOST_ROUNDS, MOST_NAMED),
        )
        return [table for (table,) in rows]

    def played_before(self, since: float) -> int:
        """Return how many games that were played began before *since*."""
        games = "SELECT DISTINCT at_table, game, began_at FROM played WHERE began_at < ?"
        return int(self._connection.execute(f"{PLAYED} SELECT count(*) FROM ({games})", (since,)).fetchone()[0])
