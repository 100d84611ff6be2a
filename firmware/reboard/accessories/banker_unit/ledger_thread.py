"""The ledger thread, which runs SQL so that a slow disk never blocks the event loop."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from typing import TypeVar

from reboard.accessories.banker_unit.database import LedgerFile
from reboard.accessories.banker_unit.ledger_errors import (
    Cause,
    DamagedLedgerError,
    MovedLedgerError,
    cause_of,
    is_damage,
)
from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.aiotools import WorkerThread
from reboard.errors import ReboardError, Rejection
from reboard.languages import translatable

T = TypeVar("T")

NOT_KNOWN = translatable("it is not known yet whether the last change was saved")
NOTHING_SAVED = translatable("nothing was saved")

MOST_WAITING = 32
"""The maximum number of calls that are running or waiting. Further calls are rejected."""


LONGEST_BACKUP_S = 2.0
"""The maximum time that closing the ledger waits for a backup, in seconds. After that, the backup is cancelled."""


StartBackup = Callable[[], Callable[[], None] | None]


class LedgerThread:
    """A worker thread that runs SQL, one call after the other. The first call runs *open_ledger* on the thread.

    When a call that writes returns, the change is on the disk. If the disk fails, the call raises
    ``BankWhy.DISK``. A call beyond `MOST_WAITING` also raises this rejection. `fault` is a sentence about the
    last failure or repair, or ``None``. Saving a change clears `fault`. `cause` is the cause of the last failure. If
    the file was damaged, removed or replaced, a call raises `ReboardError`, because rows that were read before may be
    missing. The next call opens the ledger again.

    A commit that failed may be on the disk. The thread opens the file again before it raises ``BankWhy.DISK``, so
    that the next call reads the data on the disk. If the file cannot be opened, the call raises `ReboardError`.
    """

    def __init__(self, open_ledger: Callable[[], LedgerFile]) -> None:
        self.fault: str | None = None
        self.cause = Cause.NO_LEDGER
        self._open_ledger = open_ledger
        self._thread = WorkerThread("ledger thread")
        self._backup_thread = WorkerThread("backup thread")
        self._ledger: LedgerFile | None = None
        self._waiting = 0
        self._is_closed = False
        self._backup_is_due = False
        self._backup: asyncio.Task[None] | None = None
        self._wanted: set[StartBackup] = set()
        self._damage: DamagedLedgerError | None = None

    async def close(self) -> None:
        """Finish the waiting calls and the backup, and close the file. Can be called more than once."""
        if self._is_closed:
            return
        self._is_closed = True
        loop = asyncio.get_running_loop()
        try:
            # asked after the waiting calls
            if await loop.run_in_executor(self._thread, self._is_due):
                self._begin_backup(self._start_backup)
            if self._backup:
                await asyncio.wait([self._backup], timeout=LONGEST_BACKUP_S)
        finally:
            # also when the caller is cancelled: the thread closes the file, which cancels the backup, and ends
            closed = loop.run_in_executor(self._thread, self._close_file)
            if self._backup:
                self._backup.add_done_callback(self._end_threads)
            else:
                self._end_threads()
        await asyncio.shield(closed)
        if self._backup:
            await asyncio.wait([self._backup])

    def nothing_was_saved(self) -> None:
        """Change the sentence in `fault` to say that nothing was saved, after a check of the disk."""
        if self.fault:
            self.fault = self.fault.replace(NOT_KNOWN, NOTHING_SAVED)

    def back_up(self) -> None:
        """Start a backup on a thread of its own, if the ledger has changed since the last one."""
        if not self._is_closed:
            self._begin_backup(self._start_backup)

    async def renew_backups(self) -> None:
        """Make all backups again, of the ledger as it is now. Raises ``BankWhy.DISK`` if one cannot be made."""
        while self._backup:
            await asyncio.wait([self._backup])
        renewed = False
        if not self._is_closed:
            self._begin_backup(self._start_renewal)
            while self._backup:
                await asyncio.wait([self._backup])
            renewed = await self.ask(lambda ledger: ledger.has_only_new_backups)
        if not renewed:
            raise Rejection(BankWhy.DISK)

    async def ask(self, work: Callable[[LedgerFile], T]) -> T:
        """Run *work* on the thread and return its result. For the errors, see the class."""
        if self._is_closed:
            raise ReboardError("the ledger is closed")
        if self._waiting >= MOST_WAITING:
            raise Rejection(BankWhy.DISK)
        self._waiting += 1
        answer = asyncio.get_running_loop().run_in_executor(self._thread, self._run, work)
        answer.add_done_callback(self._answered)
        try:
            # shielded: a transfer that has begun is saved, even if the caller is cancelled
            return await asyncio.shield(answer)
        finally:
            self._waiting -= 1

    def _run(self, work: Callable[[LedgerFile], T]) -> T:
        if damage := self._damage:
            self._damage = None
            self._close_file()
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
            sentence, self.cause = cause_of(error, ledger.path)
            self.fault = translatable(f"{ledger.path}: {NOT_KNOWN if ledger.in_doubt else NOTHING_SAVED}: {sentence}")
            if ledger.in_doubt:
                self._close_file()
                self._opened()
            raise Rejection(BankWhy.DISK) from error
        if ledger.connection.total_changes > changes:
            self.fault = None
            self._backup_is_due = ledger.backup_is_due
        return result

    def _answered(self, answer: asyncio.Future[T]) -> None:
        # retrieve the exception, or asyncio logs one of a call whose caller was cancelled
        if not answer.cancelled():
            answer.exception()
        # the caller has its answer before the backup begins
        if self._backup_is_due and not self._is_closed:
            self._backup_is_due = False
            self._begin_backup(self._start_due_backup)

    def _begin_backup(self, start: StartBackup) -> None:
        self._wanted.add(start)
        if self._backup is None:
            self._backup = asyncio.create_task(self._back_up())

    async def _back_up(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            # payments do not wait for a backup, so that another one may be wanted after it
            while self._wanted:
                if make := await loop.run_in_executor(self._thread, self._wanted.pop()):
                    await loop.run_in_executor(self._backup_thread, make)
        except DamagedLedgerError as damage:
            self._damage = damage
        finally:
            self._backup = None

    def _opened(self) -> LedgerFile:
        if self._ledger is None:
            self._ledger = self._open_ledger()
            if mended := self._ledger.mended:
                self.fault = mended.sentence
        return self._ledger

    def _close_file(self) -> None:
        if self._ledger is not None:
            self._ledger.close()
            self._ledger = None

    def _end_threads(self, _: object = None) -> None:
        self._thread.shutdown(wait=False)
        self._backup_thread.shutdown(wait=False)

    def _start_backup(self) -> Callable[[], None] | None:
        return None if self._ledger is None else self._ledger.start_backup()

    def _start_renewal(self) -> Callable[[], None] | None:
        return None if self._ledger is None else self._ledger.start_renewal()

    def _start_due_backup(self) -> Callable[[], None] | None:
        return self._start_backup() if self._is_due() else None

    def _is_due(self) -> bool:
        return self._ledger is not None and self._ledger.backup_is_due
