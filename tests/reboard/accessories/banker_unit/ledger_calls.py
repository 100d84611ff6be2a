"""Payments and cards in tests of the ledger."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from reboard.accessories.banker_unit.database import LedgerFile
from reboard.accessories.banker_unit.ledger import Ledger, Transfer
from reboard.accessories.banker_unit.schema import Move
from reboard.errors import Rejection

START = 1500
PAGE = 4096


def pay(
    ledger: Ledger,
    game: int,
    from_: int,
    to: int,
    amount: int,
    *,
    reason: str = "test",
    press: str = "",
    at: float = 2.0,
) -> Transfer:
    press = press or f"press-{game}-{len(ledger.transfers(game, 10_000))}"
    (transfer,) = ledger.pay_all(game, [Move(from_, to, amount, reason)], press=press, at=at)
    return transfer


def join(ledger: Ledger, game: int, card: int, *, at: float) -> Transfer | None:
    tags = [f"C{number}" for number in range(1, 9)]
    return ledger.admit(game, f"C{card}", known=tags, most=8, press=f"join-{card}-{at}", at=at).transfer


def back_up(ledger: LedgerFile) -> None:
    """Make a backup on this thread, if anything has changed since the last one."""
    if make := ledger.start_backup():
        make()


def refused(call: Callable[[], object]) -> str:
    with pytest.raises(Rejection) as rejection:
        call()
    return rejection.value.why


def damage_page(file: Path) -> None:
    """Overwrite the first page of the transfers."""
    with closing(sqlite3.connect(file)) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'transfer'").fetchone()
    with file.open("r+b") as raw:
        raw.seek((page - 1) * PAGE)
        raw.write(random.Random(1).randbytes(PAGE))
