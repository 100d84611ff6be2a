"""Migrations of older ledgers."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from reboard.accessories.banker_unit import migrations, schema
from reboard.accessories.banker_unit.accounts import BANK, POT
from reboard.accessories.banker_unit.database import LedgerFile
from reboard.errors import ReboardError
from tests.reboard.accessories.banker_unit.ledger_calls import pay

AN_EVENING = """
INSERT INTO game (edition, start, largest, may_owe, started_at) VALUES ('nintendo', 1500, 99999, 0, 1.0);
INSERT INTO account (game, card) VALUES (1, 0), (1, 1), (1, 2);
INSERT INTO transfer VALUES (1, 1, 0, 1, 1500, 'start', 1.0, NULL, 'start-1-1');
INSERT INTO transfer VALUES (2, 1, 0, 2, 1500, 'start', 1.0, NULL, 'start-1-2');
UPDATE game SET ended_at = 2.0;
INSERT INTO game (edition, start, largest, may_owe, started_at) VALUES ('world', 15000000, 99999000000, 0, 2.0);
INSERT INTO account (game, card) VALUES (2, 0), (2, 1), (2, 2);
INSERT INTO transfer VALUES (3, 2, 0, 1, 15000000, 'start', 2.0, NULL, 'start-2-1');
INSERT INTO transfer VALUES (4, 2, 0, 2, 15000000, 'start', 2.0, NULL, 'start-2-2');
INSERT INTO transfer VALUES (5, 2, 1, 2, 260000, 'players', 3.0, NULL, 'a');
INSERT INTO transfer VALUES (6, 2, 2, 1, 260000, 'undo', 4.0, 5, 'b');
INSERT INTO transfer VALUES (7, 2, 2, 0, 500000, 'paid', 5.0, NULL, 'c');
INSERT INTO deck VALUES ('62E3086CED', 1);
"""
"""Two games, as the first version of reboard kept them."""


@pytest.fixture
def first_version(ledger_file: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    with monkeypatch.context() as patch, closing(sqlite3.connect(ledger_file, isolation_level=None)) as connection:
        patch.setattr(schema, "MIGRATIONS", (migrations.FIRST,))
        schema.migrate(connection)
        connection.executescript(AN_EVENING)
    return ledger_file


@pytest.mark.parametrize(
    ("released", "digest"),
    [
        (migrations.FIRST, "9577abf30fc4ddaca73012adb29beced8b297606d8664d903ef3f4a620223a89"),
        (migrations.SECOND, "c1918cfa670c44423111aa8830db53c9224866569a955e5b2a2ed7e7652ee1fa"),
        (migrations.THIRD, "0f5292615ff98f63cb34afabf301e9d5005758a9a991721124dabed587ee0403"),
    ],
)
def test_released_migrations_are_unchanged(released: str, digest: str) -> None:
    assert hashlib.sha256(released.encode()).hexdigest() == digest


def test_every_version_has_something_of_its_own() -> None:
    assert len(set(schema.contents())) == len(schema.MIGRATIONS) + 1


def test_a_ledger_of_the_first_version_continues(first_version: Path) -> None:
    with pytest.raises(ReboardError, match="older reboard"):
        LedgerFile(first_version, read_only=True)
    with closing(LedgerFile(first_version)) as ledger:
        assert schema.version_of(ledger.connection) == len(schema.MIGRATIONS)
        assert ledger.verify() == []
        assert [game.edition for game in ledger.games()] == ["nintendo", "world"]
        assert ledger.balances(2) == {1: 15_000_000, 2: 14_500_000}
        assert [transfer.id for transfer in ledger.transfers(2, 100)] == [7, 6, 5, 4, 3]
        assert [transfer.id for transfer in ledger.transfers_of(2, 1, 100)] == [6, 5, 3]
        assert ledger.retired(2) == frozenset()
        paid = pay(ledger, 2, BANK, 1, 2_000_000, reason="salary", press="d", at=6.0)
        assert paid.id == 8
        assert ledger.bankrupt(2, 2, 1, press="e", at=7.0)
        assert POT not in ledger.accounts(2)
        pay(ledger, 2, 1, POT, 200_000, reason="pot_paid", press="f", at=7.0)
        assert ledger.accounts(2)[POT] == 200_000
        assert ledger.left(2) == frozenset()
        assert ledger.leave(2, 1, press="g", at=7.0)
        assert ledger.left(2) == {1}
        assert ledger.resume(1, at=8.0).edition == "nintendo"
        assert ledger.verify() == []


def test_a_migrated_ledger_equals_a_new_one(first_version: Path, tmp_path: Path) -> None:
    def everything(file: Path) -> set[tuple[str, str]]:
        with closing(LedgerFile(file)) as ledger:
            rows = ledger.connection.execute("SELECT name, coalesce(sql, '') FROM sqlite_schema")
            return set(rows.fetchall())

    assert everything(first_version) == everything(tmp_path / "new.db")
