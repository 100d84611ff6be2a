"""The current game in memory, changed after the ledger has committed."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING, TypeVar
from uuid import uuid4

from reboard.accessories.banker_unit.announcements import Announcer, Calendar
from reboard.accessories.banker_unit.game_records import (
    NO_HISTORY,
    REMEMBERED,
    EndedGame,
    GameRecord,
    HostSettings,
    KeptGame,
    Names,
    history,
    kept_games,
    resume,
    save_clock,
    save_ended,
    save_name,
    undo,
)
from reboard.accessories.banker_unit.ledger_errors import Cause, Mended, NoLedgerError
from reboard.accessories.banker_unit.schema import BANK, POT, Game, Transfer
from reboard.aiotools import Backoff
from reboard.errors import ReboardError, Rejection
from reboard.events import Emit

if TYPE_CHECKING:
    from reboard.accessories.banker_unit.ledger import Ledger
    from reboard.accessories.banker_unit.ledger_thread import LedgerThread
    from reboard.editions.edition import Edition

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 30.0
"""A ledger that cannot be opened is tried again after 1, 2, 4 … 30 s."""

CONFIGURED_EDITION = "configured_edition"
"""The ledger's setting for the edition that the config named last."""

log = logging.getLogger(__name__)

T = TypeVar("T")


