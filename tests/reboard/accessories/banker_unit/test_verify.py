"""``verify`` finds changes that bypassed the schema."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reboard.accessories.banker_unit.database import LedgerFile


@pytest.fixture
def forged(ledger_file: Path) -> Iterator[sqlite3.Connection]:
    """A right ledger of three transfers, an undoing and a bankruptcy, open without its triggers and keys."""
    with closing(LedgerFile(ledger_file)) as ledger:
        game = ledger.new_game("nintendo", 1500, at=1.0, cards=(1, 2), largest=9999).id
        ledger.pay(game, 1, 2, 200, reason="players", press="a", at=2.0)
        ledger.undo(3, press="b", at=3.0)
        ledger.bankrupt(game, 2, 1, press="c", at=4.0)
        assert ledger.verify() == []
    with closing(sqlite3.connect(ledger_file, isolation_level=None)) as connection:
        triggers = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("PRAGMA ignore_check_constraints = ON")
        yield connection
        for _, sql in triggers:
            connection.execute(sql)


@pytest.mark.parametrize(
    ("forgery", "told"),
    [
        ("UPDATE account SET balance = balance + 5 WHERE card = 1", "the balances sum to 5 instead of 0"),
        ("UPDATE account SET balance = 1 WHERE card = 1", "card 1: the balance is 1, but its transfers sum to 3000"),
        (
            "UPDATE transfer SET amount = 1600 WHERE id > 2",
            "card 1: the balance was -100 after transfer 3, but must be from",
        ),
        (
            "UPDATE transfer SET amount = 10000 WHERE id = 1",
            "card 1: the balance was 10000 after transfer 1, but must be from",
        ),
        ("UPDATE game SET may_owe = 1; UPDATE transfer SET amount = 20000 WHERE id = 3", "must be from -9999 to 9999"),
        ("UPDATE transfer SET amount = -1600 WHERE id > 2", "transfer 3 moves -1600 from account 1 to account 2"),
        ("UPDATE account SET balance = 5 WHERE card = 2", "card 2: the card is bankrupt, but has 5"),
        ("UPDATE account SET retired = 0", "card 2: the card went bankrupt with transfer 5, but is still in the game"),
        (
            "UPDATE transfer SET amount = 1400 WHERE id = 5",
            "card 2: the card went bankrupt with transfer 5, but kept 100",
        ),
        (
            "INSERT INTO transfer VALUES (6, 1, 0, 2, 5, 'salary', 5.0, NULL, 'd', NULL)",
            "card 2: the card went bankrupt with transfer 5, but took part in transfer 6 afterwards",
        ),
        (
            "INSERT INTO transfer VALUES (6, 1, 0, 2, 5, 'x', 5.0, NULL, 'd', NULL);"
            "INSERT INTO transfer VALUES (7, 1, 1, 2, 5, 'undo', 5.0, 5, 'e', NULL)",
            "card 2: the card went bankrupt with transfer 5, but took part in transfer 6 afterwards",
        ),
        ("UPDATE transfer SET amount = 199 WHERE id = 4", "transfer 4 is not the opposite of transfer 3"),
        ("UPDATE transfer SET undoes = 2 WHERE id = 4", "transfer 4 is not the opposite of transfer 2"),
        (
            "INSERT INTO account (game, card) VALUES (1, 9);"
            "INSERT INTO transfer VALUES (6, 1, 0, 9, 1500, 'start', 5.0, NULL, 'd', NULL)",
            "transfer 6 has the reason start, which is only for players",
        ),
        (
            "UPDATE game SET may_owe = 1; INSERT INTO account (game, card) VALUES (1, 9);"
            "INSERT INTO transfer VALUES (6, 1, 9, 1, 5, 'pot_taken', 5.0, NULL, 'd', NULL)",
            "card 9: the balance was -5 after transfer 6, but must be from 0 to 9999",
        ),
        ("INSERT INTO account (game, card, retired) VALUES (1, 9, 1)", "game 1: the pot is marked as bankrupt"),
        ("DELETE FROM transfer WHERE id = 4", "missing transfers: 1 of 5"),
        ("DELETE FROM transfer WHERE id = 2", "missing transfers: 1 of 5"),
        ("DELETE FROM game", "a row of the table account refers to a missing row of the table game"),
        ("DROP INDEX one_game_at_a_time; INSERT INTO game VALUES (NULL,'x',1,1,0,0,NULL)", "2 games are current"),
    ],
)
def test_each_forgery_is_found(forged: sqlite3.Connection, ledger_file: Path, forgery: str, told: str) -> None:
    forged.executescript(forgery)
    with closing(LedgerFile(ledger_file, read_only=True)) as ledger:
        assert any(told in problem for problem in ledger.verify()), ledger.verify()


def test_a_rule_that_was_taken_out_is_missed(forged: sqlite3.Connection, ledger_file: Path) -> None:
    with closing(LedgerFile(ledger_file, read_only=True)) as ledger:
        assert "a rule is missing or was changed: transfer_is_never_changed" in ledger.verify()
