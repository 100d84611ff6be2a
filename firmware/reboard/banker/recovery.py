"""What can still be read of a damaged book, booked anew."""

from __future__ import annotations

import sqlite3
from bisect import bisect
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

from reboard.banker.verify import LOST, UNKNOWN_EDITION
from reboard.banker.wreck import Row, Wreck, wreck_of

BANK = 0

UNFIT = (sqlite3.IntegrityError, ValueError, TypeError, OverflowError)
"""What writing a row that was damaged can raise. A full disk is none of it: then nothing is recovered yet."""

UNKNOWN_GAME: Row = (UNKNOWN_EDITION, 1, 2**62, 1, 0.0, None)
"""What a game is booked as whose transfers are readable, but not what was played."""

MOST_LOST = 1_000_000
"""A count that is further ahead of what is readable is damaged itself."""


@dataclass(slots=True)
class Found:
    """How much was recovered, for the log."""

    games: int = 0
    transfers: int = 0
    left_out: int = 0
    mended: int = 0
    cards: int = 0
    lost: set[str] = field(default_factory=set)

    def __str__(self) -> str:
        unreadable = f"; not wholly readable: {', '.join(sorted(self.lost))}" if self.lost else ""
        return (
            f"{self.games} games, {self.transfers} transfers ({self.left_out} more do not fit the rules), "
            f"{self.mended} balances mended, {self.cards} known cards{unreadable}"
        )


def recover(damaged: Path, new: sqlite3.Connection) -> Found:
    """Book what is readable in *damaged* into *new*, an empty book, under its rules and with the same numbers.

    Where a card's readable balance is not what its readable transfers come to, one called ``recovered`` makes up the
    difference in the place of a lost one, so that each card has again what its player last saw. How many rows there
    ever were, and which tables were not wholly readable, is kept for `verify`.
    """
    found = Found()
    with wreck_of(damaged) as wreck:
        games, transfers = wreck.games(), wreck.transfers()
        new.execute("BEGIN")
        _count_on(wreck, new, "game", games)
        ever = _count_on(wreck, new, "transfer", transfers)
        free = sorted(set(range(1, ever + 1)) - transfers.keys())
        _book_games(wreck, new, games, transfers, free, found)
        found.cards = _keep(wreck, new, "deck", wreck.cards())
        settings: dict[str, str] = dict(wreck.settings())
        lost_before = settings.pop(LOST, "")
        _keep(wreck, new, "setting", settings.items())
        found.lost = wreck.lost
        if lost := sorted(wreck.lost.union(filter(None, lost_before.split(", ")))):
            new.execute("INSERT INTO setting VALUES (?, ?)", (LOST, ", ".join(lost)))
        new.execute("COMMIT")
    return found


def _count_on(wreck: Wreck, new: sqlite3.Connection, table: str, rows: dict[int, Row]) -> int:
    """Let numbers go on where they were, so that those that are lost are missed. Returns the last one."""
    latest = max(rows, default=0)
    ever = wreck.counts().get(table, 0)
    if not latest <= ever < latest + MOST_LOST:
        wreck.lost.add("sqlite_sequence")
        ever = latest
    new.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (table, ever))
    return ever


def _book_games(
    wreck: Wreck,
    new: sqlite3.Connection,
    games: dict[int, Row],
    transfers: dict[int, Row],
    free: list[int],
    found: Found,
) -> None:
    moved: dict[int, list[Row]] = defaultdict(list)
    for row in transfers.values():
        moved[row[1]].append(row)
    shown: dict[int, dict[int, int]] = defaultdict(dict)
    for number, card, balance in wreck.balances():
        shown[number][card] = balance
    retired = wreck.retired()
    on = _game_that_is_on(games, moved)
    # there is never a second game on: all the others have to be over before it begins
    for number in sorted(games.keys() | moved.keys() | shown.keys(), key=lambda number: (number == on, number)):
        game = games.get(number, (number, *UNKNOWN_GAME))
        _book_game(new, game, moved[number], shown[number], free, found)
        for _, card in [account for account in retired if account[0] == number]:
            with suppress(*UNFIT):
                new.execute("UPDATE account SET retired = 1 WHERE game = ? AND card = ?", (number, card))
        if number != on:
            at = moved[number][-1][6] if moved[number] else game[5]
            new.execute("UPDATE game SET ended_at = ? WHERE id = ?", (at if game[6] is None else game[6], number))


