from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import pytest

from reboard.accessories.banker_unit import schema
from reboard.accessories.banker_unit.accounts import BANK, CARDS, POT, Account
from reboard.accessories.banker_unit.database import LedgerFile
from reboard.accessories.banker_unit.ledger import Ledger
from tests.reboard.accessories.banker_unit.ledger_calls import START, join, pay, refused

NONE = max(*Account, *CARDS) + 1
"""An account that there is not."""


def test_where_the_edition_allows_it_a_card_may_owe_as_much_as_fits_its_line(ledger: LedgerFile) -> None:
    game = ledger.new_game("debts", START, at=1.0, cards=(1, 2), largest=5000, may_owe=True).id
    pay(ledger, game, 1, 2, START + 500)
    assert ledger.balance(game, 1) == -500
    assert refused(lambda: pay(ledger, game, 1, BANK, 4501)) == "no funds"
    assert ledger.verify() == []


@pytest.mark.parametrize(("from_", "to"), [(1, 1), (1, NONE), (NONE, 1), (BANK, BANK)])
def test_a_transfer_has_two_accounts_that_are_there(ledger: LedgerFile, game: int, from_: int, to: int) -> None:
    with pytest.raises(LookupError, match="cannot save"):
        pay(ledger, game, from_, to, 5)
    assert refused(lambda: pay(ledger, game, POT, 1, 5)) == "pot empty"
    assert len(ledger.transfers(game, 100)) == 2


def test_a_start_and_an_undo_cannot_be_undone(ledger: LedgerFile, game: int) -> None:
    (undone,) = ledger.undo(pay(ledger, game, 1, 2, 200).id, press="c", at=3.0)
    assert refused(lambda: ledger.undo(1, press="d", at=3.0)) == "nothing to undo"
    assert refused(lambda: ledger.undo(undone.id, press="e", at=3.0)) == "nothing to undo"
    assert ledger.last_to_undo(game) is None


def test_a_repeated_press_is_not_rejected(ledger: LedgerFile, game: int) -> None:
    all_of_it = pay(ledger, game, 1, 2, START, press="thumb")
    assert pay(ledger, game, 1, 2, START, press="thumb") == all_of_it, "though nothing is left"
    ledger.new_game("world", 15, at=9.0)
    assert pay(ledger, game, 1, 2, START, press="thumb") == all_of_it, "though the game is over"
    assert ledger.undo(all_of_it.id, press="thumb", at=9.0) == [all_of_it], "though it was something else"


def test_missing_games_cards_and_transfers_raise_lookup_error(ledger: LedgerFile, game: int) -> None:
    for look in (lambda: ledger.balance(game, 7), lambda: ledger.transfer(99), lambda: join(ledger, 99, 1, at=1.0)):
        with pytest.raises(LookupError):
            look()


@pytest.mark.parametrize(
    ("sql", "rule"),
    [
        ("UPDATE transfer SET amount = 1", "never changed"),
        ("DELETE FROM transfer", "never removed"),
        ("INSERT OR REPLACE INTO transfer VALUES (1, 1, 0, 1, 9, 'x', 0, NULL, 'new', NULL)", "never replaced"),
        (
            "INSERT OR REPLACE INTO transfer VALUES (NULL, 1, 0, 1, 9, 'x', 0, NULL, 'start-1-1', NULL)",
            "never replaced",
        ),
        ("INSERT INTO transfer VALUES (NULL, 1, 0, 1, -9, 'x', 0, NULL, 'new', NULL)", "CHECK"),
        ("INSERT INTO transfer VALUES (NULL, 1, 1, 1, 9, 'x', 0, NULL, 'new', NULL)", "CHECK"),
        ("INSERT INTO transfer VALUES (NULL, 1, 0, 1, 9, '', 0, NULL, 'new', NULL)", "CHECK"),
        ("INSERT INTO transfer VALUES (NULL, 1, 0, 1, 9.5, 'x', 0, NULL, 'new', NULL)", "cannot store REAL"),
        ("INSERT INTO transfer VALUES (NULL, 1, 2, 1, 9, 'x', 0, 1, 'new', NULL)", "nothing to undo"),
        ("UPDATE account SET balance = -1 WHERE card = 1", "no funds"),
        ("UPDATE account SET balance = 10001 WHERE card = 1", "too much"),
        ("DELETE FROM account", "never removed"),
        ("INSERT INTO account VALUES (1, 3, 7, 0, 0)", "opens once, and empty"),
        ("INSERT OR REPLACE INTO account VALUES (1, 1, 0, 0, 0)", "opens once, and empty"),
        ("DELETE FROM game", "never removed"),
        ("INSERT OR REPLACE INTO game VALUES (1, 'x', 1, 1, 0, 0, 5)", "never replaced"),
        ("INSERT INTO game VALUES (NULL, 'x', 1, 1, 0, 0, NULL)", "UNIQUE"),
        ("UPDATE game SET start = 3", "only ends or goes on"),
        ("UPDATE game SET start = 3, ended_at = 5", "only ends or goes on"),
        ("UPDATE game SET ended_at = NULL", "only ends or goes on"),
        ("UPDATE account SET retired = 1 WHERE card = 1", "CHECK"),
        ("UPDATE account SET retired = 1 WHERE card = 0", "CHECK"),
        ("INSERT INTO transfer VALUES (NULL, 1, 1, 0, 9, 'bankrupt', 0, NULL, 'new', NULL)", "CHECK"),
    ],
)
def test_the_schema_itself_keeps_the_rules(ledger: LedgerFile, game: int, sql: str, rule: str) -> None:
    with closing(sqlite3.connect(ledger.path)) as somebody_else:
        somebody_else.execute("PRAGMA foreign_keys = ON")
        with pytest.raises(sqlite3.IntegrityError, match=rule):
            somebody_else.execute(sql)
    assert ledger.balances(game) == {1: START, 2: START}
    assert ledger.verify() == []


