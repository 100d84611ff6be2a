"""The ledger's file, as somebody reads it who has never heard of the code that wrote it."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.soak.books import Move

Moves = list[tuple[int, int, Move]]


@dataclass(frozen=True)
class OnDisk:
    """All that the file says of money."""

    editions: dict[int, str]
    on: int
    accounts: dict[tuple[int, int], tuple[int, bool]]
    """By game and card: the balance, and whether it retired."""
    moves: Moves


def read_in_place(ledger: Path, after: int) -> OnDisk:
    """What is in the file while somebody has it open; transfers only *after* that number."""
    with closing(sqlite3.connect(f"{ledger.as_uri()}?mode=ro", uri=True, isolation_level=None)) as reader:
        return _read(reader, after)


def read_copy(ledger: Path) -> OnDisk:
    """What is in the file that somebody left; it stays as it is, its log too."""
    with tempfile.TemporaryDirectory(dir=ledger.parent) as folder:
        for suffix in ("", "-wal"):
            if (file := ledger.with_name(ledger.name + suffix)).exists():
                shutil.copy(file, folder)
        with closing(sqlite3.connect(Path(folder) / ledger.name)) as reader:
            return _read(reader, 0)


def _read(reader: sqlite3.Connection, after: int) -> OnDisk:
    if not reader.execute("SELECT 1 FROM sqlite_master WHERE name = 'game'").fetchone():
        return OnDisk({}, 0, {}, [])
    games = reader.execute("SELECT id, edition, ended_at FROM game").fetchall()
    accounts = reader.execute("SELECT game, card, balance, retired FROM account")
    moves = reader.execute(
        'SELECT id, game, "from", "to", amount, reason, undoes FROM transfer WHERE id > ? ORDER BY id', (after,)
    )
    return OnDisk(
        {number: edition for number, edition, _ in games},
        next((number for number, _, ended_at in games if ended_at is None), 0),
        {(game, card): (balance, bool(retired)) for game, card, balance, retired in accounts},
        [_move(*row) for row in moves],
    )


def _move(number: int, game: int, *row: Any) -> tuple[int, int, Move]:
    return number, game, Move(*row)
