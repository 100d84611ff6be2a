"""The current game, which changes in memory only after the ledger has committed the change."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from reboard.accessories.banker_unit.game_memory import GameMemory
from reboard.accessories.banker_unit.game_records import (
    NO_HISTORY,
    NOT_ENDED,
    EndedGame,
    GameRecord,
    HostSettings,
    Players,
    history,
    kept_games,
    outgoing,
    resume,
    save_clock,
    save_ended,
    save_name,
    undo,
)
from reboard.accessories.banker_unit.ledger_errors import Cause, NoLedgerError
from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.accessories.banker_unit.schema import Game, Transfer
from reboard.accessories.banker_unit.vocabulary import ClockSet, GameEnded
from reboard.accessories.table_vocabulary import TableWhy
from reboard.aiotools import Backoff
from reboard.errors import ReboardError, Rejection

if TYPE_CHECKING:
    from reboard.accessories.banker_unit.ledger import Ledger
    from reboard.editions.edition import Edition

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 30.0
"""The longest pause before the next try to open the ledger, in seconds. The pauses are 1, 2, 4, 8, 16, 30, 30 … s."""

CONFIGURED_EDITION = "configured_edition"
"""The name of the ledger's setting for the edition that the config named at the last start."""

log = logging.getLogger(__name__)

T = TypeVar("T")


