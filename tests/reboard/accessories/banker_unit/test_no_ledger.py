from __future__ import annotations

import sqlite3

import pytest

from reboard.accessories.banker_unit.ledger_errors import Cause, cause_of


def failed_with(code: int) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("code", "sentence", "cause"),
    [
        (sqlite3.SQLITE_FULL, "the disk is full: make room on it", Cause.DISK_FULL),
        (sqlite3.SQLITE_IOERR_SHMSIZE, "the disk is full: make room on it", Cause.DISK_FULL),
        (sqlite3.SQLITE_IOERR_READ, "the disk fails: save what is on this memory card", Cause.DISK_FAILS),
        (
            sqlite3.SQLITE_READONLY_DBMOVED,
            "`sudo reboard doctor` shows whether rights are missing",
            Cause.DISK_READ_ONLY,
        ),
        (sqlite3.SQLITE_MISUSE, "look at the disk and its rights", Cause.OTHER),
    ],
)
def test_disk_errors_become_a_sentence_and_a_cause(code: int, sentence: str, cause: Cause) -> None:
    told, why = cause_of(failed_with(code))
    assert sentence in told
    assert told.endswith("(disk I/O error)")
    assert why is cause
