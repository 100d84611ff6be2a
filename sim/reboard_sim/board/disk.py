"""The disk of the virtual Pi, which has real files and simulated faults."""

from __future__ import annotations

import logging
import re
import sqlite3
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing, suppress
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from reboard.accessories.banker_unit import backup
from reboard.accessories.banker_unit.open_files import take_lock
from reboard.board import open_database
from reboard.sqlite_connection import Connection
from reboard_sim.virtual_time import running_loop

STALL_S = 5.0
"""The delay of each transaction and each checkpoint on a slow disk, in virtual seconds."""

SECTOR_BYTES = 4096
MOST_DAMAGED_SECTORS = 3
"""The maximum number of sectors that a power cut damages. A memory card loses whole sectors."""

BEGIN = re.compile("BEGIN")
COMMIT = re.compile("COMMIT")
CHECKPOINT = re.compile("PRAGMA wal_checkpoint")


class PowerOffError(sqlite3.OperationalError):
    """The error of a database whose power is off."""

    sqlite_errorcode = sqlite3.SQLITE_IOERR


def _has_power(record: logging.LogRecord) -> bool:
    return not any(isinstance(value, PowerOffError) for value in record.args or ())


# a ledger thread in the middle of a backup outlives the power cut, but a Pi without power logs nothing
logging.getLogger(backup.__name__).addFilter(_has_power)


class VirtualDisk:
    """A disk that can have faults. *rng* determines whether a failed commit is saved, and which sectors are damaged."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self.full = False
        self.read_only = False
        self.failing = False
        self.slow = False
        self.damaged = False
        """Whether each power cut damages the ledger's file."""
        self.has_power = True
        self.life = 0
        """The number of power cuts so far. A writable connection from before the latest power cut raises an error."""

    def faults(self) -> Mapping[str, Callable[[bool], None]]:
        """Return a function for each fault, keyed by name, that begins (``True``) or ends (``False``) the fault."""
        names = {"full": "full", "read-only": "read_only", "failing": "failing", "slow": "slow", "damaged": "damaged"}
        return {name: partial(setattr, self, attribute) for name, attribute in names.items()}

    @property
    def has_fault(self) -> bool:
        """Whether the disk has any fault."""
        return self.full or self.read_only or self.failing or self.slow or self.damaged

    def power_on(self) -> None:
        """Switch the power on, so that databases can be opened again."""
        self.has_power = True

    def power_off(self) -> None:
        """Cut the power. Open connections can no longer change their files."""
        self.has_power = False
        self.life += 1

    def open_database(self, uri: str) -> sqlite3.Connection:
        """Open a database. Faults do not affect a read-only connection. Raises ``sqlite3.Error``."""
        if not self.has_power:
            raise PowerOffError("the power is off")
        if "mode=ro" in uri:
            return open_database(uri)
        if self.read_only:
            raise failure(sqlite3.SQLITE_READONLY, "attempt to write a readonly database")
        connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False, factory=_Connection)
        connection.disk, connection.life = self, self.life
        return connection

    def damage(self, database: Path) -> None:
        """Overwrite random sectors of *database*. Do nothing if the file does not exist.

        Raises `NoLedgerError` if another process holds the lock of the ledger.
        """
        if not database.exists():
            return
        with ExitStack() as given_back:
            take_lock(database, given_back)
            # the file may be damaged already
            with suppress(sqlite3.Error), closing(sqlite3.connect(database)) as connection:
                connection.execute("PRAGMA wal_checkpoint")
            content = bytearray(database.read_bytes())
            for _ in range(self._rng.randint(1, MOST_DAMAGED_SECTORS)):
                place = self._rng.randrange(0, len(content), SECTOR_BYTES)
                content[place : place + SECTOR_BYTES] = self._rng.randbytes(SECTOR_BYTES)
            database.write_bytes(content)

    def commit_is_kept(self) -> bool:
        """Return whether a failing disk saves a commit that it reports as failed. The result is random."""
        return self._rng.random() < 0.5


class _Connection(Connection):
    disk: VirtualDisk
    life: int

    def execute(self, sql: str, values: Any = (), /) -> sqlite3.Cursor:
        self._meet_the_disk(sql)
        return super().execute(sql, values)

    def executescript(self, sql: str, /) -> sqlite3.Cursor:
        self._meet_the_disk(sql)
        return super().executescript(sql)

    def backup(self, target: sqlite3.Connection, **how: Any) -> None:
        self._meet_the_disk("COMMIT")
        super().backup(target, **how)

    def close(self) -> None:
        # a power cut leaves the log beside the file; before Python 3.12, SQLite merges it
        if sys.version_info >= (3, 12) and self.life != self.disk.life:
            with suppress(sqlite3.ProgrammingError):  # the connection is closed
                self.setconfig(sqlite3.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, True)
        super().close()

    def _meet_the_disk(self, sql: str) -> None:
        disk = self.disk
        begins = BEGIN.match(sql) is not None
        commits = COMMIT.search(sql) is not None
        checkpoints = CHECKPOINT.match(sql) is not None
        if disk.slow and (begins or checkpoints):
            # until its first transaction, a job only reads
            running_loop().jobs.stall(STALL_S, may_begin_again=begins)
        if self.life != disk.life:
            raise PowerOffError("the power is off")
        if disk.read_only and (begins or checkpoints):
            raise failure(sqlite3.SQLITE_READONLY, "attempt to write a readonly database")
        if disk.full and commits:
            raise failure(sqlite3.SQLITE_FULL, "database or disk is full")
        if disk.failing and (commits or checkpoints):
            if self.in_transaction and disk.commit_is_kept():
                super().execute("COMMIT")
            raise failure(sqlite3.SQLITE_IOERR_FSYNC, "disk I/O error")


def failure(code: int, message: str) -> sqlite3.OperationalError:
    """Return the error that SQLite raises for the error code *code*, with the text *message*."""
    error = sqlite3.OperationalError(message)
    error.sqlite_errorcode = code
    return error
