"""Deletes a table, or a player's name, from a hall's store. The hall may be using the store meanwhile."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from reboard.accessories.banker_unit.player_names import folded
from reboard.hall.games import GameReader
from reboard.hall.store import ADDED, APPLICATION_ID, BUSY_S, FOREIGN, StoreError, store_errors, stored
from reboard.sqlite_connection import Connection
from reboard.vocabulary.shared import NAME

TABLES = ("transfer", "chain", "game", "seat", "last_state")
"""The tables of the file that have rows of a table of the hall."""


def remove_table(file: Path, name: str) -> int:
    """Delete all rows of the table *name* in the store *file*, and ignore its messages from now on.

    Return the number of games. Raises `StoreError`.
    """
    with _changing(file) as connection:
        games = int(connection.execute("SELECT count(*) FROM game WHERE table_name = ?", (name,)).fetchone()[0])
        deleted = sum(
            connection.execute(f"DELETE FROM {each} WHERE table_name = ?", (name,)).rowcount for each in TABLES
        )
        if not deleted:
            raise StoreError(f"{file} has no table {name!r}: the page of the hall shows the names")
        connection.execute("INSERT INTO removed VALUES (?) ON CONFLICT DO NOTHING", (name,))
    return games


def bring_back_table(file: Path, name: str) -> None:
    """Let the store *file* take messages of the removed table *name* again. Raises `StoreError`."""
    with _changing(file) as connection:
        if not connection.execute("DELETE FROM removed WHERE table_name = ?", (name,)).rowcount:
            removed = ", ".join(sorted(GameReader(connection).removed())) or "none"
            raise StoreError(f"the table {name!r} was not removed from {file}. Removed tables: {removed}")


def forget_player(file: Path, name: str) -> int:
    """Delete the player's *name*, in capitals or not, from the store *file*, which keeps the games.

    Return the number of games. Raises `StoreError`.
    """
    wanted = folded(name)

    def without(entry: dict[str, Any]) -> dict[str, Any]:
        return {**entry, NAME: ""} if folded(str(entry.get(NAME))) == wanted else entry

    with _changing(file) as connection:
        connection.create_function("folded", 1, lambda text: text and folded(text))
        connection.create_function("without", 1, lambda state: stored(json.loads(state, object_hook=without)))
        games = connection.execute("UPDATE seat SET name = NULL WHERE folded(name) = ?", (wanted,)).rowcount
        connection.execute("UPDATE last_state SET state = without(state)")
    with store_errors(file), closing(sqlite3.connect(file, timeout=BUSY_S, factory=Connection)) as connection:
        # the name is also in pages and in a log that SQLite does not use any more
        connection.execute("VACUUM")
        is_read, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if is_read:
            raise StoreError(f"{file}: the hall is reading it, so that its log still has the name: try again")
    return games


@contextmanager
def _changing(file: Path) -> Iterator[sqlite3.Connection]:
    """Open an existing store for one transaction beside the hall that uses it. Raises `StoreError`."""
    with store_errors(file):
        if not file.is_file():
            raise StoreError(f"{file} does not exist: name the file of the hall with --store")
        with closing(sqlite3.connect(file, timeout=BUSY_S, isolation_level=None, factory=Connection)) as connection:
            if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
                raise StoreError(FOREIGN.format(file=file))
            connection.executescript(ADDED)
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            connection.execute("COMMIT")
