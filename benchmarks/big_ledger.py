"""Ledgers as long as one likes, made in seconds and kept for the next time."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path

from reboard.banker import schema

KEPT_IN = Path(__file__).resolve().parents[1] / "build" / "ledgers"

CARDS = 6

FILL = f"""
INSERT INTO game (edition, start, largest, may_owe, started_at) VALUES ('world', 15000000, 99999000000, 0, 0.0);
INSERT INTO account (game, card) WITH RECURSIVE n (card) AS (SELECT 0 UNION ALL SELECT card + 1 FROM n
    WHERE card < {CARDS}) SELECT 1, card FROM n;
INSERT INTO transfer WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < :transfers)
    SELECT id, 1, CASE WHEN id <= {CARDS} THEN 0 ELSE id % {CARDS + 1} END,
        CASE WHEN id <= {CARDS} THEN id ELSE (id + 1) % {CARDS + 1} END,
        CASE WHEN id <= {CARDS} THEN 15000000 ELSE 260000 END,
        CASE WHEN id <= {CARDS} THEN 'start' ELSE 'players' END,
        id * 40.0, NULL, '5f2c8e0d7b9a4e63a1c4d2f08b6e9d17-' || id FROM n;
UPDATE account SET balance =
    (SELECT sum(CASE card WHEN "to" THEN amount ELSE -amount END) FROM transfer WHERE card IN ("from", "to"));
"""
"""One endless game in which the bank and six cards pay each other in turn."""


def ledger_of(transfers: int) -> Path:
    """A ledger with so many *transfers*, at least 100, that keeps every rule; its one game has number 1."""
    digest = hashlib.sha256("".join((*schema.MIGRATIONS, FILL)).encode()).hexdigest()[:12]
    path = KEPT_IN / f"{transfers}-{digest}.db"
    if not path.exists():
        KEPT_IN.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(".unfinished")
        unfinished.unlink(missing_ok=True)
        _fill(unfinished, transfers)
        unfinished.rename(path)
    return path


def _fill(path: Path, transfers: int) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        schema.migrate(connection)
        # the rules would look at every row; they are put back, and the bench verifies what they would have said
        rules = connection.execute(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' OR (type = 'index' AND sql IS NOT NULL)"
        ).fetchall()
        for name, sql in rules:
            connection.execute(f"DROP {sql.split()[1].replace('UNIQUE', 'INDEX')} {name}")
        for statement in FILL.split(";\n")[:-1]:
            connection.execute(statement, {"transfers": transfers} if ":transfers" in statement else {})
        for _, sql in rules:
            connection.execute(sql)
