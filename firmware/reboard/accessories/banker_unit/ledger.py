"""The ledger: double-entry bookkeeping in SQLite. Transfers are never changed or removed."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

from reboard.accessories.banker_unit.accounts import BANK, LARGEST_BALANCE, Account, Reason
from reboard.accessories.banker_unit.ledger_errors import Mended
from reboard.accessories.banker_unit.ledger_writing import LedgerWriting
from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.accessories.banker_unit.schema import Game, Move, Transfer
from reboard.accessories.banker_unit.verify import problems_of
from reboard.errors import Rejection, Why
from reboard.record import Record

__all__ = ["Admitted", "Game", "Ledger", "StartedGame", "Transfer"]

P = ParamSpec("P")
T = TypeVar("T")

NAME_SETTING = "ledger"
"""The name of the ledger's setting for its random name, which backups do not have."""

OPENED_LATER = frozenset(map(int, Account)) - {BANK}
"""The accounts that the first move of money opens."""

RULES: Mapping[str, Why] = {str(why): why for why in BankWhy.members}
"""The rejections, keyed by the text of the trigger of the schema that raises them."""

_NAME = re.compile("[0-9a-f]{16}")


class StartedGame(Game):
    """A new game with the transfers of the starting balances."""

    starts: tuple[Transfer, ...]


class Admitted(Record):
    """A card's number, and the transfer with which the card joined the game or returned to it, if there was one."""

    number: int
    transfer: Transfer | None


