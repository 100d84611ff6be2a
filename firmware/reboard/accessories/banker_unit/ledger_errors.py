"""Errors of the ledger's file and disk, in sentences and in texts of the display."""

from __future__ import annotations

import errno
import sqlite3
from dataclasses import dataclass

from reboard.accessories.banker_unit.texts import Text
from reboard.errors import ReboardError

FULL = ("the disk is full: make room on it", Text.DISK_FULL)
READ_ONLY = (
    "the disk cannot be written: `sudo reboard doctor` shows whether rights are missing or the memory card is worn out",
    Text.DISK_READ_ONLY,
)
FAILING = ("the disk fails: save what is on this memory card, and take another", Text.DISK_FAILS)
NO_DIRECTORY = ("a file is where its directory should be: name another [state] directory", Text.NO_LEDGER)
DAMAGED = ("the file is damaged: start the table, which restores a backup", Text.NO_LEDGER)
OTHERWISE = ("check the disk and its permissions", Text.NO_LEDGER)

BY_EXTENDED_SQLITE_CODE = {sqlite3.SQLITE_IOERR_SHMSIZE: FULL}
"""The space that a reader needs next to the ledger."""
BY_SQLITE_CODE = {
    sqlite3.SQLITE_CORRUPT: DAMAGED,
    sqlite3.SQLITE_NOTADB: DAMAGED,
    sqlite3.SQLITE_FULL: FULL,
    sqlite3.SQLITE_READONLY: READ_ONLY,
    sqlite3.SQLITE_PERM: READ_ONLY,
    sqlite3.SQLITE_IOERR: FAILING,
}
BY_SYSTEM_CODE = {
    errno.ENOSPC: FULL,
    errno.EDQUOT: FULL,
    errno.EROFS: READ_ONLY,
    errno.EACCES: READ_ONLY,
    errno.EPERM: READ_ONLY,
    errno.EIO: FAILING,
    errno.ENOTDIR: NO_DIRECTORY,
    errno.EEXIST: NO_DIRECTORY,
}


class NoLedgerError(ReboardError):
    """The ledger cannot be opened. *shown* is the text for the display."""

    def __init__(self, sentence: str, shown: str = Text.NO_LEDGER) -> None:
        super().__init__(sentence)
        self.shown = shown


class MovedLedgerError(NoLedgerError):
    """A file of the open ledger was removed, replaced or cut: new data in it would be lost."""


@dataclass(frozen=True, slots=True)
class Mended:
    """The repair of a ledger that could not be opened as it was: a sentence for the log, and *shown* on the display."""

    sentence: str
    shown: Text = Text.LEDGER_MENDED


def cause_of(error: sqlite3.Error | OSError) -> tuple[str, str]:
    """Return the fault and its remedy, as a sentence and as a text of the display."""
    if isinstance(error, OSError):
        sentence, shown = BY_SYSTEM_CODE.get(error.errno or 0, OTHERWISE)
    else:
        code = getattr(error, "sqlite_errorcode", 0)
        sentence, shown = BY_EXTENDED_SQLITE_CODE.get(code) or BY_SQLITE_CODE.get(code & 0xFF, OTHERWISE)
    return f"{sentence} ({error})", shown


def is_damage(error: sqlite3.Error) -> bool:
    """Whether *error* says that the file itself is broken, rather than full, locked or read-only."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def is_unreadable(error: sqlite3.Error) -> bool:
    """Whether *error* says so when the tables are read for the first time.

    For a format that SQLite does not know, it only reports that there is an error.
    """
    return is_damage(error) or getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_ERROR
