"""Errors of the ledger's file and disk: their causes, and sentences for the user."""

from __future__ import annotations

import errno
import os
import sqlite3
from enum import Enum, auto
from pathlib import Path

from reboard.errors import ReboardError
from reboard.languages import translatable
from reboard.record import Record

LOCKS = Path("/proc/locks")
"""Linux lists the locks of all files here."""


class Cause(Enum):
    """The reason why a ledger cannot be opened or written. The display has a text with the same name."""

    DISK_FULL = auto()
    DISK_READ_ONLY = auto()
    DISK_FAILS = auto()
    LEDGER_IN_USE = auto()
    LEDGER_IS_NEWER = auto()
    NO_LEDGER = auto()


FULL = (translatable("the disk is full: free some space"), Cause.DISK_FULL)
READ_ONLY = (
    translatable(
        "the disk cannot be written to: `sudo reboard doctor` checks the permissions and the wear of the memory card"
    ),
    Cause.DISK_READ_ONLY,
)
FAILING = (translatable("the disk is failing: back up this memory card, and replace it"), Cause.DISK_FAILS)
NO_DIRECTORY = (
    translatable(
        "a file is in the place of the ledger's directory: set another `directory` in [state] and restart the table"
    ),
    Cause.NO_LEDGER,
)
IS_DIRECTORY = (
    translatable("a directory is in the place of this file: move the directory to another place"),
    Cause.NO_LEDGER,
)
DAMAGED = (translatable("the file is damaged: restart the table to restore a backup"), Cause.NO_LEDGER)
LOCKED = (translatable("another program has locked the ledger: close that program"), Cause.LEDGER_IN_USE)
OTHERWISE = (translatable("check the disk and its permissions"), Cause.NO_LEDGER)

NOT_ALLOWED = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM)
"""The codes of SQLite for a file that the user may not open or write."""

BY_EXTENDED_SQLITE_CODE = {sqlite3.SQLITE_IOERR_SHMSIZE: FULL}
"""The sentence and cause for extended SQLite codes. ``IOERR_SHMSIZE`` means no space for the shared-memory file."""
BY_SQLITE_CODE = {
    sqlite3.SQLITE_CORRUPT: DAMAGED,
    sqlite3.SQLITE_NOTADB: DAMAGED,
    sqlite3.SQLITE_FULL: FULL,
    sqlite3.SQLITE_READONLY: READ_ONLY,
    sqlite3.SQLITE_PERM: READ_ONLY,
    sqlite3.SQLITE_IOERR: FAILING,
    sqlite3.SQLITE_BUSY: LOCKED,
    sqlite3.SQLITE_LOCKED: LOCKED,
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
    errno.EISDIR: IS_DIRECTORY,
}


class NoLedgerError(ReboardError):
    """The error for a ledger that cannot be opened."""

    def __init__(self, sentence: str, cause: Cause = Cause.NO_LEDGER) -> None:
        super().__init__(sentence)
        self.cause = cause


class MovedLedgerError(NoLedgerError):
    """The error for a file of the open ledger that was removed, replaced or truncated. New data would be lost."""


class DamagedLedgerError(ReboardError):
    """The error for an open ledger that is damaged. The next opening restores the newest intact backup."""


class Mended(Record):
    """A report that the ledger file was damaged or missing. *sentence* says what was done.

    *is_new* is whether a new, empty ledger replaces the file.
    """

    sentence: str
    is_new: bool = False


def cause_of(error: sqlite3.Error | OSError, path: Path | None = None) -> tuple[str, Cause]:
    """Return a sentence that says what is wrong, such as with *path*, and what to do, and the cause of *error*."""
    if isinstance(error, OSError):
        sentence, cause = BY_SYSTEM_CODE.get(error.errno or 0, OTHERWISE)
    else:
        code = getattr(error, "sqlite_errorcode", 0)
        sentence, cause = BY_EXTENDED_SQLITE_CODE.get(code) or BY_SQLITE_CODE.get(code & 0xFF, OTHERWISE)
    if path and sentence == LOCKED[0] and (program := _locker_of(path)):
        sentence = translatable(f"the program {program} has locked the ledger: close that program")
    return translatable(f"{sentence} ({error})"), cause


def _locker_of(path: Path) -> str | None:
    """Return the name and number of another program that has locked the SQLite file *path*, if it can be found."""
    files = [path, path.with_name(f"{path.name}-shm")]
    try:
        numbers = {str(file.stat().st_ino) for file in files if file.exists()}
        for line in LOCKS.read_text(encoding="ascii").splitlines():
            # such as "1: POSIX  ADVISORY  WRITE 1234 fe:00:5678 120 120"
            *_, mode, process, place, _, _ = line.split()
            if mode == "WRITE" and place.rpartition(":")[2] in numbers and int(process) not in (-1, os.getpid()):
                name = (LOCKS.parent / process / "comm").read_text(encoding="utf-8", errors="replace").strip()
                return f"{name} (process {process})"
    except (OSError, ValueError):
        pass
    return None


def is_damage(error: sqlite3.Error) -> bool:
    """Return whether *error* means a damaged file, and not a full, failing, locked or read-only disk."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def is_unreadable(error: sqlite3.Error) -> bool:
    """Return whether *error*, from the first read of the tables, means that the file is damaged.

    For an unknown file format, SQLite reports the generic error code. At the first read, that counts as damage, too.
    """
    return is_damage(error) or getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_ERROR
