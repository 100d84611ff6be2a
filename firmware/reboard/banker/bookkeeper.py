"""The bookkeeper: the ledger for those who must not wait, on a thread of its own."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from reboard.banker.damage import is_damage
from reboard.banker.ledger import Ledger
from reboard.banker.no_ledger import MovedLedgerError, cause_of
from reboard.banker.texts import Text
from reboard.database import OpenDatabase, open_database
from reboard.errors import ReboardError
from reboard.refusal import Refusal
from reboard.worker_thread import WorkerThread

T = TypeVar("T")

NOBODY_KNOWS = "nobody knows yet whether the last was saved"
NOTHING_SAVED = "nothing was saved"

MOST_WAITING = 32
"""How many calls can wait for the disk; one more is refused."""


class Bookkeeper:
    """Keeps the ledger in the file *path*: what it is asked is done one after the other in one worker thread.

    When a call that writes returns, the disk has it. A disk that does not take it raises ``Refusal("disk")``, and so
    does every call beyond `MOST_WAITING`. `trouble` says why, until the disk has taken something again, and `shown` on
    the display. A file that is found damaged, removed or replaced raises `ReboardError`: it may not have what was read
    from it before. It is opened by the first call, and by the first after that.

    A commit that failed may be on the disk all the same. The file has been opened anew when ``Refusal("disk")`` tells
    of it, so that the next call sees for sure what the disk has; if it cannot be opened, `ReboardError` says so.
    """

    def __init__(self, path: str | Path, *, database: OpenDatabase = open_database) -> None:
        self.trouble: str | None = None
        self.shown: str = Text.NO_LEDGER
        self._path = Path(path)
        self._database = database
        self._thread = WorkerThread("bookkeeper")
        self._ledger: Ledger | None = None
        self._waiting = 0
        self._closed = False

    async def close(self) -> None:
        """Do what still waits, then give the file back. May be called twice."""
        if not self._closed:
            self._closed = True
            try:
                await asyncio.shield(asyncio.get_running_loop().run_in_executor(self._thread, self._close_file))
            finally:
                # whoever does not wait for it any more: the file is given back, and then the thread ends
                self._thread.shutdown(wait=False)

    def nothing_was_saved(self) -> None:
        """Whoever was in doubt has looked, and the disk has it not."""
        if self.trouble:
            self.trouble = self.trouble.replace(NOBODY_KNOWS, NOTHING_SAVED)

    async def ask(self, call: Callable[[Ledger], T]) -> T:
        """Have *call* done with the ledger, and return what it returns or raise what it raises."""
        if self._closed:
            raise ReboardError("the ledger is closed")
        if self._waiting >= MOST_WAITING:
            raise Refusal("disk")
        self._waiting += 1
        answer = asyncio.get_running_loop().run_in_executor(self._thread, self._work, call)
        answer.add_done_callback(_was_seen)
        try:
            # shielded: a transfer that was begun is booked, even if nobody waits for it any more
            return await asyncio.shield(answer)
        finally:
            self._waiting -= 1

    def _work(self, call: Callable[[Ledger], T]) -> T:
        ledger = self._opened()
        changes = ledger.book.connection.total_changes
        try:
            result = call(ledger)
        except MovedLedgerError:
            self._close_file()
            raise
        except sqlite3.Error as error:
            if is_damage(error):
                self._abandon_file()
                raise ReboardError(f"{self._path}: the ledger was found damaged: {error}") from error
            cause, self.shown = cause_of(error)
            if ledger.book.in_doubt:
                self.trouble = f"{self._path}: {NOBODY_KNOWS}: {cause}"
                self._close_file()
                self._opened()
            else:
                self.trouble = f"{self._path}: {NOTHING_SAVED}: {cause}"
            raise Refusal("disk") from error
        if ledger.book.connection.total_changes > changes:
            self.trouble = None
        return result

    def _opened(self) -> Ledger:
        if self._ledger is None:
            self._ledger = Ledger(self._path, database=self._database)
            self.trouble = self._ledger.book.mended or self.trouble
        return self._ledger

    def _close_file(self) -> None:
        if self._ledger is not None:
            self._ledger.close()
            self._ledger = None

    def _abandon_file(self) -> None:
        if self._ledger is not None:
            self._ledger.book.abandon()
            self._ledger = None


def _was_seen(answer: asyncio.Future[T]) -> None:
    """That a call failed which nobody waits for any more is nobody's mistake."""
    if not answer.cancelled():
        answer.exception()
