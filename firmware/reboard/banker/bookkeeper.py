"""The bookkeeper: the ledger and the deck for those who must not wait, on a thread of their own."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from reboard.banker.book import is_damage
from reboard.banker.deck import Deck
from reboard.banker.ledger import LARGEST, Game, Ledger, NewGame, Transfer
from reboard.errors import ReboardError
from reboard.refusal import Refusal
from reboard.worker_thread import WorkerThread

log = logging.getLogger(__name__)

T = TypeVar("T")

MOST_WAITING = 32
"""How many calls can wait for the disk; one more is refused."""


class Bookkeeper:
    """The same calls as `Ledger` and `Deck`, awaited; they are done one after the other in one worker thread.

    When a call that writes returns, the disk has it. A disk that does not take it raises ``Refusal("disk")``, and so
    does every call beyond `MOST_WAITING`. A file that is found damaged raises `ReboardError`: it may not have what was
    read from it before. It is opened by the first call, and by the first after that.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        self._thread = WorkerThread("bookkeeper")
        self._ledger: Ledger | None = None
        self._waiting = 0
        self._closed = False

    async def open(self) -> None:
        """Open the file now. Raises what `Ledger` raises."""
        await self._ask(lambda _: None)

    async def new_game(
        self,
        edition: str,
        start: int,
        *,
        at: float,
        cards: Iterable[int] = (),
        largest: int = LARGEST,
        may_owe: bool = False,
    ) -> NewGame:
        """See `Ledger.new_game`."""
        return await self._ask(
            lambda ledger: ledger.new_game(edition, start, at=at, cards=cards, largest=largest, may_owe=may_owe)
        )

    async def game(self) -> Game | None:
        """See `Ledger.game`."""
        return await self._ask(Ledger.game)

    async def games(self) -> list[Game]:
        """See `Ledger.games`."""
        return await self._ask(Ledger.games)

    async def join(self, game: int, card: int, *, at: float) -> Transfer | None:
        """See `Ledger.join`."""
        return await self._ask(lambda ledger: ledger.join(game, card, at=at))

    async def pay(self, game: int, from_: int, to: int, amount: int, *, reason: str, press: str, at: float) -> Transfer:
        """See `Ledger.pay`."""
        return await self._ask(lambda ledger: ledger.pay(game, from_, to, amount, reason=reason, press=press, at=at))

    async def undo(self, transfer: int, *, press: str, at: float) -> Transfer:
        """See `Ledger.undo`."""
        return await self._ask(lambda ledger: ledger.undo(transfer, press=press, at=at))

    async def last_to_undo(self, game: int) -> Transfer | None:
        """See `Ledger.last_to_undo`."""
        return await self._ask(lambda ledger: ledger.last_to_undo(game))

    async def balance(self, game: int, card: int) -> int:
        """See `Ledger.balance`."""
        return await self._ask(lambda ledger: ledger.balance(game, card))

    async def balances(self, game: int) -> dict[int, int]:
        """See `Ledger.balances`."""
        return await self._ask(lambda ledger: ledger.balances(game))

    async def transfers(self, game: int, limit: int) -> list[Transfer]:
        """See `Ledger.transfers`."""
        return await self._ask(lambda ledger: ledger.transfers(game, limit))

    async def transfer(self, transfer: int) -> Transfer:
        """See `Ledger.transfer`."""
        return await self._ask(lambda ledger: ledger.transfer(transfer))

    async def verify(self) -> list[str]:
        """See `Ledger.verify`."""
        return await self._ask(Ledger.verify)

    async def number(self, tag: str, *, known: Sequence[str], players: int) -> int | None:
        """See `Deck.number`."""
        return await self._ask(lambda ledger: Deck(ledger.book).number(tag, known=known, players=players))

    async def close(self) -> None:
        """Do what still waits, then give the file back. May be called twice."""
        if not self._closed:
            self._closed = True
            await asyncio.get_running_loop().run_in_executor(self._thread, self._close_file)
            self._thread.shutdown()

    async def _ask(self, call: Callable[[Ledger], T]) -> T:
        if self._closed:
            raise ReboardError("the ledger is closed")
        if self._waiting >= MOST_WAITING:
            raise Refusal("disk")
        self._waiting += 1
        try:
            # shielded: a transfer that was begun is booked, even if nobody waits for it any more
            return await asyncio.shield(asyncio.get_running_loop().run_in_executor(self._thread, self._work, call))
        finally:
            self._waiting -= 1

    def _work(self, call: Callable[[Ledger], T]) -> T:
        try:
            if self._ledger is None:
                self._ledger = Ledger(self._path)
            return call(self._ledger)
        except sqlite3.Error as error:
            log.error("%s: nothing was booked: %s", self._path, error)
            if is_damage(error):
                self._abandon_file()
                raise ReboardError(f"{self._path}: the ledger was found damaged: {error}") from error
            raise Refusal("disk") from error

    def _close_file(self) -> None:
        if self._ledger is not None:
            self._ledger.close()
            self._ledger = None

    def _abandon_file(self) -> None:
        if self._ledger is not None:
            self._ledger.book.abandon()
            self._ledger = None
