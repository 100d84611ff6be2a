"""SQLite databases, on whatever disk they lie."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

OpenDatabase = Callable[[str], sqlite3.Connection]
"""Opens the database that a URI names, for a caller who begins and ends transactions. Raises ``sqlite3.Error``."""


def open_database(uri: str) -> sqlite3.Connection:
    """Open one on this machine's own disk."""
    return sqlite3.connect(uri, uri=True, isolation_level=None)
