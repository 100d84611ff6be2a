"""SQLite connections to files that may be damaged."""

from __future__ import annotations

import sqlite3
from typing import Any


class Connection(sqlite3.Connection):
    """A connection that reports all damage of a file as ``sqlite3.DatabaseError``.

    SQLite quotes a damaged schema in its message, and Python then raises ``UnicodeDecodeError`` instead.
    """

    def execute(self, sql: str, values: Any = (), /) -> sqlite3.Cursor:
        try:
            return super().execute(sql, values)
        except UnicodeDecodeError as error:
            raise _damage() from error

    def executescript(self, sql: str, /) -> sqlite3.Cursor:
        try:
            return super().executescript(sql)
        except UnicodeDecodeError as error:
            raise _damage() from error


def _damage() -> sqlite3.DatabaseError:
    damage = sqlite3.DatabaseError("its text is not valid UTF-8")
    damage.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return damage
