"""The balances and latest transfers of the current game, which change only after the ledger has committed them."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Callable, Sequence
from itertools import count
from math import inf
from operator import eq
from typing import TYPE_CHECKING, TypeVar

from reboard.accessories.banker_unit.accounts import CARDS, POT, Reason
from reboard.accessories.banker_unit.announcements import Announcer, Calendar
from reboard.accessories.banker_unit.game_record import (
    REMEMBERED,
    EndedGame,
    GameRecord,
    GameView,
    HostSettings,
    Names,
    Players,
)
from reboard.accessories.banker_unit.ledger_errors import Mended
from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.accessories.banker_unit.schema import Game, Transfer
from reboard.errors import ReboardError, Rejection
from reboard.events import Emit

if TYPE_CHECKING:
    from reboard.accessories.banker_unit.ledger import Ledger
    from reboard.accessories.banker_unit.ledger_thread import LedgerThread
    from reboard.editions.edition import Edition

T = TypeVar("T")


class GameMemory:
    """The balances and latest transfers of the current game, in memory, so that reading them never waits for the disk.

    *edition* is the edition in the config; the current game may be in another edition. *cards* are the configured tags
    of cards 1, 2, …, which *is_same_card* compares with a tag that was read. *names* are the configured names of their
    players. *announcer* sent the events of earlier sessions. *has_pot* is whether players can pay into a Free Parking
    pot. If it is false, they can still take money that was paid in earlier. *clock* is the number of minutes that the
    game has left, or ``None``. *ledger* is the random name of the open ledger, or ``None``. *mended* is the repair of a
    damaged file, or ``None``.
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
    ) -> None:
        self._ledger_thread = ledger_thread
        self._configured = edition
        self._announcer = announcer or Announcer(emit)
        self._emit = emit
        self._calendar = Calendar(wall_time, is_time_synced, emit)
        self._cards = tuple(cards)
        self._is_same_card = is_same_card
        self._game: Game | None = None
        self._ended: EndedGame | None = None
        self._reading_history = asyncio.Lock()
        self._editions: dict[str, Edition] = {}
        self._run = os.urandom(16).hex()
        self._numbers = count(1)
        self.edition = edition
        self.names = Names(names)
        self.balances: dict[int, int] = {}
        self.retired: set[int] = set()
        self.left: set[int] = set()
        self._players = Players()
        self.has_pot = has_pot
        self.pot = 0
        self.latest: deque[Transfer] = deque(maxlen=REMEMBERED)
        self.clock: int | None = None
        self.ledger: str | None = None
        self.mended: Mended | None = None

    @property
    def game(self) -> int | None:
        """The number of the current game, or ``None``."""
        return self._game.id if self._game else None

    @property
    def in_game(self) -> list[int]:
        """The cards in the game that have neither gone bankrupt nor left."""
        return [card for card in sorted(self.balances) if card not in self.retired and card not in self.left]

    @property
    def playing(self) -> list[int]:
        """The cards of `in_game` that count as players. A card that only joined is no player yet."""
        return [card for card in self.in_game if self._players.acts[card]]

    @property
    def counted_bankruptcies(self) -> list[int]:
        """The bankrupt cards that counted as players before."""
        return [card for card in sorted(self.retired) if self._players.acts[card]]

    @property
    def ended(self) -> EndedGame | None:
        """The end of the current game. ``None`` if the game was not ended, or has changed since.

        Cards that only join or leave do not change it.
        """
        is_still = self._ended and self._ended.is_still_ended(self.game, self._players.last, self.retired)
        return self._ended if is_still else None

    @property
    def is_over(self) -> bool:
        """Whether bankruptcies left one player, or there are as many as end a game of this edition."""
        bankrupt, most = len(self.counted_bankruptcies), self.edition.ends_at_bankruptcy
        return bankrupt > 0 and (len(self.playing) == 1 or (most is not None and bankrupt >= most))

    def view(self) -> GameView:
        """Return a copy of the data of the current game."""
        return GameView(
            self.edition,
            dict(self.balances),
            frozenset(self.retired),
            {card: self.names.of(card) for card in CARDS},
            self.pot,
            self.ended,
            self.game,
            frozenset(self.left),
            tuple(self.playing),
            tuple(self.in_game),
            self.is_over,
            len(self.counted_bankruptcies) >= (self.edition.ends_at_bankruptcy or inf),
            self.has_pot,
            self.clock,
            tuple(self.editions()),
        )

    def editions(self) -> list[Edition]:
        """Return the editions to choose from, each followed by its variants. The configured edition comes first."""
        return list(self._editions.values())

    def _load(self, game: Game, edition: Edition, record: GameRecord) -> None:
        self._game = game
        self.edition = edition
        self.balances = record.balances
        self.retired = set(record.retired)
        self.left = set(record.left)
        self._players = record.players
        self.clock = record.clock
        self.pot = record.pot
        self.latest = deque(record.latest, maxlen=REMEMBERED)
        self._calendar.load(record.latest)

    async def _write(self, work: Callable[[Ledger], T]) -> T:
        disk = self._announcer.disk
        try:
            result = await self._ledger_thread.ask(work)
        except ReboardError as error:
            if isinstance(error, Rejection) and error.why == BankWhy.DISK:
                await self._check_disk()
            disk.set(self._ledger_thread.fault)
            raise
        disk.set(self._ledger_thread.fault)
        return result

    async def _check_disk(self) -> None:
        """Raise `ReboardError` if the disk has a change that it reported as failed."""
        if self._game is None:
            return  # no balance was shown, and the next opening reads all of it

        def read(ledger: Ledger) -> tuple[Game | None, GameRecord | None, HostSettings]:
            game = ledger.game()
            return game, GameRecord.of(ledger, game) if game else None, HostSettings.of(ledger)

        game, record, settings = await self._ledger_thread.ask(read)
        is_known = (game and game.id) == self.game and settings == HostSettings(self.names.given, self._ended)
        if not is_known or not (record is None or self._is_known(record)):
            raise ReboardError("the disk has a change that it reported as failed: the banker unit restarts to load it")
        self._ledger_thread.nothing_was_saved()

    def _is_known(self, record: GameRecord) -> bool:
        is_known = record.balances == self.balances and set(record.retired) == self.retired
        return is_known and set(record.left) == self.left and record.pot == self.pot

    @property
    def _current(self) -> Game:
        if self._game is None:
            raise ReboardError("there is no current game")
        return self._game

    @property
    def _last_transfer(self) -> int:
        return self.latest[0].id if self.latest else 0

    def _press(self) -> str:
        """Return a new identifier for a key press.

        It contains the number of the last transfer, because a restored virtual machine can draw the same random numbers
        again. Without it, the ledger would confuse a new press with a saved one.
        """
        return f"{self._run}-{self.game}-{self._last_transfer}-{next(self._numbers)}"

    def _freed(self, card: int | None, transfer: Transfer | None) -> None:
        if transfer:
            self._add(transfer)
        if card is not None and card not in self.retired:
            self.balances.pop(card, None)
            self.left.discard(card)

    def _let_in(self, card: int, transfer: Transfer | None) -> None:
        self.left.discard(card)
        if transfer:
            self._add(transfer)

    def _add(self, transfer: Transfer) -> None:
        """Add a new transfer. A transfer that was saved before, with the same press, changes nothing."""
        if transfer.game == self.game and transfer.id > self._last_transfer:
            self._move(transfer)
            if not transfer.undoes:  # otherwise a card that left is back
                self._players.add(transfer)

    def _add_undone(self, wrong: Transfer, opposite: Transfer) -> None:
        # the card that goes bankrupt or leaves pays all it has, or the bank pays what it owes
        if wrong.reason == Reason.BANKRUPT:
            self.retired.discard(wrong.from_ or wrong.to)
        elif wrong.reason == Reason.LEFT:
            self.left.discard(wrong.from_ or wrong.to)
        self._move(opposite)
        self._players.add(opposite, wrong)

    def _move(self, transfer: Transfer) -> None:
        for card, change in ((transfer.from_, -transfer.amount), (transfer.to, transfer.amount)):
            if card == POT:
                self.pot += change
            elif card in CARDS:
                self.balances[card] = self.balances.get(card, 0) + change
        self.latest.appendleft(transfer)
        self._calendar.add(transfer)
        self._announcer.moved(transfer)
