"""SQLite connections to files that may be damaged."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Connection(sqlite3.Connection):
    """A connection that reports all damage of a file as ``sqlite3.DatabaseError``.

    SQLite quotes a damaged schema in its message, and Python then raises ``UnicodeDecodeError`` instead.
    """

    def execute(self, sql: str, values: Any = (), /) -> sqlite3.Cursor:
        with _damage():
            return super().execute(sql, values)

    def executescript(self, sql: str, /) -> sqlite3.Cursor:
        with _damage():
            return super().executescript(sql)


@contextmanager
def _damage() -> Iterator[None]:
    try:
        yield
    except UnicodeDecodeError as error:
        damage = sqlite3.DatabaseError("its text is not valid UTF-8")
        damage.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise damage from error
