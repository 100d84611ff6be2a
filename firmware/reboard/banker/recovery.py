"""What can still be read of a damaged book, booked anew."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Row = tuple[Any, ...]

UNREADABLE = (sqlite3.Error, ValueError, TypeError, OverflowError)
"""What reading a damaged page, or writing what was read there, can raise."""

UNKNOWN_GAME: Row = ("unknown", 1, 2**62, 1, 0.0, 0.0)
"""What a game is booked as whose transfers are readable, but not what was played."""

MOST_PROBES = 1_000_000
"""How many rows are looked for one by one between two damaged places."""


@dataclass(slots=True)
class Found:
    """How much was recovered, for the log."""

    games: int = 0
    transfers: int = 0
    left_out: int = 0
    mended: int = 0
    cards: int = 0

    def __str__(self) -> str:
        return (
            f"{self.games} games, {self.transfers} transfers ({self.left_out} more do not fit the rules), "
            f"{self.mended} balances mended, {self.cards} known cards"
        )


def recover(damaged: Path, new: sqlite3.Connection) -> Found:
    """Book what is readable in *damaged* into *new*, an empty book, under its rules and with the same numbers.

    Where transfers are lost but a card's balance is readable, one transfer called ``recovered`` makes up the
    difference, so that each card has again what its player last saw.
    """
    found = Found()
    new.execute("BEGIN")
    with suppress(*UNREADABLE), closing(sqlite3.connect(f"{damaged.resolve().as_uri()}?mode=ro", uri=True)) as old:
        columns = "id, edition, start, largest, may_owe, started_at, ended_at"
        games = {row[0]: row for row in _numbered(old, "game", columns)}
        transfers: dict[int, list[Row]] = defaultdict(list)
        columns = 'id, game, "from", "to", amount, reason, at, undoes, press'
        for row in _numbered(old, "transfer", columns):
            if isinstance(row[1], int):
                transfers[row[1]].append(row)
        numbers = [row[0] for rows in transfers.values() for row in rows]
        all_there = len(numbers) == max(numbers, default=0)
        balances: dict[int, dict[int, int]] = defaultdict(dict)
        for game, card, balance in _ordered(old, "account", "game, card, balance"):
            balances[game][card] = balance
        latest = max(games.keys() | transfers.keys(), default=0)
        for number in sorted(games.keys() | transfers.keys()):
            with suppress(*UNREADABLE):
                game = games.get(number, (number, *UNKNOWN_GAME))
                shown = {} if all_there else balances[number]
                _book_game(new, game, transfers[number], shown, ends=number != latest, found=found)
        for tag, number in _ordered(old, "deck", "tag, number"):
            with suppress(*UNREADABLE):
                new.execute("INSERT INTO deck VALUES (?, ?)", (tag, number))
                found.cards += 1
    new.execute("COMMIT")
    return found


def _book_game(
    new: sqlite3.Connection,
    game: Row,
    transfers: list[Row],
    balances: dict[int, int],
    *,
    ends: bool,
    found: Found,
) -> None:
    new.execute("INSERT INTO game VALUES (?, ?, ?, ?, ?, ?, NULL)", game[:6])
    found.games += 1
    cards = {0} | balances.keys() | {card for row in transfers for card in row[2:4]}
    for card in cards:
        with suppress(*UNREADABLE):
            new.execute("INSERT INTO account (game, card) VALUES (?, ?)", (game[0], card))
    for row in transfers:
        try:
            new.execute("INSERT INTO transfer VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
            found.transfers += 1
        except UNREADABLE:
            found.left_out += 1
    at = transfers[-1][6] if transfers else game[5]
    for card, balance in balances.items():
        with suppress(*UNREADABLE):
            found.mended += card > 0 and _mend(new, game[0], card, balance, at)
    if game[6] is not None or ends:
        new.execute("UPDATE game SET ended_at = ? WHERE id = ?", (at if game[6] is None else game[6], game[0]))


def _mend(new: sqlite3.Connection, game: int, card: int, balance: int, at: float) -> bool:
    (booked,) = new.execute("SELECT balance FROM account WHERE game = ? AND card = ?", (game, card)).fetchone()
    if booked == balance:
        return False
    payer, payee = (0, card) if booked < balance else (card, 0)
    new.execute(
        'INSERT INTO transfer (game, "from", "to", amount, reason, at, press) VALUES (?, ?, ?, ?, ?, ?, ?)',
        (game, payer, payee, abs(balance - booked), "recovered", at, f"recovered-{game}-{card}"),
    )
    return True


def _numbered(old: sqlite3.Connection, table: str, columns: str) -> list[Row]:
    """The readable rows of a table in the order of their ``id``: from both ends, then one by one in between."""
    rows: dict[int, Row] = {}
    ends: list[int] = []
    for order in ("ASC", "DESC"):
        end = 0
        with suppress(*UNREADABLE):
            for row in old.execute(f"SELECT {columns} FROM {table} NOT INDEXED ORDER BY id {order}"):
                if row[0] in rows:
                    break
                rows[row[0]] = row
                end = row[0]
        ends.append(end)
    for number in range(ends[0] + 1, min(ends[1], ends[0] + MOST_PROBES)):
        with suppress(*UNREADABLE):
            row = old.execute(f"SELECT {columns} FROM {table} NOT INDEXED WHERE id = ?", (number,)).fetchone()
            if row:
                rows[number] = row
    return [rows[number] for number in sorted(rows)]


def _ordered(old: sqlite3.Connection, table: str, columns: str) -> list[Row]:
    """The readable rows of a table without numbers, from both ends."""
    rows: dict[Row, None] = {}
    for order in ("ASC", "DESC"):
        with suppress(*UNREADABLE):
            by = ", ".join(f"{column} {order}" for column in columns.split(", ")[:-1])
            for row in old.execute(f"SELECT {columns} FROM {table} ORDER BY {by}"):
                if row in rows:
                    break
                rows[row] = None
    return list(rows)
