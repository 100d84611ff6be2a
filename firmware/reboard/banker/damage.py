"""Is a file a banker's book, and a whole one? Nothing is written to find out."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from reboard.banker import schema

DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)

FORMAT_FOR_WRITERS = 18
WRITABLE = (b"", b"\1", b"\2")
"""Where a file says, in one of its first bytes, what SQLite has to know to write to it, and what ours does. An empty
file says nothing."""


def is_damage(error: sqlite3.Error) -> bool:
    """Whether *error* says that the file itself is broken, rather than full, locked or read-only."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in DAMAGED


def is_unreadable(error: sqlite3.Error) -> bool:
    """Whether *error*, when tables are looked at for the first time, says so: of a format unknown to it, SQLite has no
    more to say than that there is an error."""
    return is_damage(error) or getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_ERROR


def is_another_programs(connection: sqlite3.Connection) -> bool:
    """Whether there is something in the file, and no sign that it was ours."""
    found = schema.contents_of(connection)
    return bool(found) and schema.id_of(connection) != schema.APPLICATION_ID and not found & schema.contents()[-1]


def is_newer(connection: sqlite3.Connection) -> bool:
    """Whether a reboard to come wrote it: each version has something of its own, so its tables must be unknown too."""
    is_above = schema.version_of(connection) > len(schema.MIGRATIONS)
    return is_above and schema.contents_of(connection) not in schema.contents()


def damage_of(path: Path, connection: sqlite3.Connection) -> str | None:
    """What is wrong with the book in the file *path*, behind *connection*; ``None`` when it is whole.

    Raises ``sqlite3.Error`` when it cannot be read, whatever the reason: see `is_unreadable`.
    """
    found = schema.contents_of(connection)
    if found not in schema.contents():
        return "its tables and rules are not as reboard made them"
    if schema.contents().index(found) != schema.version_of(connection):
        return "its version is not that of its tables"
    if found and schema.id_of(connection) != schema.APPLICATION_ID:
        return "it does not say that it is reboard's"
    log = path.with_name(f"{path.name}-wal")
    # what a power cut has spoilt while the log was brought in is still whole there
    has_log = log.exists() and log.stat().st_size > 0
    with path.open("rb") as file:
        if not has_log and file.read(FORMAT_FOR_WRITERS + 1)[FORMAT_FOR_WRITERS:] not in WRITABLE:
            return "it says that it cannot be written to"
    (verdict,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    return None if verdict == "ok" else str(verdict)