class GameSession(GameMemory):
    """The current game, which the unit reads and changes.

    A method that writes waits until the disk has the change. Then it changes the balances and sends events. It
    raises `Rejection` if a rule forbids the change or the disk fails. In that case no money has moved. It raises
    `ReboardError` if the disk has a change that it reported as failed. In that case the session must be opened again.
    """

    async def open(self, *, failed: Callable[[Cause], None]) -> Game | None:
        """Load the current game, or start a game. If that fails, try again with backoff.

        *failed* is called with the cause of each failure. Return the game that could not continue because its edition
        is missing, or ``None``.
        """
        disk = self._announcer.disk
        backoff = Backoff(FIRST_PAUSE_S, LONGEST_PAUSE_S)
        while True:
            try:
                missed = await self._open_once()
                break
            except ReboardError as error:
                disk.set(str(error))
                failed(error.cause if isinstance(error, NoLedgerError) else Cause.OTHER)
            await asyncio.sleep(backoff.next())
        # a repair stays on the table page until the next transfer, so that the players see it
        disk.set(self.mended.sentence if self.mended else None)
        if missed:
            gone, new = missed.edition, self.edition.name
            log.warning("game %d is kept: its edition %s is missing; a game was started in %s", missed.id, gone, new)
        return missed

    async def _open_once(self) -> Game | None:
        # read on the thread, because only the bank waits for it there
        self._editions = await self._ledger_thread.ask(lambda _: self._configured.choices())
        self.mended = await self._ledger_thread.ask(lambda ledger: ledger.mended) or self.mended
        try:
            await self._announcer.catch_up(self._ledger_thread)
            settings = await self._ledger_thread.ask(HostSettings.of)
            self.names.given, self._ended = settings.names, settings.ended
            self.ledger = await self._ledger_thread.ask(lambda ledger: ledger.name())
            return await self._continue_or_start()
        except Rejection as rejection:
            raise NoLedgerError(self._ledger_thread.fault or str(rejection), self._ledger_thread.cause) from rejection

    async def _continue_or_start(self) -> Game | None:
        """Continue the current game, or start a game in the configured edition.

        A game starts if there is none, or if the edition of the current game is missing. A game also starts if the
        config names a different edition than at the last start, unless the current game is in that edition.

        Return the current game if its edition is missing and the configured edition is the same as before.
        """
        own = self._configured
        game = await self._ledger_thread.ask(lambda ledger: ledger.game())
        named_before = await self._ledger_thread.ask(lambda ledger: ledger.setting(CONFIGURED_EDITION))
        is_changed = named_before != own.name
        edition = game and self._editions.get(game.edition)
        if game and edition and (edition is own or not is_changed):
            self._load(game, edition, await self._ledger_thread.ask(lambda ledger: GameRecord.of(ledger, game)))
            if is_changed:
                await self._ledger_thread.ask(lambda ledger: ledger.set_setting(CONFIGURED_EDITION, own.name))
        else:
            await self._start_game(own, settings=[(CONFIGURED_EDITION, own.name)])
            if game and is_changed:
                text = "the config names another edition, %s: a game was started, and game %d is in the menu"
                log.info(text, own.name, game.id)
        return None if edition or is_changed else game

    async def start_game(self, edition: Edition, cards: Iterable[int] = ()) -> None:
        """Start a game. Each of *cards* that *edition* allows gets the starting balance. Other cards join later."""
        await self._start_game(edition, cards)

    async def _start_game(
        self, edition: Edition, cards: Iterable[int] = (), *, settings: Iterable[tuple[str, str]] = ()
    ) -> None:
        cards = tuple(card for card in cards if card <= edition.players.most)
        at = self._calendar.now()
        game = await self._write(
            lambda ledger: ledger.new_game(
                edition.name,
                edition.start,
                at=at,
                cards=cards,
                largest=edition.money.largest,
                may_owe=edition.may_owe,
                settings=settings,
            )
        )
        self._game = game
        self.clock = None
        self.edition = edition
        self.balances.clear()
        self.retired.clear()
        self.left.clear()
        self._players = Players()
        self.pot = 0
        self.latest.clear()
        self._announcer.started(game)
        for start in game.starts:
            self._add(start)

    async def resume(self, game: Game) -> None:
        """Continue a kept game. The current game ends and is kept.

        Raises ``BankWhy.NO_EDITION`` if the edition of the kept game is missing.
        """
        edition = self._editions.get(game.edition)
        if edition is None:
            raise Rejection(BankWhy.NO_EDITION)
        at = self._calendar.now()
        game, record = await self._write(lambda ledger: resume(ledger, game, at))
        self._ended = None
        self._load(game, edition, record)
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
        game, name, most = self._current.id, self._name_of(tag), self.edition.players.most
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
        game, press, at = self._current.id, self._press(), self._calendar.now()
        self._let_in(card, await self._write(lambda ledger: ledger.join(game, card, press=press, at=at)))

    async def leave(self, card: int) -> Transfer | None:
        """Take *card* out of the game. Its balance goes to the bank, or the bank pays a negative balance.

        Return the transfer, or ``None`` if the balance was 0. This is no bankruptcy.
        """
        game, press, at = self._current.id, self._press(), self._calendar.now()
        transfer = await self._write(lambda ledger: ledger.leave(game, card, press=press, at=at))
        self.left.add(card)
        if transfer:
            self._add(transfer)
        return transfer

    async def come_back(self, card: int) -> None:
        """Return a card that left to the game, with the balance that it had."""
        game, press, at = self._current.id, self._press(), self._calendar.now()
        self._let_in(card, await self._write(lambda ledger: ledger.come_back(game, card, press=press, at=at)))

    async def number_of(self, tag: str) -> int | None:
        """Return the number of the card *tag* in the current game, or ``None`` if the card is not in it."""
        game, name = self._current.id, self._name_of(tag)
        return await self._ledger_thread.ask(lambda ledger: ledger.number_of(game, name, known=self._cards))

    async def replace(self, card: int, tag: str, gives_up: int | None) -> None:
        """Give the number *card*, with its balance, to the card *tag*, because the old card is lost.

        The old card is a stranger from now on. The card *tag* can have the number *gives_up*, which is free then.
        Raises ``BankWhy.SAME_CARD_TWICE`` if it has any other number in the game.
        """
        game, name, press, at = self._current.id, self._name_of(tag), self._press(), self._calendar.now()
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
        game, known, press, at = self._current.id, self._cards, self._press(), self._calendar.now()
        self._freed(card, await self._write(lambda ledger: ledger.free(game, card, known=known, press=press, at=at)))

    async def booked(self, press: str) -> Transfer | None:
        """Return the transfer with the identifier *press*, in any game, or ``None``."""
        return await self._ledger_thread.ask(lambda ledger: ledger.saved(press))

    async def pay(self, from_: int, to: int, amount: int, reason: str, *, press: str | None = None) -> Transfer:
        """Move *amount* from account *from_* to account *to*. Return the transfer.

        *press* identifies a payment that a player asked for. By default, it identifies a new key press.
        """
        game, press, at = self._current.id, press or self._press(), self._calendar.now()
        transfer = await self._write(
            lambda ledger: ledger.pay(game, from_, to, amount, reason=reason, press=press, at=at)
        )
        self._add(transfer)
        return transfer

    async def pay_each(self, card: int, amount: int, *, receives: bool, press: str | None = None) -> list[Transfer]:
        """Move *amount* from *card* to each other card in the game, or, if *card* *receives*, from each to *card*.

        Cards that only joined take part, too. It is one act: all of the transfers, or none. Return them. For *press*,
        see `pay`. Raises ``BankWhy.NO_FUNDS``, whose text names the cards that cannot pay, and
        ``BankWhy.NO_PLAYERS`` if no other card is in the game.
        """
        game, press, at = self._current.id, press or self._press(), self._calendar.now()
        transfers = await self._write(
            lambda ledger: ledger.pay_each(game, card, amount, receives=receives, press=press, at=at)
        )
        for transfer in transfers:
            self._add(transfer)
        return transfers

    async def bankrupt(self, card: int, creditor: int) -> Transfer | None:
        """Move the whole balance of *card* to *creditor*, and retire *card*. Return the transfer.

        The bank pays a negative balance. Return ``None`` if the balance was 0.
        """
        game, press, at = self._current.id, self._press(), self._calendar.now()
        transfer = await self._write(lambda ledger: ledger.bankrupt(game, card, creditor, press=press, at=at))
        if transfer:
            self._add(transfer)
        self.retired.add(card)
        return transfer

    async def readmit(self, card: int) -> None:
        """Return a bankrupt card to the game, with the money that it had."""
        game, press, at = self._current.id, self._press(), self._calendar.now()

        def readmit(ledger: Ledger) -> tuple[Transfer, Transfer] | None:
            back = ledger.readmit(game, card, press=press, at=at)
            return (ledger.transfer(back.undoes), back) if back and back.undoes else None

        undone = await self._write(readmit)
        self.retired.discard(card)
        if self._ended:
            await self._write(lambda ledger: ledger.set_setting(*NOT_ENDED[0]))
            self._ended = None
        if undone:
            self._add_undone(*undone)

    async def undo(self, number: int | None = None) -> list[Transfer]:
        """Undo transfer *number* of this game with its whole act. By default, undo the last one that can be undone.

        Return the opposite transfers: one, or one for each transfer of the act. Bankrupt cards and cards that left with
        these transfers return to the game.
        """
        game, press, at = self._current.id, self._press(), self._calendar.now()
        undone = await self._write(lambda ledger: undo(ledger, game, number, press=press, at=at))
        for wrong, opposite in undone:
            self._add_undone(wrong, opposite)
        return [opposite for _, opposite in undone]

    async def name(self, card: int, name: str) -> None:
        """Set the name of the player with *card* in every game. ``""`` selects the name in the config."""
        await self._write(lambda ledger: save_name(ledger, card, name))
        self.names.give(card, name)

    async def end(self, worths: Mapping[int, int]) -> EndedGame:
        """End the current game, with the worth of each player in `playing`. No money moves.

        `ended` returns the result until a transfer or a bankruptcy changes the game, or another game becomes current.
        """
        ended = EndedGame(self._current.id, self._players.last, worths)
        await self._write(lambda ledger: save_ended(ledger, ended))
        self._ended = ended
        self._emit(GameEnded(ended.game, ended.as_json(self.names.of, self.edition.money)["ranking"]))
        return ended

    async def set_clock(self, minutes: int | None) -> None:
        """Set the minutes that the game has left. ``None`` removes the clock."""
        game = self._current.id
        await self._write(lambda ledger: save_clock(ledger, game, minutes))
        self.clock = minutes
        self._emit(ClockSet(minutes))

    async def count_down(self, *, save: bool = True) -> None:
        """Subtract a minute from the clock, or remove a clock with 0 minutes left. A rejection does not stop the clock.

        Without *save*, the ledger is not written, because a disk error could restart the unit and stop a deal.
        """
        game, left = self._current.id, self.clock - 1 if self.clock else None
        self.clock = left
        if save:
            with suppress(Rejection):
                await self._write(lambda ledger: save_clock(ledger, game, left))

    async def history(self) -> str:
        """Return the history of the current game as JSON."""
        game = self.game
        if game is None:
            return NO_HISTORY
        # one at a time: requests for the history must not fill the queue of payments
        async with self._reading_history:
            return await self._ledger_thread.ask(lambda ledger: history(ledger, game))

    async def outgoing(self, after: int, most: int) -> str:
        """Return up to *most* transfers after number *after*, of any game, as JSON. See `outgoing`.

        Raises `Rejection` if the ledger is not open.
        """
        if self.game is None:
            raise Rejection(TableWhy.NOT_RUNNING)
        async with self._reading_history:
            return await self._ledger_thread.ask(lambda ledger: outgoing(ledger, after, most))

    async def latest_of(self, card: int, limit: int) -> list[Transfer]:
        """Return the latest *limit* transfers to or from *card* in the current game, newest first."""
        game = self._current.id
        return await self._ledger_thread.ask(lambda ledger: ledger.transfers_of(game, card, limit))

    def back_up(self) -> None:
        """Start a backup on the ledger thread, if anything has changed since the last one."""
        self._ledger_thread.back_up()

    def close(self) -> None:
        """Clear the fault of the clock, if there is one."""
        self._calendar.close()
