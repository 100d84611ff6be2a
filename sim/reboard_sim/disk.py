"""The virtual Pi's memory card: the files are real, what it does with them can go wrong on request."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from typing import Any

from reboard.database import open_database
from reboard_sim.virtual_time import stall

STALL_S = 5.0
"""How long a slow disk takes for each write and each sync."""

SECTOR_BYTES = 4096
MOST_DAMAGED_SECTORS = 3
"""A memory card that loses something loses whole sectors."""

BEGIN = re.compile("BEGIN")
COMMIT = re.compile("COMMIT")
CHECKPOINT = re.compile("PRAGMA wal_checkpoint")


class VirtualDisk:
    """A disk that is well. *rng* decides what becomes of a commit that fails, and where damage is done."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self.full = False
        self.read_only = False
        self.failing = False
        self.slow = False

    def open_database(self, uri: str) -> sqlite3.Connection:
        """Open a database on it. One that is only read is not disturbed. Raises ``sqlite3.Error``."""
        if "mode=ro" in uri:
            return open_database(uri)
        if self.read_only:
            raise failure(sqlite3.SQLITE_READONLY, "attempt to write a readonly database")
        connection = sqlite3.connect(uri, uri=True, isolation_level=None, factory=_Connection)
        connection.disk = self
        return connection

    def damage(self, database: Path) -> None:
        """Leave random bytes in some sectors of *database*, which nobody has open."""
        if not database.exists():
            return
        # it may be damaged already
        with suppress(sqlite3.Error), closing(sqlite3.connect(database)) as connection:
            connection.execute("PRAGMA wal_checkpoint")
        content = bytearray(database.read_bytes())
        for _ in range(self._rng.randint(1, MOST_DAMAGED_SECTORS)):
            place = self._rng.randrange(0, len(content), SECTOR_BYTES)
            content[place : place + SECTOR_BYTES] = self._rng.randbytes(SECTOR_BYTES)
        database.write_bytes(content)

    def commit_is_kept(self) -> bool:
        """Whether a commit of which a failing disk says that it failed is there all the same."""
        return self._rng.random() < 0.5


class _Connection(sqlite3.Connection):
    disk: VirtualDisk

    def execute(self, sql: str, values: Any = (), /) -> sqlite3.Cursor:
        self._meet_the_disk(sql)
        return super().execute(sql, values)

    def executescript(self, sql: str, /) -> sqlite3.Cursor:
        self._meet_the_disk(sql)
        return super().executescript(sql)

    def _meet_the_disk(self, sql: str) -> None:
        disk = self.disk
        if disk.slow and (BEGIN.match(sql) or CHECKPOINT.match(sql)):
            stall(STALL_S)
        commits = COMMIT.search(sql)
        if disk.read_only and (BEGIN.match(sql) or CHECKPOINT.match(sql)):
            raise failure(sqlite3.SQLITE_READONLY, "attempt to write a readonly database")
        if disk.full and commits:
            raise failure(sqlite3.SQLITE_FULL, "database or disk is full")
        if disk.failing and (commits or CHECKPOINT.match(sql)):
            if self.in_transaction and disk.commit_is_kept():
                super().execute("COMMIT")
            raise failure(sqlite3.SQLITE_IOERR_FSYNC, "disk I/O error")


def failure(code: int, message: str) -> sqlite3.OperationalError:
    """What SQLite raises."""
    error = sqlite3.OperationalError(message)
    error.sqlite_errorcode = code
    return error