@pytest.mark.parametrize(
    ("sql", "rule"),
    [
        ("INSERT INTO transfer VALUES (NULL, 1, 0, 1, 9, 'x', 0, NULL, 'new', NULL)", "left"),
        ("INSERT INTO transfer VALUES (NULL, 1, 2, 1, 9, 'x', 0, NULL, 'new', NULL)", "left"),
        ("INSERT INTO transfer VALUES (NULL, 1, 0, 1, 9, 'start', 0, NULL, 'new', NULL)", "left"),
        ("INSERT INTO transfer VALUES (NULL, 1, 0, 1, 1500, 'undo', 0, 3, 'new', 99)", "FOREIGN KEY"),
        ('UPDATE account SET "left" = 0 WHERE card = 1', "left"),
        ('UPDATE account SET "left" = 0, balance = 7 WHERE card = 1', "left"),
        ("UPDATE account SET balance = 7 WHERE card = 1", "CHECK"),
        ("UPDATE account SET retired = 1 WHERE card = 1", "CHECK"),
        ('UPDATE account SET "left" = 1 WHERE card = 0', "CHECK"),
        ("INSERT INTO transfer VALUES (NULL, 1, 2, 0, 9, 'left', 0, NULL, 'new', NULL)", "CHECK"),
    ],
)
def test_the_schema_keeps_a_card_that_left_out(ledger: LedgerFile, game: int, sql: str, rule: str) -> None:
    ledger.leave(game, 1, press="leave", at=2.0)
    with closing(sqlite3.connect(ledger.path)) as somebody_else:
        somebody_else.execute("PRAGMA foreign_keys = ON")
        with pytest.raises(sqlite3.IntegrityError, match=rule):
            somebody_else.execute(sql)
    assert ledger.balances(game) == {1: 0, 2: START}
    assert ledger.verify() == []


def test_a_number_with_a_new_player_keeps_nothing_of_the_old_one(ledger: LedgerFile, game: int) -> None:
    before = pay(ledger, game, 1, 2, 200)
    left = ledger.free(game, 1, known=(), press="free", at=3.0)
    assert left
    join(ledger, game, 1, at=4.0)
    assert ledger.balances(game) == {1: START, 2: START + 200}
    assert ledger.left(game) == frozenset()
    assert refused(lambda: ledger.undo(before.id, press="undo 1", at=5.0)) == "nothing to undo"
    assert refused(lambda: ledger.undo(left.id, press="undo 2", at=5.0)) == "nothing to undo"
    assert ledger.last_to_undo(game) is None
    after = pay(ledger, game, 1, 2, 100)
    assert ledger.last_to_undo(game) == after
    assert [row.undoes for row in ledger.undo(after.id, press="undo", at=6.0)] == [after.id]
    assert ledger.free(game, 1, known=(), press="free again", at=7.0)
    join(ledger, game, 1, at=8.0)
    assert ledger.balances(game) == {1: START, 2: START + 200}
    assert ledger.verify() == []


def test_what_a_bankrupt_card_owes_is_forgiven_by_the_bank(ledger: LedgerFile) -> None:
    debts = ledger.new_game("debts", START, at=1.0, cards=(1, 2), largest=10_000, may_owe=True).id
    pay(ledger, debts, 1, 2, START + 300)
    transfer = ledger.bankrupt(debts, 1, 2, press="b", at=3.0)
    assert transfer is not None
    assert (transfer.from_, transfer.to, transfer.amount, transfer.reason) == (BANK, 1, 300, "bankrupt")
    assert ledger.balances(debts) == {1: 0, 2: 2 * START + 300}
    assert ledger.retired(debts) == {1}
    assert ledger.verify() == []
    ledger.undo(transfer.id, press="u", at=4.0)
    assert ledger.balances(debts) == {1: -300, 2: 2 * START + 300}
    assert ledger.retired(debts) == frozenset()
    assert ledger.verify() == []


@pytest.mark.parametrize(("card", "creditor"), [(9, BANK), (1, 9), (1, 1), (BANK, 1)])
def test_a_bankruptcy_needs_two_accounts_in_the_game(ledger: LedgerFile, game: int, card: int, creditor: int) -> None:
    with pytest.raises(LookupError):
        ledger.bankrupt(game, card, creditor, press="b", at=3.0)
    assert ledger.retired(game) == frozenset()
    assert ledger.balances(game) == {1: START, 2: START}


class _NoRollback(sqlite3.Connection):
    def execute(self, sql: str, values: Any = (), /) -> sqlite3.Cursor:
        if sql == "ROLLBACK":
            raise sqlite3.OperationalError("disk I/O error")
        return super().execute(sql, values)


def test_a_change_after_a_transaction_that_stayed_open_is_not_taken_for_saved() -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None, factory=_NoRollback)) as connection:
        ledger = Ledger(connection)
        schema.migrate(connection)
        (start,) = ledger.new_game("world", 15, at=1.0, cards=(1,)).starts
        assert refused(lambda: ledger.undo(start.id, press="a", at=2.0)) == "nothing to undo"
        assert connection.in_transaction
        with pytest.raises(sqlite3.OperationalError):
            ledger.set_setting("volume", "3")
