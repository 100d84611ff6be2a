"""The ledger: double-entry bookkeeping in SQLite. Transfers are never changed or removed."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from reboard.accessories.banker_unit.accounts import BANK, NO_CARDS, POT, Account, Reason
from reboard.accessories.banker_unit.ledger_errors import Mended
from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.accessories.banker_unit.schema import GAME, NEWEST_OF_GAME, TRANSFER, Game, Transfer, game_of
from reboard.accessories.banker_unit.verify import problems_of
from reboard.editions.money import AmountWhy
from reboard.errors import Rejection
from reboard.record import Record

__all__ = ["Admitted", "Game", "Ledger", "StartedGame", "Transfer"]

P = ParamSpec("P")
T = TypeVar("T")

LARGEST = 10**15
"""The largest possible balance in any edition. It is far below the maximum of SQLite's 64-bit integers."""

NAME_SETTING = "ledger"
"""The name of the ledger's setting for its random name. Backups do not have it, see `Ledger.name`."""

RULES = {str(why): why for why in BankWhy.members}
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
        largest: int = LARGEST,
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
                (edition, start, min(largest, LARGEST), may_owe, at),
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

    def game(self) -> Game | None:
        """Return the current game, or ``None``."""
        row = self._row(f"{GAME} WHERE ended_at IS NULL")
        return game_of(row) if row else None

    def games(self) -> list[Game]:
        """Return every game, oldest first."""
        return [game_of(row) for row in self.connection.execute(f"{GAME} ORDER BY id")]

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

    @_under_the_rules
    def pay(self, game: int, from_: int, to: int, amount: int, *, reason: str, press: str, at: float) -> Transfer:
        """Move *amount* from account *from_* to account *to*. Return the transfer.

        *press* identifies the key press, or the payment that a player asked for. If it already has this transfer,
        return it and move no money. Raises ``BankWhy.ID_USED`` if it has another one.
        """
        with self.transaction() as connection:
            if to in set(Account) and self._left(game, to) is None:
                connection.execute("INSERT INTO account (game, card) VALUES (?, ?)", (game, to))
            return self._insert(game, from_, to, amount, reason, at, None, press)

    @_under_the_rules
    def pay_each(self, game: int, card: int, amount: int, *, receives: bool, press: str, at: float) -> list[Transfer]:
        """Move *amount* from *card* to each other card in the game, as one act. If *card* *receives*, each pays it.

        Bankrupt cards and cards that left are no others. Return the transfers. If *press* already has them, return them
        and move no money. Raises ``BankWhy.NO_FUNDS``, which names the cards that cannot pay,
        ``BankWhy.NO_PLAYERS`` if there are no others, and ``BankWhy.ID_USED`` if *press* has others.
        """
        reason = Reason.EACH_RECEIVED if receives else Reason.EACH_PAID
        with self.transaction():
            if saved := self.saved(press):
                payer_or_receiver = saved.to if receives else saved.from_
                if (saved.game, payer_or_receiver, saved.amount, saved.reason) != (game, card, amount, reason):
                    raise Rejection(BankWhy.ID_USED)
                return self.act_of(saved)
            self._check_is_in(game, card)
            rows = self.connection.execute(
                f"SELECT card, balance FROM account WHERE game = ? AND card NOT IN ({NO_CARDS}, ?) "
                'AND NOT retired AND NOT "left" ORDER BY card',
                (game, card),
            )
            others = dict(rows.fetchall())
            if not others:
                raise Rejection(BankWhy.NO_PLAYERS, "there is no other player in the game: insert another card first")
            rules = self._game(game)
            least = -rules.largest if rules.may_owe else 0
            if receives:
                poor = [other for other, balance in others.items() if balance - amount < least]
            else:
                poor = [card] if self.balance(game, card) - amount * len(others) < least else []
            if poor:
                names = " and ".join(f"card {other}" for other in poor)
                raise Rejection(
                    BankWhy.NO_FUNDS, f"{names} cannot pay, so no money has moved: raise money or choose less"
                )
            return self._act(
                game,
                [
                    (other, card, amount, reason, None) if receives else (card, other, amount, reason, None)
                    for other in others
                ],
                press,
                at,
            )

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

    def last_to_undo(self, game: int) -> Transfer | None:
        """Return the last transfer of *game* that was not undone, or ``None``.

        Starting balances and undos do not count, nor do transfers of a card whose number has a new player since.
        """
        can_be = "AND undoes IS NULL AND reason <> 'start' AND NOT EXISTS (SELECT 1 FROM transfer WHERE undoes = t.id)"
        rows = self.connection.execute(NEWEST_OF_GAME.format(can_be), {"game": game})
        return next((last for row in rows if not self.started_again(last := Transfer(*row))), None)

    def started_again(self, transfer: Transfer) -> int | None:
        """Return the card of *transfer* that was given to a new player since, or ``None``."""
        row = self._row(
            """SELECT "to" FROM transfer WHERE game = ? AND "to" IN (?, ?) AND reason = 'start' AND id > ?""",
            transfer.game,
            transfer.from_,
            transfer.to,
            transfer.id,
        )
        return int(row[0]) if row else None

    # Reading. No method here becomes slower as the ledger grows, except those that return all of it.

    def balance(self, game: int, card: int) -> int:
        """Return the balance of the account *card* in *game*. Raises ``LookupError`` if there is no such account."""
        row = self._row("SELECT balance FROM account WHERE game = ? AND card = ?", game, card)
        if not row:
            raise LookupError(f"card {card} has no account in game {game}")
        return int(row[0])

    def balances(self, game: int) -> dict[int, int]:
        """Return the balance of each player's card in *game*, keyed by card, in ascending order.

        A number that was freed has no card, until a new one joins with it.
        """
        rows = self.connection.execute(
            f"SELECT card, balance FROM account WHERE game = ? AND card NOT IN ({NO_CARDS}) "
            'AND "left" <> 2 ORDER BY card',
            (game,),
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

    def left(self, game: int) -> frozenset[int]:
        """Return the cards that left *game* and can return."""
        rows = self.connection.execute('SELECT card FROM account WHERE game = ? AND "left" = 1', (game,))
        return frozenset(card for (card,) in rows)

    def act_of(self, transfer: Transfer) -> list[Transfer]:
        """Return the transfers of the act to which *transfer* belongs, in their order."""
        if transfer.act is None:
            return [transfer]
        return [
            Transfer(*row) for row in self.connection.execute(f"{TRANSFER} WHERE act = ? ORDER BY id", (transfer.act,))
        ]

    def transfers(self, game: int, limit: int) -> list[Transfer]:
        """Return the latest *limit* transfers of *game*, newest first."""
        rows = self.connection.execute(f"{NEWEST_OF_GAME.format('')} LIMIT :limit", {"game": game, "limit": limit})
        return [Transfer(*row) for row in rows]

    def transfers_of(self, game: int, card: int, limit: int) -> list[Transfer]:
        """Return the latest *limit* transfers to or from the account *card* in *game*, newest first."""
        query = NEWEST_OF_GAME.format('AND :card IN ("from", "to")')
        rows = self.connection.execute(f"{query} LIMIT :limit", {"game": game, "card": card, "limit": limit})
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

    def number_of(self, game: int, tag: str, *, known: Sequence[str]) -> int | None:
        """Return the number of the card *tag* in *game*, or ``None`` if the card is not in it."""
        configured = self._configured(known)
        row = self._row("SELECT number FROM deck WHERE tag = ?", tag)
        remembered = row[0] if row and row[0] not in configured.values() else None
        number = configured.get(tag, remembered)
        return number if number and self._is_in(game, number) else None

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
            name = os.urandom(8).hex()
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
        configured = self._configured(known)
        if number := configured.get(tag):
            if number > most:
                raise Rejection(BankWhy.UNKNOWN_CARD)
            return number, False
        rows = self.connection.execute("SELECT tag, number FROM deck").fetchall()
        saved: dict[str, int] = {other: number for other, number in rows if other not in configured}
        free = [number for number in range(1, most + 1) if number not in configured.values()]
        if saved.get(tag) in free:
            return saved[tag], False
        absent = [number for number in free if not self._is_in(game, number)]
        unused = [number for number in absent if number not in saved.values()]
        for number in unused or absent:
            return number, True
        raise Rejection(BankWhy.UNKNOWN_CARD)

    def _configured(self, known: Sequence[str]) -> dict[str, int]:
        """Return the numbers of the cards with *known* tags, keyed by tag, without those that lost their numbers."""
        lost = set(self.connection.execute("SELECT tag, number FROM lost"))
        return {tag: number for number, tag in enumerate(known, 1) if (tag, number) not in lost}

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

    def _left(self, game: int, card: int) -> int | None:
        """Return the column ``left`` of an account, or ``None`` if there is no such account."""
        row = self._row('SELECT "left" FROM account WHERE game = ? AND card = ?', game, card)
        return int(row[0]) if row else None

    def _is_in(self, game: int, card: int) -> bool:
        """Return whether *card* is in *game*, or left it and can return."""
        return self._left(game, card) in (0, 1)

    def _check_is_in(self, game: int, card: int) -> None:
        if card in self.retired(game):
            raise Rejection(BankWhy.BANKRUPT)
        if self._left(game, card):
            raise Rejection(BankWhy.LEFT)

    def _let_in(self, game: int, card: int, press: str, at: float) -> Transfer | None:
        match self._left(game, card):
            case 0:
                return None
            case 1:
                return self._come_back(game, card, press, at)
            case _:
                return self._join(game, card, at)

    def _join(self, game: int, card: int, at: float) -> Transfer:
        start = self._game(game).start
        if self._left(game, card) is None:
            self.connection.execute("INSERT INTO account (game, card) VALUES (?, ?)", (game, card))
        row = self._row(
            """SELECT count(*) FROM transfer WHERE game = ? AND "to" = ? AND reason = 'start'""", game, card
        )
        again = f"-{row[0]}" if row and row[0] else ""
        return self._insert(game, BANK, card, start, Reason.START, at, None, f"start-{game}-{card}{again}")

    def _free(self, game: int, card: int, known: Sequence[str], press: str, at: float) -> Transfer | None:
        transfer = self._take_out(game, card, press, at) if self._left(game, card) == 0 else None
        self.connection.execute('UPDATE account SET "left" = 2 WHERE game = ? AND card = ?', (game, card))
        self._forget(card, known)
        return transfer

    def _take_out(self, game: int, card: int, press: str, at: float) -> Transfer | None:
        self._check_is_in(game, card)
        if transfer := self._move_all(game, card, BANK, Reason.LEFT, press, at):
            return transfer
        self.connection.execute('UPDATE account SET "left" = 1 WHERE game = ? AND card = ?', (game, card))
        return None

    def _come_back(self, game: int, card: int, press: str, at: float) -> Transfer | None:
        if self._left(game, card) == 2:
            raise Rejection(BankWhy.NOT_IN_THE_GAME)
        row = self._row("SELECT id FROM leaving WHERE game = ? AND card = ? AND until IS NULL", game, card)
        if row:
            return self._undo(self.transfer(row[0]), press, at)[0]
        self.connection.execute('UPDATE account SET "left" = 0 WHERE game = ? AND card = ?', (game, card))
        return None

    def _move_all(self, game: int, card: int, to: int, reason: str, press: str, at: float) -> Transfer | None:
        """Move the whole balance of *card* to account *to*, or let the bank pay what the card owes."""
        balance = self.balance(game, card)
        if not balance:
            return None
        from_, to = (card, to) if balance > 0 else (BANK, card)
        return self._insert(game, from_, to, abs(balance), reason, at, None, press)

    def _undo(self, wrong: Transfer, press: str, at: float) -> list[Transfer]:
        act = self.act_of(wrong)
        moves = [(each.to, each.from_, each.amount, Reason.UNDO, each.id) for each in act]
        return self._act(wrong.game, moves, press, at)

    def _act(
        self, game: int, moves: Sequence[tuple[int, int, int, str, int | None]], press: str, at: float
    ) -> list[Transfer]:
        """Insert a transfer for each of *moves*: from, to, amount, reason and the transfer that it undoes."""
        act = None
        if len(moves) > 1:
            act = 1 + self.last_transfer()
        presses = [press, *(f"{press}/{number}" for number in range(2, len(moves) + 1))]
        return [
            self._insert(game, from_, to, amount, reason, at, undoes, each, act)
            for (from_, to, amount, reason, undoes), each in zip(moves, presses, strict=True)
        ]

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
        act: int | None = None,
    ) -> Transfer:
        if not 0 < amount <= LARGEST:
            raise Rejection(BankWhy.TOO_MUCH if amount > 0 else AmountWhy.ZERO)
        try:
            ((number,),) = self.connection.execute(
                'INSERT INTO transfer (game, "from", "to", amount, reason, at, undoes, press, act) '
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
                (game, from_, to, amount, reason, at, undoes, press, act),
            ).fetchall()
        except sqlite3.IntegrityError:
            # a repeated press may break any rule, such as that of the balance, and counts as saved all the same
            if saved := self.saved(press):
                if (saved.game, saved.from_, saved.to, saved.amount, saved.reason) != (game, from_, to, amount, reason):
                    raise Rejection(BankWhy.ID_USED) from None
                return saved
            raise
        return Transfer(number, game, from_, to, amount, reason, at, undoes, act)

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
