"""The changes of the current game, and what the unit reads of it from the ledger."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from reboard.accessories.banker_unit.game_history import NO_HISTORY, history, kept_games, outgoing, resume, undo
from reboard.accessories.banker_unit.game_settings import (
    NOT_ENDED,
    EndedGame,
    forget_names,
    phones_setting,
    save_clock,
    save_ended,
    save_name,
    save_pay,
)
from reboard.accessories.banker_unit.ledger import Ledger
from reboard.accessories.banker_unit.opened_game import OpenedGame
from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.accessories.banker_unit.schema import Booked, Game, Move, Transfer
from reboard.accessories.banker_unit.vocabulary import ClockSet, GameEnded
from reboard.accessories.table_vocabulary import PhonePay, TableWhy
from reboard.errors import Rejection
from reboard.record import replace

T = TypeVar("T")


class GameSession(OpenedGame):
    """The current game, which the unit reads and changes.

    A method that writes waits until the disk has the change. Then it changes `game` and sends events. It
    raises `Rejection` if a rule forbids the change or the disk fails. In that case no money has moved. It raises
    `ReboardError` if the disk has a change that it reported as failed. In that case the session must be opened again.
    For a method with the same name as one of the `Ledger`, see there.
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

    async def admit(self, tag: str) -> int:
        most = self.game.edition.players.most
        held = {card: phones_setting(self._paired(card, "")) for card in self.game.phones}
        admitted = await self._change(Ledger.admit, self._name_of(tag), known=self._cards, most=most, held=held)
        if admitted.is_new:  # a phone is that of the player who had this number before
            self.game = replace(self.game, phones=self._paired(admitted.number, ""))
        self._let_in(admitted.number, admitted.transfer)
        return admitted.number

    async def join(self, card: int, phone: str = "") -> None:
        """Add *card* to the game, and give it to *phone* if there is one. The phone gives its earlier card back."""
        phones = self._paired(card, phone) if phone else self.game.phones
        transfer = await self._change(Ledger.join, card, settings=[phones_setting(phones)] if phone else [])
        self.game = replace(self.game, phones=phones)
        self._let_in(card, transfer)

    async def come_back(self, card: int) -> None:
        self._let_in(card, await self._change(Ledger.come_back, card))

    async def leave(self, card: int) -> Transfer | None:
        transfer = await self._change(Ledger.leave, card)
        self.game = replace(self.game, left=self.game.left | {card})
        self._moved(transfer)
        return transfer

    async def replace(self, card: int, tag: str, gives_up: int | None) -> None:
        await self._free(gives_up, Ledger.replace, card, self._name_of(tag), gives_up=gives_up)

    async def free(self, card: int) -> None:
        await self._free(card, Ledger.free, card)

    async def pay(self, from_: int, to: int, amount: int, reason: str, *, press: str | None = None) -> Transfer:
        (transfer,) = await self.pay_all([Move(from_, to, amount, reason)], press=press)
        return transfer

    async def pay_all(self, moves: Sequence[Move], *, press: str | None = None) -> list[Transfer]:
        transfers = await self._change(Ledger.pay_all, moves, press=press)
        for transfer in transfers:
            self._moved(transfer)
        return transfers

    async def bankrupt(self, card: int, creditor: int, *, press: str | None = None) -> Transfer | None:
        transfer = await self._change(Ledger.bankrupt, card, creditor, press=press)
        self.game = replace(self.game, retired=self.game.retired | {card})
        self._moved(transfer)
        return transfer

    async def readmit(self, card: int) -> None:
        def readmit(ledger: Ledger, game: int, *, press: str, at: float) -> tuple[Transfer, Transfer] | None:
            back = ledger.readmit(game, card, press=press, at=at)
            return (ledger.transfer(back.undoes), back) if back and back.undoes else None

        undone = await self._change(readmit)
        self.game = replace(self.game, retired=self.game.retired - {card})
        if self.game.end:
            await self._write(lambda ledger: ledger.set_setting(*NOT_ENDED[0]))
            self.game = replace(self.game, end=None)
        if undone:
            wrong, opposite = undone
            self._moved(opposite, wrong)

    async def undo(self, number: int | None = None) -> list[Transfer]:
        """Undo transfer *number* of this game with its whole act. By default, undo the last one that can be undone.

        Return the opposite transfers.
        """
        undone = await self._change(undo, number)
        for wrong, opposite in undone:
            self._moved(opposite, wrong)
        return [opposite for _, opposite in undone]

    async def name(self, card: int, name: str) -> None:
        """Set the name of the player with *card* in every game. ``""`` selects the name in the config."""
        await self._write(lambda ledger: save_name(ledger, card, name))
        self.game = replace(self.game, names=self.game.names.with_given(card, name))

    async def forget(self, name: str) -> list[int]:
        """Delete *name* from the ledger, and return the cards to which the host had given it. Backups still have it."""
        cards = self.game.names.given_to(name)
        if cards:
            await self._write(lambda ledger: forget_names(ledger, cards))
        for card in cards:
            self.game = replace(self.game, names=self.game.names.with_given(card, ""))
        return cards

    async def unpair(self, card: int) -> None:
        """Take the phone from *card*."""
        phones = self._paired(card, "")
        await self._write(lambda ledger: ledger.save([phones_setting(phones)]))
        self.game = replace(self.game, phones=phones)

    async def set_pay(self, pay: PhonePay) -> None:
        """Set how phones pay, in every game, until the config says something else than now."""
        await self._write(lambda ledger: save_pay(ledger, self._pay, pay))
        self.game = replace(self.game, pay=pay)

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

    # What is only read.

    async def kept_games(self) -> list[Game]:
        return await self.ledger_thread.ask(kept_games)

    async def number_of(self, tag: str) -> int | None:
        game, name = self._id, self._name_of(tag)
        return await self.ledger_thread.ask(lambda ledger: ledger.number_of(game, name, known=self._cards))

    async def booked(self, press: str) -> Booked | None:
        """Return the transfer with the identifier *press*, in any game, or ``None``."""

        def read(ledger: Ledger) -> Booked | None:
            saved = ledger.saved(press)
            return Booked(saved, ledger.opposite_of(saved.id) is not None) if saved else None

        return await self.ledger_thread.ask(read)

    async def history(self) -> str:
        game = self.game.id
        if game is None:
            return NO_HISTORY
        # one at a time: requests for the history must not fill the queue of payments
        async with self._reading_history:
            return await self.ledger_thread.ask(lambda ledger: history(ledger, game))

    async def outgoing(self, after: int, most: int) -> str:
        if self.game.id is None:
            raise Rejection(TableWhy.NOT_RUNNING)
        async with self._reading_history:
            return await self.ledger_thread.ask(lambda ledger: outgoing(ledger, after, most))

    async def latest_of(self, card: int, limit: int) -> list[Transfer]:
        game = self._id
        return await self.ledger_thread.ask(lambda ledger: ledger.transfers_of(game, card, limit))

    async def _change(self, change: Callable[..., T], *args: object, press: str | None = None, **options: object) -> T:
        """Let the ledger *change* the current game. By default, *press* identifies a new key press."""
        game, press, at = self._id, press or self._press(), self._calendar.now()
        return await self._write(lambda ledger: change(ledger, game, *args, press=press, at=at, **options))

    def _name_of(self, tag: str) -> str:
        """Return the entry of `bank.cards` that means the card *tag*, such as its printed number, or else *tag*.

        The ledger keeps that name, so that a replaced card is the same one after the next start.
        """
        if tag in self._cards:
            return tag
        return next((written for written in self._cards if self._is_same_card(written, tag)), tag)

    def _paired(self, card: int, phone: str) -> dict[int, str]:
        """Return the phones after *card* was given to *phone*. ``""`` is no phone."""
        others = {other: its for other, its in self.game.phones.items() if other != card and its != phone}
        return {**others, card: phone} if phone else others

    async def _free(self, card: int | None, change: Callable[..., Transfer | None], *args: object, **more: Any) -> None:
        """Let the ledger free the number of *card*, if there is one, and take its phone from it."""
        is_freed = card is not None and card not in self.game.retired
        phones = self._paired(card, "") if card and is_freed else self.game.phones
        settings = [phones_setting(phones)] if phones != self.game.phones else []
        self._moved(await self._change(change, *args, known=self._cards, settings=settings, **more))
        if card and is_freed:
            self.game = replace(self.game.without(card), phones=phones)

    def _let_in(self, card: int, transfer: Transfer | None) -> None:
        self.game = replace(self.game, left=self.game.left - {card})
        self._moved(transfer)
