"""The ledger: double-entry bookkeeping in SQLite. Transfers are never changed or removed."""

from __future__ import annotations

import re
import secrets
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from reboard.accessories.banker_unit.ledger_errors import Mended
from reboard.accessories.banker_unit.schema import BANK, GAME, POT, TRANSFER, Game, Transfer, game_of
from reboard.accessories.banker_unit.verify import problems_of
from reboard.errors import REJECTIONS, Rejection

__all__ = ["BANK", "POT", "Admitted", "Game", "Ledger", "NewGame", "Transfer"]

P = ParamSpec("P")
T = TypeVar("T")

LARGEST = 10**15
"""The largest possible balance in any edition. It is far below the maximum of SQLite's 64-bit integers."""

NAME_SETTING = "ledger"
"""The name of the ledger's setting for its random name. Backups do not have it, see `Ledger.name`."""

_NAME = re.compile("[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class NewGame(Game):
    """A new game with the transfers of the starting balances."""

    starts: tuple[Transfer, ...]


@dataclass(frozen=True, slots=True)
class Admitted:
    """A card's number, and the transfer of its starting balance if the card is new to the game."""

    number: int
    start: Transfer | None


def _under_the_rules(write: Callable[P, T]) -> Callable[P, T]:
    """Wrap *write*, to raise `Rejection` or ``LookupError`` instead of the errors of the schema's rules."""

    @wraps(write)
    def within(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return write(*args, **kwargs)
        except sqlite3.IntegrityError as error:
            if str(error) in REJECTIONS:
                raise Rejection(str(error)) from error
            raise LookupError(f"the ledger cannot save this change: {error}") from error

    return within


class Ledger:
    """A ledger with an open *connection*, for use in one thread.

    A method that writes is one transaction. It raises `Rejection` if a rule forbids the change, and ``LookupError``
    for a game, card or transfer that does not exist. It raises ``sqlite3.Error`` if the disk fails. After an exception
    no money has moved, unless the ledger is `in_doubt`. In that case a commit has failed, but the disk may have saved
    the change. The next opening of the file shows whether it has.
    """

    path = Path(":memory:")
    mended: Mended | None = None
    """The repair that was made when the file was opened, or ``None``."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.in_doubt = False

    def close(self) -> None:
        """Close the connection. Can be called more than once."""
        self.connection.close()

    def check_files(self) -> None:
        """Raise `MovedLedgerError` if a file of the ledger was removed, replaced or truncated.

        A ledger in memory has no files.
        """

    @property
    def backup_is_due(self) -> bool:
        """Whether a backup is due, because enough was added since the last one. A ledger in memory has no backups."""
        return False

    def back_up(self) -> None:
        """Make a backup, if anything has changed since the last one. A ledger in memory has no backups."""

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Begin a transaction. Commit it at the end of the ``with`` block, or roll it back after an exception."""
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            self.check_files()
            yield self.connection
            self.in_doubt = True
            self.connection.execute("COMMIT")
            self.check_files()
            self.in_doubt = False
        except BaseException:
            # a full disk may have ended the transaction already
            with suppress(sqlite3.Error):
                self.connection.execute("ROLLBACK")
            raise

    # Games.

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
        """Start a game in which each of *cards* has the balance *start*. The current game ends and is kept.

        No player's balance can be above *largest*, or below zero. If players *may_owe*, the minimum is -*largest*
        instead of zero. The same transaction saves *settings*.
        """
        with self.transaction() as connection:
            connection.execute("UPDATE game SET ended_at = ? WHERE ended_at IS NULL", (at,))
            ((number,),) = connection.execute(
                "INSERT INTO game (edition, start, largest, may_owe, started_at) VALUES (?, ?, ?, ?, ?) RETURNING id",
                (edition, start, min(largest, LARGEST), may_owe, at),
            ).fetchall()
            connection.execute("INSERT INTO account (game, card) VALUES (?, ?)", (number, BANK))
            starts = tuple(self._join(number, card, at) for card in cards)
            self._save_settings(settings)
            return NewGame(**asdict(self._game(number)), starts=starts)

    @_under_the_rules
    def resume(self, game: int, *, at: float, settings: Iterable[tuple[str, str]] = ()) -> Game:
        """Continue *game*. The current game ends and is kept. The same transaction saves *settings*."""
        with self.transaction() as connection:
            connection.execute("UPDATE game SET ended_at = ? WHERE ended_at IS NULL", (at,))
            connection.execute("UPDATE game SET ended_at = NULL WHERE id = ?", (game,))
            self._save_settings(settings)
            return self._game(game)

    def game(self) -> Game | None:
        """Return the current game, or ``None``."""
        row = self._row(f"{GAME} WHERE ended_at IS NULL")
        return game_of(row) if row else None

    def games(self) -> list[Game]:
        """Return every game, oldest first."""
        return [game_of(row) for row in self.connection.execute(f"{GAME} ORDER BY id")]

    # Cards.

    @_under_the_rules
    def admit(self, game: int, tag: str, *, known: Sequence[str], most: int, at: float) -> Admitted:
        """Return the number of the card *tag*. A card that is new to *game* gets the starting balance.

        The cards with *known* tags have the numbers 1, 2, … in that order. Any other card gets the next free number up
        to *most*, and keeps it from game to game. Raises ``Rejection("unknown card")`` if there is no number for the
        card.
        """
        number, is_new = self._number(game, tag, known, most)
        if not is_new and self._is_in(game, number):
            return Admitted(number, None)
        with self.transaction() as connection:
            if is_new:
                # the number may be that of a card that is known by now
                connection.execute("DELETE FROM deck WHERE number = ?", (number,))
                connection.execute(
                    "INSERT INTO deck VALUES (?, ?) ON CONFLICT (tag) DO UPDATE SET number = excluded.number",
                    (tag, number),
                )
            if self._is_in(game, number):
                return Admitted(number, None)
            return Admitted(number, self._join(game, number, at))

    @_under_the_rules
    def join(self, game: int, card: int, *, at: float) -> Transfer | None:
        """Add *card* to *game* with the starting balance, although no slot has read the card's tag.

        Return the transfer, or ``None`` if the card is in the game already.
        """
        with self.transaction():
            return None if self._is_in(game, card) else self._join(game, card, at)

    # Money.

    @_under_the_rules
    def pay(self, game: int, from_: int, to: int, amount: int, *, reason: str, press: str, at: float) -> Transfer:
        """Move *amount* from account *from_* to account *to*. Return the transfer.

        *press* identifies the key press, or the payment that a player asked for. If it already has a transfer, return
        that transfer and move no money.
        """
        with self.transaction() as connection:
            if to == POT and self.pot(game) is None:
                connection.execute("INSERT INTO account (game, card) VALUES (?, ?)", (game, POT))
            return self._insert(game, from_, to, amount, reason, at, None, press)

    @_under_the_rules
    def undo(self, transfer: int, *, press: str, at: float) -> Transfer:
        """Undo a transfer with an opposite transfer, and return the opposite transfer.

        A starting balance, an undo and a transfer that was undone cannot be undone. A card that went bankrupt with the
        transfer returns to the game.
        """
        wrong = self.transfer(transfer)
        if wrong.reason == "start":
            raise Rejection("nothing to undo")
        with self.transaction():
            return self._undo(wrong, press, at)

    @_under_the_rules
    def bankrupt(self, game: int, card: int, creditor: int, *, press: str, at: float) -> Transfer | None:
        """Move the whole balance of *card* to *creditor*, the `BANK` or another card, and retire *card*.

        The bank pays off a negative balance. Return the transfer, or ``None`` if the balance was 0. Further transfers
        of the card raise ``Rejection("bankrupt")`` until `readmit`, or `undo` of the transfer.
        """
        with self.transaction() as connection:
            if saved := self.saved(press):
                return saved
            if card in self.retired(game):
                raise Rejection("bankrupt")
            balance = self.balance(game, card)
            if balance:
                from_, to = (card, creditor) if balance > 0 else (BANK, card)
                return self._insert(game, from_, to, abs(balance), "bankrupt", at, None, press)
            connection.execute("UPDATE account SET retired = 1 WHERE game = ? AND card = ?", (game, card))
            return None

    @_under_the_rules
    def readmit(self, game: int, card: int, *, press: str, at: float) -> Transfer | None:
        """Return a bankrupt card to the game with its old balance.

        Return the transfer, or ``None`` if that balance was 0.
        """
        self.balance(game, card)
        with self.transaction() as connection:
            if saved := self.saved(press):
                return saved
            last = self.transfers_of(game, card, 1)[0]
            # a card without money retires without a transfer
            if last.reason == "bankrupt" and card == (last.from_ or last.to):
                return self._undo(last, press, at)
            connection.execute("UPDATE account SET retired = 0 WHERE game = ? AND card = ?", (game, card))
            return None

    def last_to_undo(self, game: int) -> Transfer | None:
        """Return the last transfer of *game* that was not undone, or ``None``.

        Starting balances and undos do not count.
        """
        row = self._row(
            f"{TRANSFER} AS t WHERE game = ? AND undoes IS NULL AND reason <> 'start' "
            "AND NOT EXISTS (SELECT 1 FROM transfer WHERE undoes = t.id) ORDER BY id DESC LIMIT 1",
            game,
        )
        return Transfer(*row) if row else None

    # Reading. No method here becomes slower as the ledger grows, except those that return all of it.

    def balance(self, game: int, card: int) -> int:
        """Return the balance of the account *card* in *game*. Raises ``LookupError`` if there is no such account."""
        row = self._row("SELECT balance FROM account WHERE game = ? AND card = ?", game, card)
        if not row:
            raise LookupError(f"card {card} has no account in game {game}")
        return int(row[0])

    def balances(self, game: int) -> dict[int, int]:
        """Return the balance of each player's card in *game*, keyed by card, in ascending order."""
        rows = self.connection.execute(
            "SELECT card, balance FROM account WHERE game = ? AND card NOT IN (?, ?) ORDER BY card", (game, BANK, POT)
        )
        return dict(rows.fetchall())

    def pot(self, game: int) -> int | None:
        """Return the balance of the Free Parking pot, or ``None`` if nothing was paid into it in *game*."""
        row = self._row("SELECT balance FROM account WHERE game = ? AND card = ?", game, POT)
        return int(row[0]) if row else None

    def retired(self, game: int) -> frozenset[int]:
        """Return the cards that are bankrupt in *game*."""
        rows = self.connection.execute("SELECT card FROM account WHERE game = ? AND retired", (game,))
        return frozenset(card for (card,) in rows)

    def transfers(self, game: int, limit: int) -> list[Transfer]:
        """Return the latest *limit* transfers of *game*, newest first."""
        rows = self.connection.execute(f"{TRANSFER} WHERE game = ? ORDER BY id DESC LIMIT ?", (game, limit))
        return [Transfer(*row) for row in rows]

    def transfers_of(self, game: int, card: int, limit: int) -> list[Transfer]:
        """Return the latest *limit* transfers to or from the account *card* in *game*, newest first."""
        rows = self.connection.execute(
            f'{TRANSFER} WHERE game = ?1 AND "from" = ?2 UNION ALL {TRANSFER} WHERE game = ?1 AND "to" = ?2 '
            "ORDER BY id DESC LIMIT ?3",
            (game, card, limit),
        )
        return [Transfer(*row) for row in rows]

    def transfers_after(self, transfer: int, most: int = -1) -> list[Transfer]:
        """Return the transfers of any game with a higher number than *transfer*, oldest first, up to *most* of them."""
        rows = self.connection.execute(f"{TRANSFER} WHERE id > ? ORDER BY id LIMIT ?", (transfer, most))
        return [Transfer(*row) for row in rows]

    def last_transfer_up_to(self, transfer: int) -> int:
        """Return the highest number of a transfer of any game that is not above *transfer*, or 0 if there is none."""
        ((number,),) = self.connection.execute("SELECT coalesce(max(id), 0) FROM transfer WHERE id <= ?", (transfer,))
        return int(number)

    def last_transfer(self) -> int:
        """Return the number of the last transfer of any game, or 0 if there is none."""
        ((number,),) = self.connection.execute("SELECT coalesce(max(id), 0) FROM transfer").fetchall()
        return int(number)

    def transfer(self, transfer: int) -> Transfer:
        """Return transfer number *transfer*. Raises ``LookupError`` if there is none."""
        row = self._row(f"{TRANSFER} WHERE id = ?", transfer)
        if not row:
            raise LookupError(f"there is no transfer {transfer}")
        return Transfer(*row)

    def saved(self, press: str) -> Transfer | None:
        """Return the transfer of the key press *press*, or ``None``."""
        row = self._row(f"{TRANSFER} WHERE press = ?", press)
        return Transfer(*row) if row else None

    def opposite_of(self, transfer: int) -> Transfer | None:
        """Return the transfer that undid *transfer*, or ``None``."""
        row = self._row(f"{TRANSFER} WHERE undoes = ?", transfer)
        return Transfer(*row) if row else None

    def setting(self, name: str) -> str | None:
        """Return the value of the setting *name*, or ``None`` if it was not saved."""
        row = self._row("SELECT value FROM setting WHERE name = ?", name)
        return str(row[0]) if row else None

    @_under_the_rules
    def set_setting(self, name: str, value: str) -> None:
        """Save *value* as the setting *name*."""
        with self.transaction():
            self._save_settings([(name, value)])

    def name(self) -> str:
        """Return the random name of the ledger, 16 hex digits. The first call saves it.

        Under one name, a transfer's number is never used twice. A backup has no name, because the numbers after it are
        used again if it replaces the ledger.
        """
        name = self.setting(NAME_SETTING) or ""
        if not _NAME.fullmatch(name):
            name = secrets.token_hex(8)
            self.set_setting(NAME_SETTING, name)
        return name

    def verify(self) -> list[str]:
        """Check the whole ledger against every rule. Return a sentence for each problem."""
        return problems_of(self.connection)

    # Inside a transaction.

    def _number(self, game: int, tag: str, known: Sequence[str], most: int) -> tuple[int, bool]:
        """Return the number of the card *tag*, and whether the number must be saved in the deck.

        The number of a player who joined *game* without a card is not free.
        """
        if tag in known:
            number = known.index(tag) + 1
            if number > most:
                raise Rejection("unknown card")
            return number, False
        rows = self.connection.execute("SELECT tag, number FROM deck").fetchall()
        saved: dict[str, int] = {other: number for other, number in rows if other not in known}
        free = range(len(known) + 1, most + 1)
        if saved.get(tag) in free:
            return saved[tag], False
        for number in free:
            if number not in saved.values() and not self._is_in(game, number):
                return number, True
        raise Rejection("unknown card")

    def _is_in(self, game: int, card: int) -> bool:
        return self._row("SELECT 1 FROM account WHERE game = ? AND card = ?", game, card) is not None

    def _join(self, game: int, card: int, at: float) -> Transfer:
        start = self._game(game).start
        self.connection.execute("INSERT INTO account (game, card) VALUES (?, ?)", (game, card))
        return self._insert(game, BANK, card, start, "start", at, None, f"start-{game}-{card}")

    def _undo(self, wrong: Transfer, press: str, at: float) -> Transfer:
        return self._insert(wrong.game, wrong.to, wrong.from_, wrong.amount, "undo", at, wrong.id, press)

    def _insert(
        self,
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
            raise Rejection("too much" if amount > 0 else "zero")
        try:
            ((number,),) = self.connection.execute(
                'INSERT INTO transfer (game, "from", "to", amount, reason, at, undoes, press) '
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
                (game, from_, to, amount, reason, at, undoes, press),
            ).fetchall()
        except sqlite3.IntegrityError:
            # a repeated press may break any rule, such as that of the balance, and counts as saved all the same
            if saved := self.saved(press):
                return saved
            raise
        return Transfer(number, game, from_, to, amount, reason, at, undoes)

    def _save_settings(self, settings: Iterable[tuple[str, str]]) -> None:
        for setting in settings:
            self.connection.execute(
                "INSERT INTO setting VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", setting
            )

    def _game(self, game: int) -> Game:
        row = self._row(f"{GAME} WHERE id = ?", game)
        if not row:
            raise LookupError(f"there is no game {game}")
        return game_of(row)

    def _row(self, query: str, *values: object) -> tuple[Any, ...] | None:
        row: tuple[Any, ...] | None = self.connection.execute(query, values).fetchone()
        return row
