"""The opening of the current game, and its record in memory, which changes only after the ledger has committed."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from operator import eq
from typing import TypeVar

from reboard.accessories.banker_unit.announcements import Announcer, Calendar
from reboard.accessories.banker_unit.game_record import GameRecord
from reboard.accessories.banker_unit.game_settings import forget_other_pay, saved_pay
from reboard.accessories.banker_unit.ledger import Ledger
from reboard.accessories.banker_unit.ledger_errors import Cause, Mended, NoLedgerError
from reboard.accessories.banker_unit.ledger_thread import LedgerThread
from reboard.accessories.banker_unit.player_names import Names
from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.accessories.banker_unit.schema import Game, Transfer
from reboard.accessories.table_vocabulary import PhonePay
from reboard.aiotools import Backoff
from reboard.editions.edition import Edition
from reboard.errors import ReboardError, Rejection
from reboard.events import Emit
from reboard.record import replace

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 30.0
"""The longest pause before the next try to open the ledger, in seconds. The pauses are 1, 2, 4, 8, 16, 30, 30 … s."""

CONFIGURED_EDITION = "configured_edition"
"""The name of the ledger's setting for the edition that the config named at the last start."""

log = logging.getLogger(__name__)

T = TypeVar("T")


class OpenedGame:
    """The current game, and the ledger thread that saves each change of it before `game` changes.

    *edition* is the edition in the config; the current game may be in another edition. *cards* are the configured tags
    of cards 1, 2, …, which *is_same_card* compares with a tag that was read. *names* are the configured names of their
    players. *announcer* sent the events of earlier sessions. *has_pot* is whether players can pay into a Free Parking
    pot. *pay* is how phones pay by the config. *ledger* is the random name of the open ledger, or ``None``. *mended* is
    the repair of a damaged file, or ``None``.
    """

    def __init__(
        self,
        ledger_thread: LedgerThread,
        edition: Edition,
        *,
        emit: Emit,
        wall_time: Callable[[], float],
        is_time_synced: Callable[[], bool] = lambda: False,
        cards: Sequence[str] = (),
        is_same_card: Callable[[str, str], bool] = eq,
        names: Sequence[str] = (),
        announcer: Announcer | None = None,
        has_pot: bool = False,
        pay: PhonePay = "off",
    ) -> None:
        self.ledger_thread = ledger_thread
        self._configured = edition
        self._announcer = announcer or Announcer(emit)
        self._emit = emit
        self._calendar = Calendar(wall_time, is_time_synced, emit)
        self._cards = tuple(cards)
        self._is_same_card = is_same_card
        self._pay = pay
        self._reading_history = asyncio.Lock()
        self._run = os.urandom(16).hex()
        self._numbers = count(1)
        self.game = GameRecord(edition, names=Names(names), has_pot=has_pot, pay=pay)
        self.ledger: str | None = None
        self.mended: Mended | None = None

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
                failed(error.cause if isinstance(error, NoLedgerError) else Cause.NO_LEDGER)
            await asyncio.sleep(backoff.next())
        # a repair stays on the table page until the next transfer, so that the players see it
        disk.set(self.mended.sentence if self.mended else None)
        if missed:
            gone, new = missed.edition, self.game.edition.name
            log.warning("game %d is kept: its edition %s is missing; a game was started in %s", missed.id, gone, new)
        return missed

    async def _open_once(self) -> Game | None:
        # read on the thread, because only the bank waits for it there
        choices = await self.ledger_thread.ask(lambda _: self._configured.choices())
        self.game = replace(self.game, editions=tuple(choices.values()))
        self.mended = await self.ledger_thread.ask(lambda ledger: ledger.mended) or self.mended
        try:
            await self._announcer.catch_up(self.ledger_thread)
            self.ledger = await self.ledger_thread.ask(lambda ledger: ledger.name())
            await self.ledger_thread.ask(lambda ledger: forget_other_pay(ledger, self._pay))
            return await self._continue_or_start()
        except Rejection as rejection:
            raise NoLedgerError(self.ledger_thread.fault or str(rejection), self.ledger_thread.cause) from rejection

    async def _continue_or_start(self) -> Game | None:
        """Continue the current game, or start a game in the configured edition.

        A game starts if there is none, or if the edition of the current game is missing. A game also starts if the
        config names a different edition than at the last start, unless the current game is in that edition.

        Return the current game if its edition is missing and the configured edition is the same as before.
        """
        own = self._configured
        game, record = await self.ledger_thread.ask(self._read)
        named_before = await self.ledger_thread.ask(lambda ledger: ledger.setting(CONFIGURED_EDITION))
        is_changed = named_before != own.name
        edition = game and self._edition(game)
        if edition and (edition is own or not is_changed):
            self._load(replace(record, edition=edition))
            if is_changed:
                await self.ledger_thread.ask(lambda ledger: ledger.set_setting(CONFIGURED_EDITION, own.name))
        else:
            self.game = replace(self.game, names=record.names, phones=record.phones, pay=record.pay, end=record.end)
            await self.start_game(own, settings=[(CONFIGURED_EDITION, own.name)])
            if game and is_changed:
                text = "the config names another edition, %s: a game was started, and game %d is in the menu"
                log.info(text, own.name, game.id)
        return None if edition or is_changed else game

    async def start_game(
        self, edition: Edition, cards: Iterable[int] = (), *, settings: Iterable[tuple[str, str]] = ()
    ) -> None:
        """Start a game. Each of *cards* that *edition* allows gets the starting balance. Other cards join later.

        The same transaction saves *settings*.
        """
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
        self.game = self.game.started(game.id, edition)
        self._announcer.started(game)
        for start in game.starts:
            self._moved(start)

    def close(self) -> None:
        """Clear the fault of the clock, if there is one."""
        self._calendar.close()

    async def _write(self, work: Callable[[Ledger], T]) -> T:
        disk = self._announcer.disk
        try:
            result = await self.ledger_thread.ask(work)
        except ReboardError as error:
            if isinstance(error, Rejection) and error.why == BankWhy.DISK:
                await self._check_disk()
            disk.set(self.ledger_thread.fault)
            raise
        disk.set(self.ledger_thread.fault)
        return result

    async def _check_disk(self) -> None:
        """Raise `ReboardError` if the disk has a change that it reported as failed."""
        if self.game.id is None:
            return  # no balance was shown, and the next opening reads all of it
        _, record = await self.ledger_thread.ask(self._read)
        if record != self.game:
            raise ReboardError("the disk has a change that it reported as failed: the banker unit restarts to load it")
        self.ledger_thread.nothing_was_saved()

    def _read(self, ledger: Ledger) -> tuple[Game | None, GameRecord]:
        game = ledger.game()
        return game, replace(self.game.read(ledger, game), pay=saved_pay(ledger, self._pay))

    def _load(self, record: GameRecord) -> None:
        self.game = record
        self._calendar.load(record.latest)

    def _edition(self, game: Game) -> Edition | None:
        return next((edition for edition in self.game.editions if edition.name == game.edition), None)

    @property
    def _id(self) -> int:
        if self.game.id is None:
            raise ReboardError("there is no current game")
        return self.game.id

    def _press(self) -> str:
        """Return a new identifier for a key press.

        It contains the number of the last transfer, because a restored virtual machine can draw the same random numbers
        again. Without it, the ledger would confuse a new press with a saved one.
        """
        return f"{self._run}-{self.game.id}-{self.game.last_transfer}-{next(self._numbers)}"

    def _moved(self, transfer: Transfer | None, undone: Transfer | None = None) -> None:
        """Add a new transfer, which undoes *undone*, and send its event."""
        if transfer and (game := self.game.moved(transfer, undone)) is not self.game:
            self.game = game
            self._calendar.add(transfer)
            self._announcer.moved(transfer)
