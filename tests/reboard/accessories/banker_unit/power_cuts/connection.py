"""An apsw connection that looks like one of the standard library's, as far as the ledger looks."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import apsw

SETTING = re.compile(r"PRAGMA (\w+) = (\w+)")

SET_BY_THE_LEDGER = ("journal_mode", "synchronous")

KINDS: tuple[tuple[type[apsw.Error], type[sqlite3.Error]], ...] = (
    (apsw.ConstraintError, sqlite3.IntegrityError),
    (apsw.CorruptError, sqlite3.DatabaseError),
    (apsw.NotADBError, sqlite3.DatabaseError),
    (apsw.Error, sqlite3.OperationalError),
)


@dataclass(frozen=True)
class Instead:
    """What is set otherwise than in a book as shipped: pragmas, and whether SQLite trusts in power-safe overwriting."""

    pragmas: Mapping[str, str | int] = field(default_factory=dict)
    psow: int | None = None

    def opening(self, uri: str) -> str:
        """What to open instead of *uri*."""
        return uri if self.psow is None else re.sub("&psow=.", f"&psow={self.psow}", uri)

    def of(self, sql: str) -> str:
        """The statement *sql*, with our value where it sets one of the pragmas."""
        return SETTING.sub(lambda said: f"PRAGMA {said[1]} = {self.pragmas.get(said[1], said[2])}", sql)


AS_SHIPPED = Instead()

OFTEN = Instead({"wal_autocheckpoint": 20})
"""SQLite brings its log into the database after so many pages (1000 when nothing is said): the delicate part, often."""


@contextmanager
def _errors_of_sqlite3() -> Iterator[None]:
    try:
        yield
    except apsw.Error as error:
        kind = next(ours for theirs, ours in KINDS if isinstance(error, theirs))
        told = kind(str(error))
        # apsw's type information does not know its own attribute
        told.sqlite_errorcode = int(getattr(error, "extendedresult", 0))
        raise told from error


class Rows(list[tuple[Any, ...]]):
    """What `Connection.execute` found."""

    def fetchone(self) -> tuple[Any, ...] | None:
        return self.pop(0) if self else None

    def fetchall(self) -> list[tuple[Any, ...]]:
        return self


class Connection:
    """A connection through the file system *vfs*."""

    @_errors_of_sqlite3()
    def __init__(self, uri: str, vfs: str, instead: Instead) -> None:
        self._instead = instead
        flags = apsw.SQLITE_OPEN_URI | apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
        self._connection = apsw.Connection(instead.opening(uri), flags=flags, vfs=vfs)
        for pragma, value in instead.pragmas.items():
            if pragma not in SET_BY_THE_LEDGER:
                self._connection.execute(f"PRAGMA {pragma} = {value}")

    @property
    def in_transaction(self) -> bool:
        return self._connection.in_transaction

    @property
    def total_changes(self) -> int:
        return self._connection.total_changes()

    @_errors_of_sqlite3()
    def execute(self, sql: str, values: Sequence[Any] = ()) -> Rows:
        return Rows(self._connection.execute(self._instead.of(sql), values))

    @_errors_of_sqlite3()
    def executemany(self, sql: str, values: Iterable[Sequence[Any]]) -> Rows:
        return Rows(self._connection.executemany(self._instead.of(sql), values))

    @_errors_of_sqlite3()
    def executescript(self, sql: str) -> None:
        self._connection.execute(sql)

    @_errors_of_sqlite3()
    def backup(self, target: Connection) -> None:
        with target._connection.backup("main", self._connection, "main") as backup:
            while not backup.done:
                backup.step()

    def set_progress_handler(self, handler: Callable[[], bool], n: int) -> None:
        self._connection.set_progress_handler(handler, n)

    def close(self) -> None:
        # the standard library ignores an error here
        with suppress(apsw.Error):
            self._connection.close()
