"""The ledger's last rows, as they stand in its file."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from reboard.banker.no_ledger import cause_of
from reboard.database import open_database

SHOWN = 100
"""How many of the latest rows are read."""

COLUMNS = ("id", "game", "from", "to", "amount", "reason", "at", "undoes", "press")


def last_rows(file: Path) -> dict[str, Any]:
    """The columns, the latest rows, newest first, and if they cannot be read, the problem, in a sentence."""
    columns = ", ".join(f'"{column}"' for column in COLUMNS)
    rows: list[list[Any]] = []
    problem = None
    try:
        with closing(open_database(f"{file.resolve().as_uri()}?mode=ro")) as connection:
            # one letter that is damaged hides no row
            connection.text_factory = lambda raw: raw.decode(errors="replace")
            rows = [
                list(row)
                for row in connection.execute(f"SELECT {columns} FROM transfer ORDER BY id DESC LIMIT {SHOWN}")
            ]
    except sqlite3.Error as error:
        problem = cause_of(error)[0] if file.exists() else "there is no ledger yet: it begins with the first game"
    return {"columns": COLUMNS, "rows": rows, "problem": problem}
