"""Why there is no ledger, or nothing can be written into it: in a sentence, and in sixteen characters."""

from __future__ import annotations

import errno
import sqlite3

from reboard.banker.texts import Text
from reboard.errors import ReboardError

FULL = ("the disk is full: make room on it", Text.DISK_FULL)
READ_ONLY = (
    "the disk lets nobody write: `sudo reboard doctor` tells whether rights are missing, or the memory card worn out",
    Text.DISK_READ_ONLY,
)
FAILING = ("the disk fails: save what is on this memory card, and take another", Text.DISK_FAILS)

NO_DIRECTORY = ("a file is where its directory should be: name another [state] directory", Text.NO_LEDGER)

DAMAGED = ("the file is damaged: start the table, which mends it", Text.NO_LEDGER)

BY_SQLITE_AND_WHAT_IT_DID = {sqlite3.SQLITE_IOERR_SHMSIZE: FULL}
"""Of its errors that belong to a group, those that mean something else: a reader, too, wants room beside the ledger."""
BY_SQLITE = {
    sqlite3.SQLITE_CORRUPT: DAMAGED,
    sqlite3.SQLITE_NOTADB: DAMAGED,
    sqlite3.SQLITE_FULL: FULL,
    sqlite3.SQLITE_READONLY: READ_ONLY,
    sqlite3.SQLITE_PERM: READ_ONLY,
    sqlite3.SQLITE_IOERR: FAILING,
}
BY_SYSTEM = {
    errno.ENOSPC: FULL,
    errno.EDQUOT: FULL,
    errno.EROFS: READ_ONLY,
    errno.EACCES: READ_ONLY,
    errno.EPERM: READ_ONLY,
    errno.EIO: FAILING,
    errno.ENOTDIR: NO_DIRECTORY,
    errno.EEXIST: NO_DIRECTORY,
}
OTHERWISE = ("look at the disk and its rights", Text.NO_LEDGER)


class NoLedgerError(ReboardError):
    """The ledger cannot be had. *shown* is what the display says of it."""

    def __init__(self, sentence: str, shown: str = Text.NO_LEDGER) -> None:
        super().__init__(sentence)
        self.shown = shown


class MovedLedgerError(NoLedgerError):
    """A file of the open ledger was removed, replaced or cut: what is written to it now cannot be found again."""


def cause_of(error: sqlite3.Error | OSError) -> tuple[str, str]:
    """What the disk said, in a sentence of what is wrong and what to do, and in what the display shows of it."""
    if isinstance(error, OSError):
        sentence, shown = BY_SYSTEM.get(error.errno or 0, OTHERWISE)
    else:
        code = getattr(error, "sqlite_errorcode", 0)
        sentence, shown = BY_SQLITE_AND_WHAT_IT_DID.get(code) or BY_SQLITE.get(code & 0xFF, OTHERWISE)
    return f"{sentence} ({error})", shown
