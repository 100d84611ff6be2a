"""``verify`` finds changes that bypassed the schema."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reboard.accessories.banker_unit.database import LedgerFile
from reboard.accessories.banker_unit.ledger import Ledger
from reboard.accessories.banker_unit.schema import Move
from tests.reboard.accessories.banker_unit.ledger_calls import pay


def an_undo_and_a_bankruptcy(ledger: Ledger) -> None:
    game = ledger.new_game("nintendo", 1500, at=1.0, cards=(1, 2), largest=9999).id
    pay(ledger, game, 1, 2, 200, reason="players", press="a", at=2.0)
    ledger.undo(3, press="b", at=3.0)
    ledger.bankrupt(game, 2, 1, press="c", at=4.0)


def cards_that_leave_and_an_act(ledger: Ledger) -> None:
    """Transfers 4 and 5 are an act, 6 is of card 3 that leaves, 7 of another player with number 3, 8 of its leaving."""
    game = ledger.new_game("nintendo", 1500, at=1.0, cards=(1, 2, 3), largest=9999).id
    ledger.pay_all(game, [Move(1, 2, 50, "each_paid"), Move(1, 3, 50, "each_paid")], press="a", at=2.0)
    ledger.free(game, 3, known=(), press="b", at=3.0)
    ledger.join(game, 3, press="c", at=4.0)
    ledger.leave(game, 3, press="d", at=5.0)


@pytest.fixture(params=[an_undo_and_a_bankruptcy])
def forged(request: pytest.FixtureRequest, ledger_file: Path) -> Iterator[sqlite3.Connection]:
    """A right ledger, open without its triggers and keys."""
    with closing(LedgerFile(ledger_file)) as ledger:
        request.param(ledger)
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


@pytest.mark.parametrize("forged", [cards_that_leave_and_an_act], indirect=True)
@pytest.mark.parametrize(
    ("forgery", "told"),
    [
        ("UPDATE account SET balance = 5 WHERE card = 3", "card 3: the card left, but has 5 instead of 0"),
        ('UPDATE account SET "left" = 1 WHERE card = 0', "account 0: it is marked as a card that left, but it is"),
        ('UPDATE account SET "left" = 0', "card 3: the card left with transfer 8, but is still in the game"),
        ("UPDATE transfer SET amount = 1400 WHERE id = 8", "card 3: the card left with transfer 8, but kept 100"),
        ("UPDATE transfer SET amount = 1400 WHERE id = 6", "card 3: the card left with transfer 6, but kept 150"),
        (
            "INSERT INTO transfer VALUES (9, 1, 0, 3, 5, 'salary', 5.0, NULL, 'e', NULL)",
            "card 3: the card left with transfer 8, but took part in transfer 9 afterwards",
        ),
        (
            "INSERT INTO transfer VALUES (9, 1, 3, 1, 50, 'undo', 5.0, 5, 'e', NULL)",
            "transfer 9 undoes transfer 5, but a new player has the number of card 3 since",
        ),
        (
            "INSERT INTO transfer VALUES (9, 1, 2, 1, 50, 'undo', 5.0, 4, 'e', NULL)",
            "the act of transfer 4 is undone only in part: 1 of 2 transfers",
        ),
        (
            "UPDATE transfer SET act = 5",
            "transfer 4 belongs to the act of transfer 5, which does not begin an act before",
        ),
        ("UPDATE transfer SET act = 1 WHERE id = 5", "transfer 5 belongs to the act of transfer 1"),
        ('UPDATE transfer SET "to" = 9 WHERE id = 6', "transfer 6 has the reason left, which is only for players"),
    ],
)
def test_each_forgery_of_cards_that_left_or_of_an_act_is_found(
    forged: sqlite3.Connection, ledger_file: Path, forgery: str, told: str
) -> None:
    test_each_forgery_is_found(forged, ledger_file, forgery, told)


def test_a_rule_that_was_taken_out_is_missed(forged: sqlite3.Connection, ledger_file: Path) -> None:
    with closing(LedgerFile(ledger_file, read_only=True)) as ledger:
        assert "a rule is missing or was changed: transfer_is_never_changed" in ledger.verify()
