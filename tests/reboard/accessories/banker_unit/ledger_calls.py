"""Payments and cards in tests of the ledger."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from reboard.accessories.banker_unit.ledger import Ledger, Transfer
from reboard.errors import Rejection

START = 1500
PAGE = 4096


def pay(ledger: Ledger, game: int, from_: int, to: int, amount: int, press: str = "") -> Transfer:
    press = press or f"press-{game}-{len(ledger.transfers(game, 10_000))}"
    return ledger.pay(game, from_, to, amount, reason="test", press=press, at=2.0)


def join(ledger: Ledger, game: int, card: int, *, at: float) -> Transfer | None:
    tags = [f"C{number}" for number in range(1, 9)]
    return ledger.admit(game, f"C{card}", known=tags, most=8, press=f"join-{card}-{at}", at=at).transfer


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
