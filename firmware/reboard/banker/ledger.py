"""The ledger: who paid whom how much, in whole numbers, for ever.

Double entry between accounts. Account 0 is the bank, 9 the Free Parking pot, the others are numbered cards; each game
has its own. Nothing is ever changed: a mistake is mended by an opposite transfer. When a method that writes returns,
the disk has it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import asdict
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from reboard.banker.book import Book
from reboard.banker.rows import GAME, TRANSFER, Game, NewGame, Transfer, game_of
from reboard.banker.schema import BANK, POT
from reboard.banker.verify import problems_of
from reboard.database import OpenDatabase, open_database
from reboard.refusal import REFUSALS, Refusal

P = ParamSpec("P")
T = TypeVar("T")

__all__ = ["BANK", "POT", "Game", "Ledger", "NewGame", "Transfer"]

LARGEST = 10**15
"""What no balance exceeds, whatever the edition: far from what 64 bits hold."""

STANDS = ("start", "recovered")
"""The reasons of what is never taken back: a card's first money, and what its player saw before the file was mended."""


def _under_the_rules(write: Callable[P, T]) -> Callable[P, T]:
    """Say in reboard's own words which rule of the schema forbade *write*."""

    @wraps(write)
    def within(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return write(*args, **kwargs)
        except sqlite3.IntegrityError as error:
            if str(error) in REFUSALS:
                raise Refusal(str(error)) from error
            raise LookupError(f"the ledger cannot book this: {error}") from error

    return within


class Ledger:
    """The ledger in a file, opened as `Book` does it and raising what it raises; not for use by several threads.

    What writes raises `Refusal` when a rule forbids it, ``LookupError`` for a game, card or transfer that is not
    there, and ``sqlite3.Error`` when the disk does not take it; in each case nothing has moved.
    """

    def __init__(self, path: str | Path, *, read_only: bool = False, database: OpenDatabase = open_database) -> None:
        self.book = Book(Path(path), read_only=read_only, database=database)

    def close(self) -> None:
        """Give the file back. May be called twice."""
        self.book.close()

    @_under_the_rules
    def new_game(
        self,
        edition: str,
        start: int,
        *,
        at: float,
        cards: Iterable[int] = (),
        largest: int = LARGEST,
        may_owe: bool = False,
        settings: Iterable[tuple[str, str]] = (),
    ) -> NewGame:
        """Begin a game, in which each of *cards* has *start* at once; the one before is over, and kept.

        No card can have more than *largest*, and none less than nothing unless it *may_owe*. *settings* are kept
        together with the game, or neither is.
        """
        with self.book.writing() as connection:
            connection.execute("UPDATE game SET ended_at = ? WHERE ended_at IS NULL", (at,))
            ((number,),) = connection.execute(
                "INSERT INTO game (edition, start, largest, may_owe, started_at) VALUES (?, ?, ?, ?, ?) RETURNING id",
                (edition, start, min(largest, LARGEST), may_owe, at),
            ).fetchall()
            connection.execute("INSERT INTO account (game, card) VALUES (?, ?)", (number, BANK))
            starts = tuple(self._join(connection, number, card, at) for card in cards)
            for name, setting in settings:
                _keep(connection, name, setting)
            return NewGame(**asdict(self._game(number)), starts=starts)

    @_under_the_rules
    def resume(self, game: int, *, at: float, settings: Iterable[tuple[str, str]] = ()) -> Game:
        """Go on with *game* where it was left; the one that was on is put aside, and kept. *settings*: as above."""
        with self.book.writing() as connection:
            connection.execute("UPDATE game SET ended_at = ? WHERE ended_at IS NULL", (at,))
            connection.execute("UPDATE game SET ended_at = NULL WHERE id = ?", (game,))
            for name, setting in settings:
                _keep(connection, name, setting)
            return self._game(game)

    def game(self) -> Game | None:
        """The game that is on."""
        row = self._row(f"{GAME} WHERE ended_at IS NULL")
        return game_of(row) if row else None

    def games(self) -> list[Game]:
        """Every game, the first one first."""
        return [game_of(row) for row in self.book.connection.execute(f"{GAME} ORDER BY id")]

    @_under_the_rules
    def join(self, game: int, card: int, *, at: float) -> Transfer | None:
        """Give *card* what a card begins this game with; ``None`` when it has joined before."""
        if self._row("SELECT 1 FROM account WHERE game = ? AND card = ?", game, card):
            return None
        with self.book.writing() as connection:
            return self._join(connection, game, card, at)

    @_under_the_rules
    def pay(self, game: int, from_: int, to: int, amount: int, *, reason: str, press: str, at: float) -> Transfer:
        """Move *amount* between two accounts.

        *press* names what a hand did. What was booked for the same press before is returned, and nothing moves again.
        """
        with self.book.writing() as connection:
            if to == POT and self.pot(game) is None:
                connection.execute("INSERT INTO account (game, card) VALUES (?, ?)", (game, POT))
            return self._insert(connection, game, from_, to, amount, reason, at, None, press)

    @_under_the_rules
    def undo(self, transfer: int, *, press: str, at: float) -> Transfer:
        """Take one transfer back by booking its opposite, once. What `STANDS` is not taken back, nor an undoing.

        Whoever went bankrupt by it is in the game again.
        """
        wrong = self.transfer(transfer)
        if wrong.reason in STANDS:
            raise Refusal("nothing to undo")
        with self.book.writing() as connection:
            return self._insert(
                connection, wrong.game, wrong.to, wrong.from_, wrong.amount, "undo", at, wrong.id, press
            )

    @_under_the_rules
    def bankrupt(self, game: int, card: int, creditor: int, *, press: str, at: float) -> Transfer | None:
        """Give all that *card* has to *creditor*, the `BANK` or another card, and let *card* take part in nothing more.

        What a card owes is forgiven: the bank pays it. ``None`` when there was nothing to move. Until `undo` of what
        was moved, or else `readmit`, each transfer of the card is ``Refusal("bankrupt")``.
        """
        with self.book.writing() as connection:
            if booked := self._booked(press):
                return booked
            if card in self.retired(game):
                raise Refusal("bankrupt")
            balance = self.balance(game, card)
            if balance:
                from_, to = (card, creditor) if balance > 0 else (BANK, card)
                return self._insert(connection, game, from_, to, abs(balance), "bankrupt", at, None, press)
            connection.execute("UPDATE account SET retired = 1 WHERE game = ? AND card = ?", (game, card))
            return None

    @_under_the_rules
    def readmit(self, game: int, card: int) -> None:
        """Let a card that went bankrupt with nothing take part again.

        Raises ``Refusal("bankrupt")`` for one that had something: that is taken back by `undo`.
        """
        self.balance(game, card)
        with self.book.writing() as connection:
            connection.execute("UPDATE account SET retired = 0 WHERE game = ? AND card = ?", (game, card))

    def last_to_undo(self, game: int) -> Transfer | None:
        """The last transfer of *game* that can be taken back."""
        row = self._row(
            f"{TRANSFER} AS t WHERE game = ? AND undoes IS NULL AND reason NOT IN (?, ?) "
            "AND NOT EXISTS (SELECT 1 FROM transfer WHERE undoes = t.id) ORDER BY id DESC LIMIT 1",
            game,
            *STANDS,
        )
        return Transfer(*row) if row else None

    def balance(self, game: int, card: int) -> int:
        """What an account has. The time it takes does not grow with the ledger."""
        row = self._row("SELECT balance FROM account WHERE game = ? AND card = ?", game, card)
        if not row:
            raise LookupError(f"card {card} has no account in game {game}")
        return int(row[0])

    def balances(self, game: int) -> dict[int, int]:
        """What each card in *game* has, in the order of their numbers."""
        rows = self.book.connection.execute(
            "SELECT card, balance FROM account WHERE game = ? AND card NOT IN (?, ?) ORDER BY card", (game, BANK, POT)
        )
        return dict(rows.fetchall())

    def pot(self, game: int) -> int | None:
        """Return what is in the Free Parking pot; ``None`` when nothing was ever paid into it in *game*."""
        row = self._row("SELECT balance FROM account WHERE game = ? AND card = ?", game, POT)
        return int(row[0]) if row else None

    def retired(self, game: int) -> frozenset[int]:
        """The cards that went bankrupt in *game*."""
        rows = self.book.connection.execute("SELECT card FROM account WHERE game = ? AND retired", (game,))
        return frozenset(card for (card,) in rows)

    def transfers(self, game: int, limit: int) -> list[Transfer]:
        """The latest *limit* transfers of *game*, newest first."""
        rows = self.book.connection.execute(f"{TRANSFER} WHERE game = ? ORDER BY id DESC LIMIT ?", (game, limit))
        return [Transfer(*row) for row in rows]

    def transfers_of(self, game: int, card: int, limit: int) -> list[Transfer]:
        """The latest *limit* transfers to or from one account, newest first.

        The time it takes does not grow with the ledger.
        """
        rows = self.book.connection.execute(
            f'{TRANSFER} WHERE game = ?1 AND "from" = ?2 UNION ALL {TRANSFER} WHERE game = ?1 AND "to" = ?2 '
            "ORDER BY id DESC LIMIT ?3",
            (game, card, limit),
        )
        return [Transfer(*row) for row in rows]

    def transfers_after(self, transfer: int) -> list[Transfer]:
        """Every transfer of any game whose number is above that of *transfer*, oldest first."""
        rows = self.book.connection.execute(f"{TRANSFER} WHERE id > ? ORDER BY id", (transfer,))
        return [Transfer(*row) for row in rows]

    def last_transfer(self) -> int:
        """The number of the last transfer of any game; 0 when there is none."""
        ((number,),) = self.book.connection.execute("SELECT coalesce(max(id), 0) FROM transfer").fetchall()
        return int(number)

    def transfer(self, transfer: int) -> Transfer:
        """One transfer by its number."""
        row = self._row(f"{TRANSFER} WHERE id = ?", transfer)
        if not row:
            raise LookupError(f"there is no transfer {transfer}")
        return Transfer(*row)

    def opposite_of(self, transfer: int) -> Transfer | None:
        """What took one transfer back, if anything did."""
        row = self._row(f"{TRANSFER} WHERE undoes = ?", transfer)
        return Transfer(*row) if row else None

    def setting(self, name: str) -> str | None:
        """What was last kept under *name*, from game to game."""
        row = self._row("SELECT value FROM setting WHERE name = ?", name)
        return str(row[0]) if row else None

    @_under_the_rules
    def set_setting(self, name: str, value: str) -> None:
        """Keep *value* under *name*."""
        with self.book.writing() as connection:
            _keep(connection, name, value)

    def verify(self) -> list[str]:
        """Check every rule over every row: a sentence for each that is broken."""
        return problems_of(self.book.connection)

    def _join(self, connection: sqlite3.Connection, game: int, card: int, at: float) -> Transfer:
        start = self._game(game).start
        connection.execute("INSERT INTO account (game, card) VALUES (?, ?)", (game, card))
        return self._insert(connection, game, BANK, card, start, "start", at, None, f"start-{game}-{card}")

    def _insert(
        self,
        connection: sqlite3.Connection,
        game: int,
        from_: int,
        to: int,
        amount: int,
        reason: str,
        at: float,
        undoes: int | None,
        press: str,
    ) -> Transfer:
        if not 0 < amount <= LARGEST:
            raise Refusal("too much" if amount > 0 else "zero")
        try:
            ((number,),) = connection.execute(
                'INSERT INTO transfer (game, "from", "to", amount, reason, at, undoes, press) '
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
                (game, from_, to, amount, reason, at, undoes, press),
            ).fetchall()
        except sqlite3.IntegrityError:
            # whichever rule stood in the way, a press that was booked before stays booked
            if booked := self._booked(press):
                return booked
            raise
        return Transfer(number, game, from_, to, amount, reason, at, undoes)

    def _booked(self, press: str) -> Transfer | None:
        row = self._row(f"{TRANSFER} WHERE press = ?", press)
        return Transfer(*row) if row else None

    def _game(self, game: int) -> Game:
        row = self._row(f"{GAME} WHERE id = ?", game)
        if not row:
            raise LookupError(f"there is no game {game}")
        return game_of(row)

    def _row(self, query: str, *values: object) -> tuple[Any, ...] | None:
        row: tuple[Any, ...] | None = self.book.connection.execute(query, values).fetchone()
        return row


def _keep(connection: sqlite3.Connection, name: str, value: str) -> None:
    connection.execute(
        "INSERT INTO setting VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", (name, value)
    )
