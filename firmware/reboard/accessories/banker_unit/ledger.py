"""The ledger: double-entry bookkeeping in SQLite. Transfers are never changed or removed."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from reboard.accessories.banker_unit.accounts import BANK, LARGEST_BALANCE, Account, Reason
from reboard.accessories.banker_unit.ledger_reading import LedgerReading
from reboard.accessories.banker_unit.open_files import OpenFiles
from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.accessories.banker_unit.schema import Game, Move, Transfer
from reboard.accessories.banker_unit.verify import problems_of
from reboard.editions.money import AmountWhy
from reboard.errors import Rejection, Why
from reboard.record import Record

__all__ = ["Admitted", "Game", "Ledger", "StartedGame", "Transfer"]

P = ParamSpec("P")
T = TypeVar("T")

Setting = tuple[str, str]
"""The name and the value of a setting."""

NONE_HELD: Mapping[int, Setting] = {}

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
    """A card's number, and the transfer with which the card joined the game or returned to it, if there was one.

    *is_new* is whether the card did not have the number before.
    """

    number: int
    is_new: bool
    transfer: Transfer | None


def _change(write: Callable[Concatenate[Ledger, P], T]) -> Callable[Concatenate[Ledger, P], T]:
    """Let *write* be one transaction, or a part of the transaction of the method that calls it.

    It raises `Rejection` or ``LookupError`` instead of the errors of the schema's rules.
    """

    @wraps(write)
    def within(self: Ledger, /, *args: P.args, **kwargs: P.kwargs) -> T:
        if self._is_changing:
            return write(self, *args, **kwargs)
        self._is_changing = True
        try:
            with self.transaction():
                return write(self, *args, **kwargs)
        except sqlite3.IntegrityError as error:
            if why := RULES.get(str(error)):
                raise Rejection(why) from error
            raise LookupError(f"the ledger cannot save this change: {error}") from error
        finally:
            self._is_changing = False

    return within


class Ledger(LedgerReading):
    """A ledger with an open *connection*, for use in one thread.

    A method that writes is one transaction. It raises `Rejection` if a rule forbids the change, and ``LookupError``
    for a game, card or transfer that does not exist. It raises ``sqlite3.Error`` if the disk fails. After an exception
    no money has moved, unless the ledger is `in_doubt`. In that case a commit has failed, but the disk may have saved
    the change. The next opening of the file shows whether it has.

    *press* identifies the key press, or the payment that a player asked for. A method that has made a transfer for it
    before returns that transfer, and moves no money. A method for a card returns ``None`` if no money had to move.
    """

    files = OpenFiles()
    """The files of the ledger. A ledger in memory has none."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(connection)
        self.in_doubt = False
        self._is_changing = False

    def close(self) -> None:
        self.connection.close()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Begin a transaction. Commit it at the end of the ``with`` block, or roll it back after an exception.

        Raises `MovedLedgerError` if a file of the ledger was removed, replaced or truncated.
        """
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            self.files.check()
            yield self.connection
            self.in_doubt = True
            self.connection.execute("COMMIT")
            self.files.check()
            self.in_doubt = False
        except BaseException:
            # a full disk may have ended the transaction already
            with suppress(sqlite3.Error):
                self.connection.execute("ROLLBACK")
            raise

    # Games.

    @_change
    def new_game(
        self,
        edition: str,
        start: int,
        *,
        at: float,
        cards: Iterable[int] = (),
        largest: int = LARGEST_BALANCE,
        may_owe: bool = False,
        settings: Iterable[Setting] = (),
    ) -> StartedGame:
        """Start a game in which each of *cards* has the balance *start*. The current game ends and is kept.

        No player's balance can be above *largest*, or below zero. If players *may_owe*, the minimum is -*largest*
        instead of zero. The same transaction saves *settings*.
        """
        self.connection.execute("UPDATE game SET ended_at = ? WHERE ended_at IS NULL", (at,))
        ((number,),) = self.connection.execute(
            "INSERT INTO game (edition, start, largest, may_owe, started_at) VALUES (?, ?, ?, ?, ?) RETURNING id",
            (edition, start, min(largest, LARGEST_BALANCE), may_owe, at),
        ).fetchall()
        self._open(number, BANK)
        starts = tuple(self._start(number, card, at) for card in cards)
        self.save(settings)
        return StartedGame(**asdict(self._game(number)), starts=starts)

    @_change
    def resume(self, game: int, *, at: float, settings: Iterable[Setting] = ()) -> Game:
        """Continue *game*. The current game ends and is kept. The same transaction saves *settings*."""
        self.connection.execute("UPDATE game SET ended_at = ? WHERE ended_at IS NULL", (at,))
        self.connection.execute("UPDATE game SET ended_at = NULL WHERE id = ?", (game,))
        self.save(settings)
        return self._game(game)

    # Cards.

    def admit(
        self,
        game: int,
        tag: str,
        *,
        known: Sequence[str],
        most: int,
        held: Mapping[int, Setting] = NONE_HELD,
        press: str,
        at: float,
    ) -> Admitted:
        """Return the number of the card *tag*, which joins *game*.

        The cards with *known* tags have the numbers 1, 2, … in that order, except those that were replaced. Any other
        card gets the next free number up to *most*, and keeps it from game to game. If no number is free, the card gets
        the lowest number of a card that is not in *game*. It gets one of the numbers *held* by phones only if there is
        no other, and the same transaction saves the setting by which the phone loses it. Raises
        ``BankWhy.UNKNOWN_CARD`` if there is no number for the card.
        """
        number, is_new = self._number(game, tag, known, most, held)
        if not is_new and self._left(game, number) == 0:
            return Admitted(number, is_new, None)
        settings = [held[number]] if is_new and number in held else []
        tag = tag if is_new else ""
        return Admitted(number, is_new, self.join(game, number, press=press, at=at, tag=tag, settings=settings))

    @_change
    def join(
        self, game: int, card: int, *, press: str, at: float, tag: str = "", settings: Iterable[Setting] = ()
    ) -> Transfer | None:
        """Add *card* to *game* with the starting balance, and give its number to the card *tag* if there is one.

        A card that left returns with the balance that it had. The same transaction saves *settings*.
        """
        self.save(settings)
        if tag:
            self._remember(tag, card)
        match self._left(game, card):
            case 0:
                return None
            case 1:
                return self.come_back(game, card, press=press, at=at)
        return self._start(game, card, at)

    @_change
    def leave(self, game: int, card: int, *, press: str, at: float) -> Transfer | None:
        """Move the whole balance of *card* to the bank, and take *card* out of the game. This is no bankruptcy.

        The bank pays off a negative balance. Further transfers of the card raise ``BankWhy.LEFT`` until `come_back`, or
        `undo` of the transfer.
        """
        return self.saved(press) or self._take_out(game, card, BANK, Reason.LEFT, press, at)

    @_change
    def come_back(self, game: int, card: int, *, press: str, at: float) -> Transfer | None:
        """Return a card that left to the game, with the balance that it had."""
        self.balance(game, card)
        if saved := self.saved(press):
            return saved
        if self._left(game, card) == 2:
            raise Rejection(BankWhy.NOT_IN_THE_GAME)
        row = self._row("SELECT id FROM leaving WHERE game = ? AND card = ? AND until IS NULL", game, card)
        if row:
            return self.undo(row[0], press=press, at=at)[0]
        self._mark(game, card, "left", 0)
        return None

    @_change
    def replace(
        self,
        game: int,
        card: int,
        tag: str,
        *,
        known: Sequence[str],
        gives_up: int | None,
        press: str,
        at: float,
        settings: Iterable[Setting] = (),
    ) -> Transfer | None:
        """Give the number *card*, with its balance in every game, to the card *tag*. The old card loses its number.

        The card *tag* can have the number *gives_up* in *game*: it leaves the game, and the number is free. Raises
        ``BankWhy.SAME_CARD_TWICE`` if *tag* has any other number in *game*. The same transaction saves *settings*.
        """
        self.save(settings)
        other = self.number_of(game, tag, known=known)
        if other not in (None, card, gives_up):
            raise Rejection(BankWhy.SAME_CARD_TWICE)
        is_free = other in (None, card) or other in self.retired(game)
        transfer = None if is_free or other is None else self.free(game, other, known=known, press=press, at=at)
        self._forget(card, known)
        if tag in known[card - 1 : card]:
            self.connection.execute("DELETE FROM deck WHERE tag = ?", (tag,))
            self.connection.execute("DELETE FROM lost WHERE tag = ? AND number = ?", (tag, card))
            return transfer
        if tag in known:
            self._lose(tag, known.index(tag) + 1)
        self._remember(tag, card)
        return transfer

    @_change
    def free(
        self, game: int, card: int, *, known: Sequence[str], press: str, at: float, settings: Iterable[Setting] = ()
    ) -> Transfer | None:
        """Take *card* out of the game if it is in it, and forget its tag.

        The number is free, and the next card with it joins with the starting balance. The same transaction saves
        *settings*.
        """
        self.save(settings)
        if saved := self.saved(press):
            return saved
        transfer = self.leave(game, card, press=press, at=at) if self._left(game, card) == 0 else None
        self._mark(game, card, "left", 2)
        self._forget(card, known)
        return transfer

    # Money.

    @_change
    def pay_all(self, game: int, moves: Sequence[Move], *, press: str, at: float) -> list[Transfer]:
        """Make all of *moves*, as one act, or none. Return the transfers.

        Raises ``BankWhy.ID_USED`` if *press* already has other transfers.
        """
        if saved := self.saved(press):
            made = self.act_of(saved)
            if saved.game != game or [transfer.move for transfer in made] != list(moves):
                raise Rejection(BankWhy.ID_USED)
            return made
        for account in {each for move in moves for each in (move.from_, move.to)} & OPENED_LATER:
            if self._left(game, account) is None:
                self._open(game, account)
        return self._act(game, [(move, None) for move in moves], press, at)

    @_change
    def undo(self, transfer: int, *, press: str, at: float) -> list[Transfer]:
        """Undo a transfer and the other transfers of its act. Return the opposite transfers.

        A starting balance, an undo and a transfer that was undone cannot be undone. A card that went bankrupt with the
        transfer, or left the game with it, returns to the game.
        """
        wrong = self.transfer(transfer)
        is_freed = wrong.reason == Reason.LEFT and self._left(wrong.game, wrong.from_ or wrong.to) == 2
        if wrong.reason == Reason.START or is_freed:
            raise Rejection(BankWhy.NOTHING_TO_UNDO)
        if saved := self.saved(press):
            return self.act_of(saved)
        moves = [(Move(each.to, each.from_, each.amount, Reason.UNDO), each.id) for each in self.act_of(wrong)]
        return self._act(wrong.game, moves, press, at)

    @_change
    def bankrupt(self, game: int, card: int, creditor: int, *, press: str, at: float) -> Transfer | None:
        """Move the whole balance of *card* to *creditor*, the `BANK` or another card, and retire *card*.

        The bank pays off a negative balance. Further transfers of the card raise ``BankWhy.BANKRUPT`` until `readmit`,
        or `undo` of the transfer.
        """
        return self.saved(press) or self._take_out(game, card, creditor, Reason.BANKRUPT, press, at)

    @_change
    def readmit(self, game: int, card: int, *, press: str, at: float) -> Transfer | None:
        """Return a bankrupt card to the game with its old balance."""
        self.balance(game, card)
        if saved := self.saved(press):
            return saved
        last = self.transfers_of(game, card, 1)[0]
        # a card without money retires without a transfer
        if last.reason == Reason.BANKRUPT and card == (last.from_ or last.to):
            return self.undo(last.id, press=press, at=at)[0]
        self._mark(game, card, "retired", 0)
        return None

    # Settings and checks.

    @_change
    def set_setting(self, name: str, value: str) -> None:
        """Save *value* as the setting *name*."""
        self.save([(name, value)])

    @_change
    def save(self, settings: Iterable[Setting]) -> None:
        """Save each setting."""
        self.connection.executemany(
            "INSERT INTO setting VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", settings
        )

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

    # Rows.

    def _open(self, game: int, account: int) -> None:
        self.connection.execute("INSERT INTO account (game, card) VALUES (?, ?)", (game, account))

    def _mark(self, game: int, card: int, column: str, value: int) -> None:
        self.connection.execute(f'UPDATE account SET "{column}" = ? WHERE game = ? AND card = ?', (value, game, card))

    def _remember(self, tag: str, number: int) -> None:
        # the number may be that of a card that is known or not here by now
        self.connection.execute("DELETE FROM deck WHERE number = ?", (number,))
        self.connection.execute(
            "INSERT INTO deck VALUES (?, ?) ON CONFLICT (tag) DO UPDATE SET number = excluded.number", (tag, number)
        )

    def _forget(self, card: int, known: Sequence[str]) -> None:
        self.connection.execute("DELETE FROM deck WHERE number = ?", (card,))
        for tag in known[card - 1 : card]:
            self._lose(tag, card)

    def _lose(self, tag: str, number: int) -> None:
        self.connection.execute("INSERT INTO lost VALUES (?, ?) ON CONFLICT DO NOTHING", (tag, number))

    def _start(self, game: int, card: int, at: float) -> Transfer:
        if self._left(game, card) is None:
            self._open(game, card)
        row = self._row(
            """SELECT count(*) FROM transfer WHERE game = ? AND "to" = ? AND reason = 'start'""", game, card
        )
        again = f"-{row[0]}" if row and row[0] else ""
        start = Move(BANK, card, self._game(game).start, Reason.START)
        return self._insert(game, start, at, f"start-{game}-{card}{again}")

    def _take_out(self, game: int, card: int, to: int, reason: str, press: str, at: float) -> Transfer | None:
        """Move the whole balance of *card* to account *to*, or let the bank pay what the card owes."""
        if card in self.retired(game):
            raise Rejection(BankWhy.BANKRUPT)
        if self._left(game, card):
            raise Rejection(BankWhy.LEFT)
        if balance := self.balance(game, card):
            from_, to = (card, to) if balance > 0 else (BANK, card)
            return self._insert(game, Move(from_, to, abs(balance), reason), at, press)
        self._mark(game, card, "left" if reason == Reason.LEFT else "retired", 1)
        return None

    def _act(self, game: int, moves: Sequence[tuple[Move, int | None]], press: str, at: float) -> list[Transfer]:
        """Insert a transfer for each of *moves*, which have the number of the transfer to undo, or ``None``."""
        act = 1 + self.last_transfer() if len(moves) > 1 else None
        presses = [press, *(f"{press}/{number}" for number in range(2, len(moves) + 1))]
        return [
            self._insert(game, move, at, each, undoes, act) for (move, undoes), each in zip(moves, presses, strict=True)
        ]

    def _insert(
        self, game: int, move: Move, at: float, press: str, undoes: int | None = None, act: int | None = None
    ) -> Transfer:
        from_, to, amount, reason = move.from_, move.to, move.amount, move.reason
        if not 0 < amount <= LARGEST_BALANCE:
            raise Rejection(BankWhy.TOO_MUCH if amount > 0 else AmountWhy.ZERO)
        ((number,),) = self.connection.execute(
            'INSERT INTO transfer (game, "from", "to", amount, reason, at, undoes, press, act) '
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
            (game, from_, to, amount, reason, at, undoes, press, act),
        ).fetchall()
        return Transfer(number, game, from_, to, amount, reason, at, undoes, act)
