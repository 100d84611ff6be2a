"""A copy of the ledger for a backup file, and the check of such a copy."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from reboard.accessories.banker_unit.database import LedgerFile, check_owner
from reboard.accessories.banker_unit.ledger import NAME_SETTING
from reboard.accessories.banker_unit.ledger_errors import cause_of
from reboard.accessories.banker_unit.verify import damage_of
from reboard.board import open_database
from reboard.errors import ReboardError


def copy_of(path: Path) -> bytes:
    """Return the ledger *path* as one SQLite file without the ledger's random name. The table can write it meanwhile.

    Raises `ReboardError` if the ledger is damaged or cannot be read.
    """
    try:
        with closing(LedgerFile(path, read_only=True)) as ledger, closing(open_database(":memory:")) as copy:
            ledger.connection.backup(copy)
            copy.execute("DELETE FROM setting WHERE name = ?", (NAME_SETTING,))
            ((verdict,),) = copy.execute("PRAGMA integrity_check(1)").fetchall()
            if verdict == "ok":
                return copy.serialize()
            problem = f"the ledger is damaged: {verdict}. Restart the table, which restores the newest intact backup"
    except sqlite3.Error as error:
        cause, _ = cause_of(error, path)
        problem = f"the ledger cannot be read: {cause}"
    raise ReboardError(f"{path}: {problem}")


def check_copy(path: Path) -> None:
    """Check that *path* is an intact ledger of this version or an older one. Raises `ReboardError`."""
    try:
        with closing(open_database(f"{path.absolute().as_uri()}?mode=ro")) as connection:
            check_owner(path, connection)
            # a ledger that broke a money rule was in use, and stays so
            problem = damage_of(path, connection, rules=False)
    except sqlite3.Error as error:
        problem = str(error)
    if problem:
        raise ReboardError(f"its ledger is damaged: {problem}")
