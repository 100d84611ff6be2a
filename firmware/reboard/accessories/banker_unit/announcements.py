"""The events for saved transfers and games, each sent once, and the fault for a clock that was set back."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from datetime import UTC, datetime

from reboard.accessories.banker_unit.ledger import Ledger
from reboard.accessories.banker_unit.ledger_thread import LedgerThread
from reboard.accessories.banker_unit.schema import Game, Transfer
from reboard.accessories.banker_unit.vocabulary import GameResumed, GameStarted, Transferred
from reboard.events import Emit, FaultState
from reboard.languages import translatable

log = logging.getLogger(__name__)

A_DAY_S = 86_400.0
"""The largest error of the clock that is not a fault, in seconds. Without a battery, an unpowered Pi's clock stops."""


CHECK_S = 60.0
"""The time between two checks while the clock has a fault, in seconds."""


class Calendar:
    """A check of the clock against the latest transfers of the current game.

    *wall_time* returns seconds since 1970. *is_synced* returns whether a time server has set the clock. Such a clock is
    right, and the times of the transfers are not.
    """

    def __init__(self, wall_time: Callable[[], float], is_synced: Callable[[], bool], emit: Emit) -> None:
        self.now = wall_time
        self._is_synced = is_synced
        self._fault = FaultState("clock", emit)
        self._latest_at = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def load(self, transfers: Iterable[Transfer]) -> None:
        """Store the latest time of *transfers*, and check the clock against this time."""
        self._latest_at = max((transfer.at for transfer in transfers), default=0.0)
        self._check(self.now())

    def add(self, transfer: Transfer) -> None:
        """Check the clock against the time of a new transfer, and keep the latest time for later checks."""
        self._check(transfer.at)
        self._latest_at = max(self._latest_at, transfer.at)

    def close(self) -> None:
        """Clear the fault. The next check can report it again."""
        self._set(None)

    def _check(self, now: float) -> None:
        is_behind = now < self._latest_at - A_DAY_S
        if is_behind and self._is_synced():
            log.warning(
                "A time server has set the clock to %s, so the times of this game's transfers up to %s are wrong",
                _day(now),
                _day(self._latest_at),
            )
            self._latest_at = now
            is_behind = False
        self._set(
            translatable(
                f"the date is {_day(now)}, but the last transfer was on {_day(self._latest_at)}: the clock was set "
                "back. If this date is wrong, correct it with `timedatectl`. If "
                "the transfer's date is wrong, connect the table "
                "to a network, or start a new game. Until then, times in the history are wrong"
            )
            if is_behind
            else None
        )

    def _set(self, cause: str | None) -> None:
        self._fault.set(cause)
        if self._timer:
            self._timer.cancel()
        self._timer = None
        if cause:
            self._timer = asyncio.get_running_loop().call_later(CHECK_S, lambda: self._check(self.now()))


def _day(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d}"


class _Position:
    """The numbers of the last transfer and the last game with an event, and the number of the current game."""

    def __init__(self, transfer: int, game: int, current: int | None) -> None:
        self.transfer = transfer
        self.game = game
        self.current = current

    @classmethod
    def of(cls, ledger: Ledger) -> _Position:
        current = ledger.game()
        last = max((game.id for game in ledger.games()), default=0)
        return cls(ledger.last_transfer(), last, current.id if current else None)


class Announcer:
    """The sender of a ledger's events. It is kept when the unit restarts, so that each event is sent once.

    *disk* is the fault state of the ledger's disk.
    """

    def __init__(self, emit: Emit) -> None:
        self.disk = FaultState("ledger", emit)
        self._emit = emit
        self._position: _Position | None = None

    async def catch_up(self, ledger_thread: LedgerThread) -> None:
        """Send the missing events for games and transfers in the ledger.

        Events are missing if the disk saved a write that it reported as failed. Transfers from before the start of the
        table get no event. Transfers in a repaired file get no event either, because their numbers may have changed.
        """
        position = self._position
        if position is None or await ledger_thread.ask(lambda ledger: bool(ledger.mended)):
            self._position = await ledger_thread.ask(_Position.of)
            return

        def news(ledger: Ledger) -> tuple[list[Game], list[Transfer], Game | None, _Position]:
            games = [game for game in ledger.games() if game.id > position.game]
            return games, ledger.transfers_after(position.transfer), ledger.game(), _Position.of(ledger)

        # all of it is from one key press, because nothing more is saved before this check: hence games come first.
        # `started` moves the position, so that a new game does not count as a resumed one
        games, transfers, current, now = await ledger_thread.ask(news)
        for game in games:
            self.started(game)
        for transfer in transfers:
            self.moved(transfer)
        if current and current.id != position.current:
            self.resumed(current)
        self._position = now

    def moved(self, row: Transfer) -> None:
        if self._position:
            self._position.transfer = row.id
        self._emit(Transferred(row.id, row.game, row.from_, row.to, row.amount, row.reason, row.undoes))

    def started(self, game: Game) -> None:
        if self._position:
            self._position.game = self._position.current = game.id
        self._emit(GameStarted(game.id, game.edition))

    def resumed(self, game: Game) -> None:
        if self._position:
            self._position.current = game.id
        self._emit(GameResumed(game.id, game.edition))