class GameSession:
    """Balances and latest transfers of the current game, in memory, so that reading them never waits for the disk.

    A method that writes returns when the disk has the change, and only then changes the balances and sends events. It
    raises `Rejection` when the rules or the disk forbid it; then no money has moved. It raises `ReboardError` when the
    disk turns out to have what it had refused: then the session has to be opened again.

    *edition* is the one in the config; the current game may have another. *cards* are the tags of cards 1, 2, … that
    are known beforehand, *names* the players' in the config. *announcer* has sent the events of earlier sessions.
    Without *has_pot*, a Free Parking pot that still has money can be taken, but not filled. *clock* is how many minutes
    of play the game has left, if it has a clock. *mended* is the repair of a damaged file.
    """

    def __init__(
        self,
        ledger_thread: LedgerThread,
        edition: Edition,
        *,
        emit: Emit,
        wall_time: Callable[[], float],
        cards: Sequence[str] = (),
        names: Sequence[str] = (),
        announcer: Announcer | None = None,
        has_pot: bool = False,
    ) -> None:
        self._ledger_thread = ledger_thread
        self._configured = edition
        self._announcer = announcer or Announcer(emit)
        self._emit = emit
        self._calendar = Calendar(wall_time, emit)
        self._cards = tuple(cards)
        self._game: Game | None = None
        self._ended: EndedGame | None = None
        self._reading_history = asyncio.Lock()
        self._editions: dict[str, Edition] = {}
        self._run = uuid4().hex
        self._numbers = count(1)
        self.edition = edition
        self.names = Names(names)
        self.balances: dict[int, int] = {}
        self.retired: set[int] = set()
        self.has_pot = has_pot
        self.pot = 0
        self.latest: deque[Transfer] = deque(maxlen=REMEMBERED)
        self.clock: int | None = None
        self.mended: Mended | None = None

    @property
    def game(self) -> int | None:
        """The number of the current game."""
        return self._game.id if self._game else None

    @property
    def playing(self) -> list[int]:
        """The cards in the game that have not gone bankrupt."""
        return [card for card in sorted(self.balances) if card not in self.retired]

    @property
    def ended(self) -> EndedGame | None:
        """The current game, if it was ended and nothing has happened in it since."""
        is_still = self._ended and self._ended.is_still_ended(self.game, self._last_transfer, self.playing)
        return self._ended if is_still else None

    @property
    def is_over(self) -> bool:
        """Whether the bankruptcies so far end a game of this edition, or leave one player."""
        return len(self.playing) == 1 or len(self.retired) == self.edition.ends_at_bankruptcy

    async def open(self, *, failed: Callable[[Cause], None]) -> Game | None:
        """Load the current game, or start one. Try until it succeeds; *failed* gets the cause each time.

        Return the game that could not continue because its edition is gone.
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
            log.warning("game %d is kept: its edition %s is gone; a new game was started in %s", missed.id, gone, new)
        return missed

    async def _open_once(self) -> Game | None:
        # read on the thread, because only the bank waits for it there
        self._editions = await self._ledger_thread.ask(lambda _: self._configured.choices())
        self.mended = await self._ledger_thread.ask(lambda ledger: ledger.mended) or self.mended
        try:
            await self._announcer.catch_up(self._ledger_thread)
            settings = await self._ledger_thread.ask(HostSettings.of)
            self.names.given, self._ended = settings.names, settings.ended
            return await self._continue_or_start()
        except Rejection as rejection:
            raise NoLedgerError(self._ledger_thread.fault or str(rejection), self._ledger_thread.cause) from rejection

    async def _continue_or_start(self) -> Game | None:
        """Continue the current game, unless its edition is gone or the config names another one than last time."""
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
        return None if edition or is_changed else game

    async def start_game(self, edition: Edition) -> None:
        """Start a game in which each card of the current one has the starting balance."""
        await self._start_game(edition)

    async def _start_game(self, edition: Edition, *, settings: Iterable[tuple[str, str]] = ()) -> None:
        cards = tuple(card for card in self.balances if card <= edition.players.most)
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
        self.pot = 0
        self.latest.clear()
        self._announcer.started(game)
        for start in game.starts:
            self._add(start)

    async def resume(self, game: Game) -> None:
        """Continue a kept game. The current one is kept."""
        edition = self._editions.get(game.edition)
        if edition is None:
            raise Rejection("no edition")
        at = self._calendar.now()
        game, record = await self._write(lambda ledger: resume(ledger, game, at))
        self._ended = None
        self._load(game, edition, record)
        self._announcer.resumed(game)

    async def kept_games(self) -> list[KeptGame]:
        """Return the games that can be continued, newest first."""
        return await self._ledger_thread.ask(kept_games)

    def editions(self) -> list[Edition]:
        """Return the editions to choose from, each followed by its variants. The config's own comes first."""
        return list(self._editions.values())

    async def admit(self, tag: str) -> int:
        """Return the number of the card *tag*. One that is new to the game gets the starting balance."""
        game, known, most, at = self._current.id, self._cards, self.edition.players.most, self._calendar.now()
        admitted = await self._write(lambda ledger: ledger.admit(game, tag, known=known, most=most, at=at))
        if admitted.start:
            self._add(admitted.start)
        return admitted.number

    async def pay(self, from_: int, to: int, amount: int, reason: str) -> Transfer:
        """Move *amount*, once."""
        game, press, at = self._current.id, self._press(), self._calendar.now()
        transfer = await self._write(
            lambda ledger: ledger.pay(game, from_, to, amount, reason=reason, press=press, at=at)
        )
        self._add(transfer)
        return transfer

    async def bankrupt(self, card: int, creditor: int) -> Transfer | None:
        """Move all that *card* has to *creditor*, once, and retire it. Return ``None`` if there was nothing to move."""
        game, press, at = self._current.id, self._press(), self._calendar.now()
        transfer = await self._write(lambda ledger: ledger.bankrupt(game, card, creditor, press=press, at=at))
        if transfer:
            self._add(transfer)
        self.retired.add(card)
        return transfer

    async def readmit(self, card: int) -> None:
        """Let a bankrupt card play again, with the money that it had."""
        game, press, at = self._current.id, self._press(), self._calendar.now()
        transfer = await self._write(lambda ledger: ledger.readmit(game, card, press=press, at=at))
        self.retired.discard(card)
        if transfer:
            self._add(transfer)

    async def undo(self, number: int | None = None) -> Transfer:
        """Take back transfer *number* of this game, or the last that can be. Return its opposite."""
        game, press, at = self._current.id, self._press(), self._calendar.now()
        wrong, transfer = await self._write(lambda ledger: undo(ledger, game, number, press=press, at=at))
        if wrong.reason == "bankrupt":
            # the bankrupt card pays all it has, or the bank pays what it owes
            self.retired.discard(wrong.from_ or wrong.to)
        self._add(transfer)
        return transfer

    async def name(self, card: int, name: str) -> None:
        """Set the name of the player with *card*, in every game; ``""``: the name in the config."""
        await self._write(lambda ledger: save_name(ledger, card, name))
        self.names.give(card, name)

    async def end(self, worths: Mapping[int, int]) -> EndedGame:
        """End the current game, with the worth of each player in `playing`. No money moves.

        It stays `ended` until something happens in it or another game is the current one.
        """
        ended = EndedGame(self._current.id, self._last_transfer, worths)
        await self._write(lambda ledger: save_ended(ledger, ended))
        self._ended = ended
        self._emit("game.ended", **ended.as_json(self.names, self.edition.money))
        return ended

    async def set_clock(self, minutes: int | None) -> None:
        """Set the minutes that the game has left; ``None``: it has no clock."""
        game = self._current.id
        await self._write(lambda ledger: save_clock(ledger, game, minutes))
        self.clock = minutes
        self._emit("game.clock", minutes=minutes)

    async def count_down(self, *, save: bool = True) -> None:
        """Take a minute from the clock, or remove a clock without minutes. A disk that refuses does not stop it.

        Without *save* nothing is written: a failing disk would start the unit again, and end a deal.
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

    async def latest_of(self, card: int, limit: int) -> list[Transfer]:
        """Return the latest transfers to and from a card, newest first."""
        game = self._current.id
        return await self._ledger_thread.ask(lambda ledger: ledger.transfers_of(game, card, limit))

    def back_up(self) -> None:
        """Make a backup in the background."""
        self._ledger_thread.back_up()

    def close(self) -> None:
        """Stop checking the calendar."""
        self._calendar.close()

    def _load(self, game: Game, edition: Edition, record: GameRecord) -> None:
        self._game = game
        self.edition = edition
        self.balances = record.balances
        self.retired = set(record.retired)
        self.clock = record.clock
        self.pot = record.pot
        self.latest = deque(record.latest, maxlen=REMEMBERED)
        self._calendar.load(record.latest)

    async def _write(self, work: Callable[[Ledger], T]) -> T:
        disk = self._announcer.disk
        try:
            result = await self._ledger_thread.ask(work)
        except ReboardError as error:
            if isinstance(error, Rejection) and error.why == "disk":
                await self._check_disk()
            disk.set(self._ledger_thread.fault)
            raise
        disk.set(self._ledger_thread.fault)
        return result

    async def _check_disk(self) -> None:
        """Raise `ReboardError` if the disk has a change that it had reported as failed."""
        if self._game is None:
            return  # no balance was shown, and the next opening reads all of it

        def read(ledger: Ledger) -> tuple[Game | None, GameRecord | None, HostSettings]:
            game = ledger.game()
            return game, GameRecord.of(ledger, game) if game else None, HostSettings.of(ledger)

        game, record, settings = await self._ledger_thread.ask(read)
        is_known = (game and game.id) == self.game and settings == HostSettings(self.names.given, self._ended)
        if not is_known or not (record is None or self._is_known(record)):
            raise ReboardError("the disk has a change that it reported as failed: the banker unit restarts with it")
        self._ledger_thread.nothing_was_saved()

    def _is_known(self, record: GameRecord) -> bool:
        is_known = record.balances == self.balances and set(record.retired) == self.retired
        return is_known and record.pot == self.pot

    @property
    def _current(self) -> Game:
        if self._game is None:
            raise ReboardError("there is no current game")
        return self._game

    @property
    def _last_transfer(self) -> int:
        return self.latest[0].id if self.latest else 0

    def _press(self) -> str:
        """Return an identifier that no earlier key press had.

        It contains the last transfer, because random numbers may repeat: a machine that is restored to an earlier
        moment draws the same again, and its press would be taken for one that is in the ledger.
        """
        return f"{self._run}-{self.game}-{self._last_transfer}-{next(self._numbers)}"

    def _add(self, transfer: Transfer) -> None:
        for card, change in ((transfer.from_, -transfer.amount), (transfer.to, transfer.amount)):
            if card == POT:
                self.pot += change
            elif card != BANK:
                self.balances[card] = self.balances.get(card, 0) + change
        self.latest.appendleft(transfer)
        self._calendar.add(transfer)
        self._announcer.moved(transfer)
