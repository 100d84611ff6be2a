from __future__ import annotations

import sqlite3

import pytest

from reboard.accessories.banker_unit.ledger_errors import cause_of
from reboard.accessories.banker_unit.texts import Text


def failed_with(code: int) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("code", "sentence", "shown"),
    [
        (sqlite3.SQLITE_FULL, "the disk is full: make room on it", Text.DISK_FULL),
        (sqlite3.SQLITE_IOERR_SHMSIZE, "the disk is full: make room on it", Text.DISK_FULL),
        (sqlite3.SQLITE_IOERR_READ, "the disk fails: save what is on this memory card", Text.DISK_FAILS),
        (
            sqlite3.SQLITE_READONLY_DBMOVED,
            "`sudo reboard doctor` shows whether rights are missing",
            Text.DISK_READ_ONLY,
        ),
        (sqlite3.SQLITE_MISUSE, "check the disk and its permissions", Text.NO_LEDGER),
    ],
)
def test_disk_errors_become_a_sentence_and_a_display_text(code: int, sentence: str, shown: Text) -> None:
    told, on_display = cause_of(failed_with(code))
    assert sentence in told
    assert told.endswith("(disk I/O error)")
    assert on_display == shown
