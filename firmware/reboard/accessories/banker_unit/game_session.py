"""The changes of the current game, and what the unit reads of it from the ledger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from reboard.accessories.banker_unit.game_history import (
    NO_HISTORY,
    history,
    kept_games,
    outgoing,
    resume,
    undo,
)
from reboard.accessories.banker_unit.game_settings import NOT_ENDED, EndedGame, save_clock, save_ended, save_name
from reboard.accessories.banker_unit.opened_game import OpenedGame
from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.accessories.banker_unit.schema import Game, Move, Transfer
from reboard.accessories.banker_unit.vocabulary import ClockSet, GameEnded
from reboard.accessories.table_vocabulary import TableWhy
from reboard.errors import Rejection
from reboard.record import replace

if TYPE_CHECKING:
    from reboard.accessories.banker_unit.ledger import Ledger


class GameSession(OpenedGame):
    """The current game, which the unit reads and changes.

    A method that writes waits until the disk has the change. Then it changes `game` and sends events. It
    raises `Rejection` if a rule forbids the change or the disk fails. In that case no money has moved. It raises
    `ReboardError` if the disk has a change that it reported as failed. In that case the session must be opened again.
    """

    async def resume(self, game: Game) -> None:
        """Continue a kept game. The current game ends and is kept.

        Raises ``BankWhy.NO_EDITION`` if the edition of the kept game is missing.
        """
        edition = self._edition(game)
        if edition is None:
            raise Rejection(BankWhy.NO_EDITION)
        at, before = self._calendar.now(), self.game
        game, record = await self._write(lambda ledger: resume(ledger, before, game, at))
        self._load(replace(record, edition=edition))
        self._announcer.resumed(game)

    async def kept_games(self) -> list[Game]:
        """Return the games that can be continued, newest first."""
        return await self._ledger_thread.ask(kept_games)

    def _name_of(self, tag: str) -> str:
        """Return the entry of `bank.cards` that means the card *tag*, such as its printed number, or else *tag*.

        The ledger keeps that name, so that a replaced card is the same one after the next start.
        """
        if tag in self._cards:
            return tag
        return next((written for written in self._cards if self._is_same_card(written, tag)), tag)

    async def admit(self, tag: str) -> int:
        """Return the number of the card *tag*. A card that is new to the game gets the starting balance.

        A card that left the game returns with the balance that it had.
        """
        game, name, most = self._id, self._name_of(tag), self.game.edition.players.most
        press, at = self._press(), self._calendar.now()
        admitted = await self._write(
            lambda ledger: ledger.admit(game, name, known=self._cards, most=most, press=press, at=at)
        )
        self._let_in(admitted.number, admitted.transfer)
        return admitted.number

    async def join(self, card: int) -> None:
        """Add *card* to the game with the starting balance, although no slot has read the card's tag.

        A card that left the game returns with the balance that it had.
        """
        game, press, at = self._id, self._press(), self._calendar.now()
        self._let_in(card, await self._write(lambda ledger: ledger.join(game, card, press=press, at=at)))

    async def leave(self, card: int) -> Transfer | None:
        """Take *card* out of the game. Its balance goes to the bank, or the bank pays a negative balance.

        Return the transfer, or ``None`` if the balance was 0. This is no bankruptcy.
        """
        game, press, at = self._id, self._press(), self._calendar.now()
        transfer = await self._write(lambda ledger: ledger.leave(game, card, press=press, at=at))
        self.game = replace(self.game, left=self.game.left | {card})
        self._moved(transfer)
        return transfer

    async def come_back(self, card: int) -> None:
        """Return a card that left to the game, with the balance that it had."""
        game, press, at = self._id, self._press(), self._calendar.now()
        self._let_in(card, await self._write(lambda ledger: ledger.come_back(game, card, press=press, at=at)))

    async def number_of(self, tag: str) -> int | None:
        """Return the number of the card *tag* in the current game, or ``None`` if the card is not in it."""
        game, name = self._id, self._name_of(tag)
        return await self._ledger_thread.ask(lambda ledger: ledger.number_of(game, name, known=self._cards))

    async def replace(self, card: int, tag: str, gives_up: int | None) -> None:
        """Give the number *card*, with its balance, to the card *tag*, because the old card is lost.

        The old card is a stranger from now on. The card *tag* can have the number *gives_up*, which is free then.
        Raises ``BankWhy.SAME_CARD_TWICE`` if it has any other number in the game.
        """
        game, name, press, at = self._id, self._name_of(tag), self._press(), self._calendar.now()
        self._freed(
            gives_up,
            await self._write(
                lambda ledger: ledger.replace(
                    game, card, name, known=self._cards, gives_up=gives_up, press=press, at=at
                )
            ),
        )

    async def free(self, card: int) -> None:
        """Take *card* out of the game if it is in it, and free its number for a new card.

        The new card joins with the starting balance.
        """
        game, known, press, at = self._id, self._cards, self._press(), self._calendar.now()
        self._freed(card, await self._write(lambda ledger: ledger.free(game, card, known=known, press=press, at=at)))

    async def booked(self, press: str) -> Transfer | None:
        """Return the transfer with the identifier *press*, in any game, or ``None``."""
        return await self._ledger_thread.ask(lambda ledger: ledger.saved(press))

    async def pay(self, from_: int, to: int, amount: int, reason: str, *, press: str | None = None) -> Transfer:
        """Move *amount* from account *from_* to account *to*. Return the transfer.

        *press* identifies a payment that a player asked for. By default, it identifies a new key press.
        """
        (transfer,) = await self.pay_all([Move(from_, to, amount, reason)], press=press)
        return transfer

    async def pay_all(self, moves: Sequence[Move], *, press: str | None = None) -> list[Transfer]:
        """Make all of *moves*, as one act, or none. Return the transfers. For *press*, see `pay`."""
        game, press, at = self._id, press or self._press(), self._calendar.now()
        transfers = await self._write(lambda ledger: ledger.pay_all(game, moves, press=press, at=at))
        for transfer in transfers:
            self._moved(transfer)
        return transfers

    async def bankrupt(self, card: int, creditor: int) -> Transfer | None:
        """Move the whole balance of *card* to *creditor*, and retire *card*. Return the transfer.

        The bank pays a negative balance. Return ``None`` if the balance was 0.
        """
        game, press, at = self._id, self._press(), self._calendar.now()
        transfer = await self._write(lambda ledger: ledger.bankrupt(game, card, creditor, press=press, at=at))
        self.game = replace(self.game, retired=self.game.retired | {card})
        self._moved(transfer)
        return transfer

    async def readmit(self, card: int) -> None:
        """Return a bankrupt card to the game, with the money that it had."""
        game, press, at = self._id, self._press(), self._calendar.now()

        def readmit(ledger: Ledger) -> tuple[Transfer, Transfer] | None:
            back = ledger.readmit(game, card, press=press, at=at)
            return (ledger.transfer(back.undoes), back) if back and back.undoes else None

        undone = await self._write(readmit)
        self.game = replace(self.game, retired=self.game.retired - {card})
        if self.game.end:
            await self._write(lambda ledger: ledger.set_setting(*NOT_ENDED[0]))
            self.game = replace(self.game, end=None)
        if undone:
            wrong, opposite = undone
            self._moved(opposite, wrong)

    async def undo(self, number: int | None = None) -> list[Transfer]:
        """Undo transfer *number* of this game with its whole act. By default, undo the last one that can be undone.

        Return the opposite transfers: one, or one for each transfer of the act. Bankrupt cards and cards that left with
        these transfers return to the game.
        """
        game, press, at = self._id, self._press(), self._calendar.now()
        undone = await self._write(lambda ledger: undo(ledger, game, number, press=press, at=at))
        for wrong, opposite in undone:
            self._moved(opposite, wrong)
        return [opposite for _, opposite in undone]

    async def name(self, card: int, name: str) -> None:
        """Set the name of the player with *card* in every game. ``""`` selects the name in the config."""
        await self._write(lambda ledger: save_name(ledger, card, name))
        self.game = replace(self.game, names=self.game.names.with_given(card, name))

    async def end(self, worths: Mapping[int, int]) -> EndedGame:
        """End the current game, with the worth of each player in it. No money moves.

        It is the game's `ended` until a transfer or a bankruptcy changes the game.
        """
        ended = EndedGame(self._id, self.game.players.last, worths)
        await self._write(lambda ledger: save_ended(ledger, ended))
        self.game = replace(self.game, end=ended)
        self._emit(GameEnded(ended.game, ended.with_ranking(self.game.names.of, self.game.edition.money)["ranking"]))
        return ended

    async def set_clock(self, minutes: int | None) -> None:
        """Set the minutes that the game has left. ``None`` removes the clock."""
        game = self._id
        await self._write(lambda ledger: save_clock(ledger, game, minutes))
        self.game = replace(self.game, clock=minutes)
        self._emit(ClockSet(minutes))

    async def count_down(self, *, save: bool = True) -> None:
        """Subtract a minute from the clock, or remove a clock with 0 minutes left. A rejection does not stop the clock.

        Without *save*, the ledger is not written, because a disk error could restart the unit and stop a deal.
        """
        game, left = self._id, self.game.clock - 1 if self.game.clock else None
        self.game = replace(self.game, clock=left)
        if save:
            with suppress(Rejection):
                await self._write(lambda ledger: save_clock(ledger, game, left))

    async def history(self) -> str:
        """Return the history of the current game as JSON."""
        game = self.game.id
        if game is None:
            return NO_HISTORY
        # one at a time: requests for the history must not fill the queue of payments
        async with self._reading_history:
            return await self._ledger_thread.ask(lambda ledger: history(ledger, game))

    async def outgoing(self, after: int, most: int) -> str:
        """Return up to *most* transfers after number *after*, of any game, as JSON. See `outgoing`.

        Raises `Rejection` if the ledger is not open.
        """
        if self.game.id is None:
            raise Rejection(TableWhy.NOT_RUNNING)
        async with self._reading_history:
            return await self._ledger_thread.ask(lambda ledger: outgoing(ledger, after, most))

    async def latest_of(self, card: int, limit: int) -> list[Transfer]:
        """Return the latest *limit* transfers to or from *card* in the current game, newest first."""
        game = self._id
        return await self._ledger_thread.ask(lambda ledger: ledger.transfers_of(game, card, limit))

    def _freed(self, card: int | None, transfer: Transfer | None) -> None:
        self._moved(transfer)
        if card is not None and card not in self.game.retired:
            self.game = self.game.without(card)

    def _let_in(self, card: int, transfer: Transfer | None) -> None:
        self.game = replace(self.game, left=self.game.left - {card})
        self._moved(transfer)
