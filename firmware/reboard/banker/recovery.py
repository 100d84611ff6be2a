"""What can still be read of a damaged book, booked anew."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from uuid import uuid4

from reboard.banker.leaves import Row
from reboard.banker.schema import BANK
from reboard.banker.verify import LOST, UNKNOWN_EDITION
from reboard.banker.wreck import Wreck, wreck_of

COUNTS = "sqlite_sequence"
"""Where SQLite keeps how many rows there ever were."""

BALANCES = "SELECT game, card, balance FROM account ORDER BY game, card"

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

    When no transfer is missing, they are the truth. Otherwise, where a card's readable balance is not what its
    readable transfers come to, one called ``recovered`` makes up the difference in the place of a lost one, so that
    each card has again what its player last saw. How many rows there ever were, and which tables were not wholly
    readable, is kept for `verify`.
    """
    found = Found()
    with wreck_of(damaged) as wreck:
        new.execute("BEGIN")
        games, _ = _numbered(wreck, new, "game", wreck.games(), found)
        transfers, ever = _numbered(wreck, new, "transfer", wreck.transfers(), found)
        balances = wreck.balances()
        is_complete = len(transfers) == ever and COUNTS not in wreck.lost
        _book_games(wreck, new, games, transfers, [] if is_complete else balances, _Gaps(set(transfers), ever), found)
        if is_complete and balances != new.execute(BALANCES).fetchall():
            wreck.lost.add("account")
        found.cards = _keep(wreck, new, "deck", wreck.cards())
        settings: dict[str, str] = dict(wreck.settings())
        lost_before = settings.pop(LOST, "")
        _keep(wreck, new, "setting", settings.items())
        found.lost = wreck.lost
        if lost := sorted(wreck.lost.union(filter(None, lost_before.split(", ")))):
            new.execute("INSERT INTO setting VALUES (?, ?)", (LOST, ", ".join(lost)))
        new.execute("COMMIT")
    return found


def _numbered(
    wreck: Wreck, new: sqlite3.Connection, table: str, rows: dict[int, Row], found: Found
) -> tuple[dict[int, Row], int]:
    """The rows of *table* whose numbers can be true, and the last number there ever was.

    Numbers go on from there, so that those that are lost are missed.
    """
    most = len(rows) + MOST_LOST
    ever = wreck.counts().get(table, 0)
    # one broken number is above the count; of a broken count that is too low, there are more rows
    if not len(rows) <= ever <= most:
        wreck.lost.add(COUNTS)
        ever = max((number for number in rows if number <= most), default=0)
    new.execute(f"INSERT INTO {COUNTS} (name, seq) VALUES (?, ?)", (table, ever))
    true = {number: row for number, row in rows.items() if 0 < number <= ever}
    found.left_out += len(rows) - len(true)
    return true, ever


class _Gaps:
    """The numbers up to the last one, *ever*, that are not *taken*: those of transfers that are lost."""

    def __init__(self, taken: set[int], ever: int) -> None:
        self._taken = taken
        self._ever = ever

    def take(self, after: int) -> int | None:
        """The first one after *after*, or else the last one before it; each is given once."""
        numbers = chain(range(after + 1, self._ever + 1), range(after, 0, -1))
        number = next((number for number in numbers if number not in self._taken), None)
        if number:
            self._taken.add(number)
        return number


def _book_games(
    wreck: Wreck,
    new: sqlite3.Connection,
    games: dict[int, Row],
    transfers: dict[int, Row],
    balances: list[Row],
    gaps: _Gaps,
    found: Found,
) -> None:
    moved: dict[int, list[Row]] = defaultdict(list)
    for row in transfers.values():
        moved[row[1]].append(row)
    shown: dict[int, dict[int, int]] = defaultdict(dict)
    for number, card, balance in balances:
        shown[number][card] = balance
    retired = wreck.retired()
    on = _game_that_is_on(games, moved)
    # there is never a second game on: all the others have to be over before it begins
    for number in sorted(games.keys() | moved.keys() | shown.keys(), key=lambda number: (number == on, number)):
        game = games.get(number, (number, *UNKNOWN_GAME))
        _book_game(new, game, moved[number], shown[number], gaps, found)
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
    new: sqlite3.Connection, game: Row, transfers: list[Row], shown: dict[int, int], gaps: _Gaps, found: Found
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
    stand_ins = _stand_ins(game[0], transfers, shown, gaps)
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


def _stand_ins(game: int, transfers: list[Row], shown: dict[int, int], gaps: _Gaps) -> list[Row]:
    """What makes up each card's difference in the place of transfers that are lost, as far as there are any.

    There, what follows finds the money that it needs.
    """
    difference = dict(shown)
    for _, _, payer, payee, amount, *_ in transfers:
        difference[payer] = difference.get(payer, 0) + amount
        difference[payee] = difference.get(payee, 0) - amount
    return [
        _recovered(number, game, card, difference[card], transfers[0][6])
        for card in sorted(shown.keys() - {BANK})
        if difference[card] and transfers and (number := gaps.take(after=transfers[0][0]))
    ]


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
