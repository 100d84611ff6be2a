"""The changes of the ledger inside a transaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from reboard.accessories.banker_unit.accounts import BANK, LARGEST_BALANCE, Reason
from reboard.accessories.banker_unit.ledger_reading import LedgerReading
from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.accessories.banker_unit.schema import Move, Transfer
from reboard.editions.money import AmountWhy
from reboard.errors import Rejection


class LedgerWriting(LedgerReading):
    """The changes that the transactions of a ledger consist of."""

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
        return self._insert(game, Move(BANK, card, start, Reason.START), at, f"start-{game}-{card}{again}")

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
        return self._insert(game, Move(from_, to, abs(balance), reason), at, press)

    def _undo(self, wrong: Transfer, press: str, at: float) -> list[Transfer]:
        act = self.act_of(wrong)
        moves = [(Move(each.to, each.from_, each.amount, Reason.UNDO), each.id) for each in act]
        return self._act(wrong.game, moves, press, at)

    def _act(self, game: int, moves: Sequence[tuple[Move, int | None]], press: str, at: float) -> list[Transfer]:
        """Insert a transfer for each of *moves*, which have the number of the transfer to undo, or ``None``."""
        act = None
        if len(moves) > 1:
            act = 1 + self.last_transfer()
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

    def _save_settings(self, settings: Iterable[tuple[str, str]]) -> None:
        for setting in settings:
            self.connection.execute(
                "INSERT INTO setting VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", setting
            )
