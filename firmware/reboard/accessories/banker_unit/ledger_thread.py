"""The ledger thread, which runs SQL so that a slow disk never blocks the event loop."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from reboard.accessories.banker_unit.ledger_errors import (
    Cause,
    DamagedLedgerError,
    MovedLedgerError,
    cause_of,
    is_damage,
)
from reboard.aiotools import WorkerThread
from reboard.errors import ReboardError, Rejection

if TYPE_CHECKING:
    from reboard.accessories.banker_unit.ledger import Ledger

T = TypeVar("T")

NOT_KNOWN = "it is not known yet whether the last change was saved"
NOTHING_SAVED = "nothing was saved"

MOST_WAITING = 32
"""The maximum number of calls that are running or waiting. Further calls are rejected."""


class LedgerThread:
    """A worker thread that runs SQL, one call after the other. The first call runs *open_ledger* on the thread.

    When a call that writes returns, the change is on the disk. If the disk fails, the call raises
    ``Rejection("disk")``. A call beyond `MOST_WAITING` also raises this rejection. `fault` is a sentence about the
    last failure or repair, or ``None``. Saving a change clears `fault`. `cause` is the cause of the last failure. If
    the file was damaged, removed or replaced, a call raises `ReboardError`, because rows that were read before may be
    missing. The next call opens the ledger again.

    A commit that failed may be on the disk. The thread opens the file again before it raises ``Rejection("disk")``, so
    that the next call reads the data on the disk. If the file cannot be opened, the call raises `ReboardError`.
    """

    def __init__(self, open_ledger: Callable[[], Ledger]) -> None:
        self.fault: str | None = None
        self.cause = Cause.OTHER
        self._open_ledger = open_ledger
        self._thread = WorkerThread("ledger thread")
        self._ledger: Ledger | None = None
        self._waiting = 0
        self._is_closed = False
        self._backup_is_due = False
        self._damage: DamagedLedgerError | None = None

    async def close(self) -> None:
        """Finish the waiting calls, and close the file. Can be called more than once."""
        if not self._is_closed:
            self._is_closed = True
            try:
                await asyncio.shield(asyncio.get_running_loop().run_in_executor(self._thread, self._close_file))
            finally:
                # also when the caller is cancelled: the thread closes the file and ends
                self._thread.shutdown(wait=False)

    def nothing_was_saved(self) -> None:
        """Change the sentence in `fault` to say that nothing was saved, after a check of the disk."""
        if self.fault:
            self.fault = self.fault.replace(NOT_KNOWN, NOTHING_SAVED)

    def back_up(self) -> None:
        """Start a backup, which runs after the waiting calls. It only copies a ledger that has changed."""
        self._backup_is_due = False
        if not self._is_closed:
            asyncio.get_running_loop().run_in_executor(self._thread, self._back_up)

    async def ask(self, work: Callable[[Ledger], T]) -> T:
        """Run *work* on the thread and return its result. For the errors, see the class."""
        if self._is_closed:
            raise ReboardError("the ledger is closed")
        if self._waiting >= MOST_WAITING:
            raise Rejection("disk")
        self._waiting += 1
        answer = asyncio.get_running_loop().run_in_executor(self._thread, self._run, work)
        answer.add_done_callback(self._answered)
        try:
            # shielded: a transfer that has begun is saved, even if the caller is cancelled
            return await asyncio.shield(answer)
        finally:
            self._waiting -= 1

    def _run(self, work: Callable[[Ledger], T]) -> T:
        if damage := self._damage:
            self._damage = None
            raise damage
        ledger = self._opened()
        changes = ledger.connection.total_changes
        try:
            result = work(ledger)
        except MovedLedgerError:
            self._close_file()
            raise
        except sqlite3.Error as error:
            if is_damage(error):
                self._close_file()
                raise ReboardError(f"the ledger {ledger.path} is damaged: {error}") from error
            sentence, self.cause = cause_of(error)
            self.fault = f"{ledger.path}: {NOT_KNOWN if ledger.in_doubt else NOTHING_SAVED}: {sentence}"
            if ledger.in_doubt:
                self._close_file()
                self._opened()
            raise Rejection("disk") from error
        if ledger.connection.total_changes > changes:
            self.fault = None
            self._backup_is_due = ledger.backup_is_due
        return result

    def _answered(self, answer: asyncio.Future[T]) -> None:
        # retrieve the exception, or asyncio logs one of a call whose caller was cancelled
        if not answer.cancelled():
            answer.exception()
        # the caller has its answer before the backup begins
        if self._backup_is_due:
            self.back_up()

    def _opened(self) -> Ledger:
        if self._ledger is None:
            self._ledger = self._open_ledger()
            if mended := self._ledger.mended:
                self.fault = mended.sentence
        return self._ledger

    def _close_file(self) -> None:
        if self._ledger is not None:
            self._ledger.close()
            self._ledger = None

    def _back_up(self) -> None:
        if self._ledger is not None:
            try:
                self._ledger.back_up()
            except DamagedLedgerError as damage:
                self._damage = damage
                self._close_file()
