"""An apsw connection that looks like one of the standard library's, as far as the ledger looks."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
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


class Connection:
    """A connection that may write, through the file system *vfs*."""

    def __init__(self, uri: str, vfs: str, instead: Instead) -> None:
        self._instead = instead
        flags = apsw.SQLITE_OPEN_URI | apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
        with _as_the_standard_library_says_it():
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

    def execute(self, sql: str, values: Sequence[Any] = ()) -> Cursor:
        with _as_the_standard_library_says_it():
            return Cursor(self._connection.execute(self._instead.of(sql), values))

    def executescript(self, sql: str) -> None:
        with _as_the_standard_library_says_it():
            self._connection.execute(sql)

    def backup(self, target: Connection) -> None:
        with (
            _as_the_standard_library_says_it(),
            target._connection.backup("main", self._connection, "main") as backup,
        ):
            while not backup.done:
                backup.step()

    def close(self) -> None:
        # what fails then, the standard library tells nobody
        with suppress(apsw.Error):
            self._connection.close()


class Cursor:
    """What `Connection.execute` found."""

    def __init__(self, cursor: apsw.Cursor) -> None:
        self._cursor = cursor

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        while (row := self.fetchone()) is not None:
            yield row

    def fetchone(self) -> tuple[Any, ...] | None:
        with _as_the_standard_library_says_it():
            row: tuple[Any, ...] | None = self._cursor.fetchone()
            return row

    def fetchall(self) -> list[tuple[Any, ...]]:
        return list(self)


@contextmanager
def _as_the_standard_library_says_it() -> Iterator[None]:
    try:
        yield
    except apsw.Error as error:
        kind = next(ours for theirs, ours in KINDS if isinstance(error, theirs))
        told = kind(str(error))
        # apsw's type information does not know its own attribute
        told.sqlite_errorcode = int(getattr(error, "extendedresult", 0))
        raise told from error