def _under_the_rules(write: Callable[P, T]) -> Callable[P, T]:
    """Wrap *write*, to raise `Rejection` or ``LookupError`` instead of the errors of the schema's rules."""

    @wraps(write)
    def within(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return write(*args, **kwargs)
        except sqlite3.IntegrityError as error:
            if why := RULES.get(str(error)):
                raise Rejection(why) from error
            raise LookupError(f"the ledger cannot save this change: {error}") from error

    return within


class Ledger(LedgerWriting):
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
        super().__init__(connection)
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

    def start_backup(self) -> Callable[[], None] | None:
        """Return a function that makes a backup of the present state, or ``None``. See `Backups.start`."""
        return None

    def back_up(self) -> None:
        """Make a backup on this thread, if anything has changed since the last one."""
        if make := self.start_backup():
            make()

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
        largest: int = LARGEST_BALANCE,
        may_owe: bool = False,
        settings: Iterable[tuple[str, str]] = (),
    ) -> StartedGame:
        """Start a game in which each of *cards* has the balance *start*. The current game ends and is kept.

        No player's balance can be above *largest*, or below zero. If players *may_owe*, the minimum is -*largest*
        instead of zero. The same transaction saves *settings*.
        """
        with self.transaction() as connection:
            connection.execute("UPDATE game SET ended_at = ? WHERE ended_at IS NULL", (at,))
            ((number,),) = connection.execute(
                "INSERT INTO game (edition, start, largest, may_owe, started_at) VALUES (?, ?, ?, ?, ?) RETURNING id",
                (edition, start, min(largest, LARGEST_BALANCE), may_owe, at),
            ).fetchall()
            connection.execute("INSERT INTO account (game, card) VALUES (?, ?)", (number, BANK))
            starts = tuple(self._join(number, card, at) for card in cards)
            self._save_settings(settings)
            return StartedGame(**asdict(self._game(number)), starts=starts)

    @_under_the_rules
    def resume(self, game: int, *, at: float, settings: Iterable[tuple[str, str]] = ()) -> Game:
        """Continue *game*. The current game ends and is kept. The same transaction saves *settings*."""
        with self.transaction() as connection:
            connection.execute("UPDATE game SET ended_at = ? WHERE ended_at IS NULL", (at,))
            connection.execute("UPDATE game SET ended_at = NULL WHERE id = ?", (game,))
            self._save_settings(settings)
            return self._game(game)

    # Cards.

    @_under_the_rules
    def admit(self, game: int, tag: str, *, known: Sequence[str], most: int, press: str, at: float) -> Admitted:
        """Return the number of the card *tag*. A card that is new to *game* gets the starting balance.

        A card that left the game returns with the balance that it had. The cards with *known* tags have the numbers
        1, 2, … in that order, except those that were replaced. Any other card gets the next free number up to *most*,
        and keeps it from game to game. If no number is free, the card gets the lowest number of a card that is not in
        *game*. Raises ``BankWhy.UNKNOWN_CARD`` if there is no number for the card.
        """
        number, is_new = self._number(game, tag, known, most)
        if not is_new and self._left(game, number) == 0:
            return Admitted(number, None)
        with self.transaction():
            if is_new:
                self._remember(tag, number)
            return Admitted(number, self._let_in(game, number, press, at))

    @_under_the_rules
    def join(self, game: int, card: int, *, press: str, at: float) -> Transfer | None:
        """Add *card* to *game* with the starting balance, although no slot has read the card's tag.

        A card that left returns with the balance that it had. Return the transfer, or ``None`` if none was needed.
        """
        with self.transaction():
            return self._let_in(game, card, press, at)

    @_under_the_rules
    def leave(self, game: int, card: int, *, press: str, at: float) -> Transfer | None:
        """Move the whole balance of *card* to the bank, and take *card* out of the game. This is no bankruptcy.

        The bank pays off a negative balance. Return the transfer, or ``None`` if the balance was 0. Further transfers
        of the card raise ``BankWhy.LEFT`` until `come_back`, or `undo` of the transfer.
        """
        with self.transaction():
            return self.saved(press) or self._take_out(game, card, press, at)

    @_under_the_rules
    def come_back(self, game: int, card: int, *, press: str, at: float) -> Transfer | None:
        """Return a card that left to the game, with the balance that it had.

        Return the transfer, or ``None`` if that balance was 0 or the card has not left.
        """
        self.balance(game, card)
        with self.transaction():
            return self.saved(press) or self._come_back(game, card, press, at)

    @_under_the_rules
    def replace(
        self, game: int, card: int, tag: str, *, known: Sequence[str], gives_up: int | None, press: str, at: float
    ) -> Transfer | None:
        """Give the number *card*, with its balance in every game, to the card *tag*. The old card loses its number.

        The card *tag* can have the number *gives_up* in *game*: it leaves the game, and the number is free. Return the
        transfer of that, if there was one. Raises ``BankWhy.SAME_CARD_TWICE`` if *tag* has any other number in
        *game*.
        """
        with self.transaction() as connection:
            other = self.number_of(game, tag, known=known)
            if other not in (None, card, gives_up):
                raise Rejection(BankWhy.SAME_CARD_TWICE)
            is_free = other in (None, card) or other in self.retired(game)
            transfer = None if is_free or other is None else self._free(game, other, known, press, at)
            self._forget(card, known)
            if tag in known[card - 1 : card]:
                connection.execute("DELETE FROM deck WHERE tag = ?", (tag,))
                connection.execute("DELETE FROM lost WHERE tag = ? AND number = ?", (tag, card))
                return transfer
            if tag in known:
                self._lose(tag, known.index(tag) + 1)
            self._remember(tag, card)
            return transfer

    @_under_the_rules
    def free(self, game: int, card: int, *, known: Sequence[str], press: str, at: float) -> Transfer | None:
        """Take *card* out of the game if it is in it, and forget its tag.

        The number is free, and the next card with it joins with the starting balance. Return the transfer to the bank,
        or ``None`` if there was none.
        """
        with self.transaction():
            return self.saved(press) or self._free(game, card, known, press, at)

    # Money.

    def pay(self, game: int, from_: int, to: int, amount: int, *, reason: str, press: str, at: float) -> Transfer:
        """Move *amount* from account *from_* to account *to*. Return the transfer. For *press*, see `pay_all`."""
        (transfer,) = self.pay_all(game, [Move(from_, to, amount, reason)], press=press, at=at)
        return transfer

    @_under_the_rules
    def pay_all(self, game: int, moves: Sequence[Move], *, press: str, at: float) -> list[Transfer]:
        """Make all of *moves*, as one act, or none. Return the transfers.

        *press* identifies the key press, or the payment that a player asked for. If it already has these transfers,
        return them and move no money. Raises ``BankWhy.ID_USED`` if it has others.
        """
        with self.transaction() as connection:
            if saved := self.saved(press):
                made = self.act_of(saved)
                if saved.game != game or [transfer.move for transfer in made] != list(moves):
                    raise Rejection(BankWhy.ID_USED)
                return made
            for account in {each for move in moves for each in (move.from_, move.to)} & OPENED_LATER:
                if self._left(game, account) is None:
                    connection.execute("INSERT INTO account (game, card) VALUES (?, ?)", (game, account))
            return self._act(game, [(move, None) for move in moves], press, at)

    @_under_the_rules
    def undo(self, transfer: int, *, press: str, at: float) -> list[Transfer]:
        """Undo a transfer and the other transfers of its act. Return the opposite transfers.

        A starting balance, an undo and a transfer that was undone cannot be undone. A card that went bankrupt with the
        transfer, or left the game with it, returns to the game.
        """
        wrong = self.transfer(transfer)
        is_freed = wrong.reason == Reason.LEFT and self._left(wrong.game, wrong.from_ or wrong.to) == 2
        if wrong.reason == Reason.START or is_freed:
            raise Rejection(BankWhy.NOTHING_TO_UNDO)
        with self.transaction():
            if saved := self.saved(press):
                return self.act_of(saved)
            return self._undo(wrong, press, at)

    @_under_the_rules
    def bankrupt(self, game: int, card: int, creditor: int, *, press: str, at: float) -> Transfer | None:
        """Move the whole balance of *card* to *creditor*, the `BANK` or another card, and retire *card*.

        The bank pays off a negative balance. Return the transfer, or ``None`` if the balance was 0. Further transfers
        of the card raise ``BankWhy.BANKRUPT`` until `readmit`, or `undo` of the transfer.
        """
        with self.transaction() as connection:
            if saved := self.saved(press):
                return saved
            self._check_is_in(game, card)
            if transfer := self._move_all(game, card, creditor, Reason.BANKRUPT, press, at):
                return transfer
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
            if last.reason == Reason.BANKRUPT and card == (last.from_ or last.to):
                return self._undo(last, press, at)[0]
            connection.execute("UPDATE account SET retired = 0 WHERE game = ? AND card = ?", (game, card))
            return None

    # Settings and checks.

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
            name = os.urandom(8).hex()
            self.set_setting(NAME_SETTING, name)
        return name

    def verify(self) -> list[str]:
        """Check the whole ledger against every rule. Return a sentence for each problem."""
        return problems_of(self.connection)