def _game_that_is_on(games: dict[int, Row], moved: dict[int, list[Row]]) -> int | None:
    """The game that says so; if none does, the one in which money moved last, unless it says that it is over."""
    on = [number for number, game in games.items() if game[6] is None]
    if on:
        return max(on)
    latest = max(moved, key=lambda number: int(moved[number][-1][0]), default=None)
    return None if latest in games else latest


def _book_game(
    new: sqlite3.Connection, game: Row, transfers: list[Row], shown: dict[int, int], free: list[int], found: Found
) -> None:
    for row in (game, (game[0], *UNKNOWN_GAME)):
        with suppress(*UNFIT):
            new.execute("INSERT INTO game VALUES (?, ?, ?, ?, ?, ?, NULL)", row[:6])
            break
    found.games += 1
    for card in {BANK} | shown.keys() | {card for row in transfers for card in row[2:4]}:
        with suppress(*UNFIT):
            new.execute("INSERT INTO account (game, card) VALUES (?, ?)", (game[0], card))
    undone = _bankruptcies_undone(transfers, shown)
    found.left_out += len(undone)
    transfers = [row for row in transfers if row not in undone]
    stand_ins = _stand_ins(game[0], transfers, shown, free)
    for row in sorted([*transfers, *stand_ins]):
        booked = _book(new, row)
        if row in stand_ins:
            found.mended += booked
        else:
            found.transfers += booked
            found.left_out += not booked
    at = transfers[-1][6] if transfers else game[5]
    for card in shown.keys() - {BANK}:
        (balance,) = new.execute("SELECT balance FROM account WHERE game = ? AND card = ?", (game[0], card)).fetchone()
        if balance != shown[card]:
            found.mended += _book(new, _recovered(None, game[0], card, shown[card] - balance, at))


def _bankruptcies_undone(transfers: list[Row], shown: dict[int, int]) -> list[Row]:
    """The bankruptcies that were taken back by a transfer that is lost: their cards have played on, or have money."""
    taken_back = {row[7] for row in transfers}
    latest = {card: row[0] for row in transfers for card in row[2:4]}
    undone = []
    for row in transfers:
        card = row[2] or row[3]
        if row[5] == "bankrupt" and row[7] is None and row[0] not in taken_back:
            undone += [row] if latest[card] > row[0] or shown.get(card) else []
    return undone


def _stand_ins(game: int, transfers: list[Row], shown: dict[int, int], free: list[int]) -> list[Row]:
    """What makes up each card's difference in the place of transfers that are lost, as far as there are any.

    There, what follows finds the money that it needs.
    """
    stand_ins = []
    difference = dict(shown)
    for _, _, payer, payee, amount, *_ in transfers:
        difference[payer] = difference.get(payer, 0) + amount
        difference[payee] = difference.get(payee, 0) - amount
    for card in sorted(shown.keys() - {BANK}):
        if difference[card] and transfers and free:
            place = min(bisect(free, transfers[0][0]), len(free) - 1)
            stand_ins.append(_recovered(free.pop(place), game, card, difference[card], transfers[0][6]))
    return stand_ins


def _recovered(number: int | None, game: int, card: int, difference: int, at: float) -> Row:
    payer, payee = (BANK, card) if difference > 0 else (card, BANK)
    return number, game, payer, payee, abs(difference), "recovered", at, None, f"recovered-{uuid4().hex}"


def _book(new: sqlite3.Connection, transfer: Row) -> bool:
    try:
        new.execute("INSERT INTO transfer VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", transfer)
    except UNFIT:
        return False
    return True


def _keep(wreck: Wreck, new: sqlite3.Connection, table: str, rows: Iterable[Row]) -> int:
    kept = 0
    for row in rows:
        try:
            new.execute(f"INSERT INTO {table} VALUES (?, ?)", row)
            kept += 1
        except UNFIT:
            wreck.lost.add(table)
    return kept
