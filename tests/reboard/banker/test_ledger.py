"""The ledger's rules, each held by the schema, whoever writes."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from reboard.banker.ledger import BANK, Ledger
from tests.reboard.banker.hand_ledger import START, pay, refused


def test_a_transfer_moves_money_from_one_account_to_another(ledger: Ledger, game: int) -> None:
    transfer = pay(ledger, game, 1, 2, 200)
    assert ledger.balances(game) == {1: 1300, 2: 1700}
    assert transfer.as_json() == {
        "id": 3, "game": 1, "from": 1, "to": 2, "amount": 200, "reason": "test", "at": 2.0, "undoes": None
    }  # fmt: skip
    assert ledger.transfer(3) == transfer
    assert ledger.transfers(game, 2) == [transfer, ledger.transfer(2)]


def test_a_start_is_a_transfer_from_the_bank(ledger: Ledger, game: int) -> None:
    start = ledger.join(game, 3, at=5.0)
    assert start is not None
    assert (start.from_, start.to, start.amount, start.reason, start.at) == (BANK, 3, START, "start", 5.0)
    assert ledger.join(game, 3, at=6.0) is None
    assert ledger.balance(game, 3) == START
    assert ledger.balance(game, BANK) == -3 * START


def test_the_same_press_is_booked_once(ledger: Ledger, game: int) -> None:
    first = pay(ledger, game, 1, 2, 200, press="thumb")
    assert pay(ledger, game, 1, 2, 200, press="thumb") == first
    assert ledger.balances(game) == {1: 1300, 2: 1700}


def test_no_card_falls_below_zero(ledger: Ledger, game: int) -> None:
    assert refused(lambda: pay(ledger, game, 1, 2, START + 1)) == "no funds"
    assert ledger.balances(game) == {1: START, 2: START}
    pay(ledger, game, 1, 2, START)
    assert ledger.balance(game, 1) == 0


def test_where_the_edition_allows_it_a_card_may_owe_as_much_as_fits_its_line(ledger: Ledger) -> None:
    game = ledger.new_game("debts", START, at=1.0, cards=(1, 2), largest=5000, may_owe=True).id
    pay(ledger, game, 1, 2, START + 500)
    assert ledger.balance(game, 1) == -500
    assert refused(lambda: pay(ledger, game, 1, BANK, 4501)) == "no funds"
    assert ledger.verify() == []


def test_no_card_has_more_than_the_largest_balance(ledger: Ledger, game: int) -> None:
    pay(ledger, game, BANK, 1, 8500)
    assert refused(lambda: pay(ledger, game, BANK, 1, 1)) == "too much"
    assert refused(lambda: pay(ledger, game, BANK, 1, 10**30)) == "too much"
    assert ledger.balance(game, 1) == 10_000


@pytest.mark.parametrize("amount", [0, -5])
def test_nothing_and_less_than_nothing_are_not_booked(ledger: Ledger, game: int, amount: int) -> None:
    assert refused(lambda: pay(ledger, game, 1, 2, amount)) == "zero"


@pytest.mark.parametrize(("from_", "to"), [(1, 1), (1, 10), (9, 1), (BANK, BANK)])
def test_a_transfer_has_two_accounts_that_are_there(ledger: Ledger, game: int, from_: int, to: int) -> None:
    with pytest.raises(LookupError, match="cannot book"):
        pay(ledger, game, from_, to, 5)
    assert len(ledger.transfers(game, 100)) == 2


def test_an_undoing_is_the_opposite_and_happens_once(ledger: Ledger, game: int) -> None:
    wrong = pay(ledger, game, 1, 2, 200)
    undone = ledger.undo(wrong.id, press="c", at=3.0)
    assert (undone.from_, undone.to, undone.amount, undone.undoes) == (2, 1, 200, wrong.id)
    assert ledger.undo(wrong.id, press="c", at=3.0) == undone, "the same press"
    assert refused(lambda: ledger.undo(wrong.id, press="another", at=3.0)) == "nothing to undo"
    assert ledger.balances(game) == {1: START, 2: START}


def test_an_undoing_needs_funds_like_any_transfer(ledger: Ledger, game: int) -> None:
    gift = pay(ledger, game, BANK, 1, 100)
    pay(ledger, game, 1, 2, START + 50)
    assert refused(lambda: ledger.undo(gift.id, press="c", at=3.0)) == "no funds"


def test_neither_a_start_nor_an_undoing_is_taken_back(ledger: Ledger, game: int) -> None:
    undone = ledger.undo(pay(ledger, game, 1, 2, 200).id, press="c", at=3.0)
    assert refused(lambda: ledger.undo(1, press="d", at=3.0)) == "nothing to undo"
    assert refused(lambda: ledger.undo(undone.id, press="e", at=3.0)) == "nothing to undo"
    assert ledger.last_to_undo(game) is None


def test_the_last_to_undo_is_the_last_that_still_stands(ledger: Ledger, game: int) -> None:
    first, second = pay(ledger, game, 1, 2, 200), pay(ledger, game, BANK, 1, 5)
    assert ledger.last_to_undo(game) == second
    ledger.undo(second.id, press="c", at=3.0)
    assert ledger.last_to_undo(game) == first


def test_a_new_game_ends_the_old_one_and_keeps_it(ledger: Ledger, game: int) -> None:
    pay(ledger, game, 1, 2, 200)
    new = ledger.new_game("world", 15, at=9.0, cards=(1,))
    assert ledger.game() == ledger.games()[new.id - 1]
    assert [(start.game, start.to, start.amount) for start in new.starts] == [(new.id, 1, 15)]
    assert [(old.id, old.edition, old.ended_at) for old in ledger.games()] == [(1, "nintendo", 9.0), (2, "world", None)]
    assert ledger.balances(game) == {1: 1300, 2: 1700}
    assert ledger.balances(new.id) == {1: 15}
    with pytest.raises(LookupError, match="this game is over"):
        pay(ledger, game, 1, 2, 5, press="late")


def test_a_game_that_was_put_aside_goes_on_where_it_was_left(ledger: Ledger, game: int) -> None:
    pay(ledger, game, 1, 2, 200)
    new = ledger.new_game("world", 15, at=9.0, cards=(1,))
    resumed = ledger.resume(game, at=20.0)
    assert resumed == ledger.game() == ledger.games()[0]
    assert (resumed.id, resumed.started_at, resumed.ended_at) == (game, 1.0, None)
    assert ledger.games()[1].ended_at == 20.0
    pay(ledger, game, 2, 1, 50, press="on it goes")
    assert ledger.balances(game) == {1: 1350, 2: 1650}
    with pytest.raises(LookupError, match="this game is over"):
        pay(ledger, new.id, BANK, 1, 5, press="late")
    assert ledger.verify() == []


def test_going_on_with_the_game_that_is_on_changes_nothing(ledger: Ledger, game: int) -> None:
    assert ledger.resume(game, at=20.0) == ledger.games()[0]
    assert ledger.resume(game, at=30.0).ended_at is None


def test_a_game_that_never_was_cannot_go_on_and_the_one_that_is_on_stays_so(ledger: Ledger, game: int) -> None:
    with pytest.raises(LookupError, match="no game 7"):
        ledger.resume(7, at=20.0)
    on = ledger.game()
    assert on is not None
    assert on.id == game


def test_a_cards_latest_transfers_are_those_to_and_from_it(ledger: Ledger, game: int) -> None:
    paid, gift = pay(ledger, game, 1, 2, 200), pay(ledger, game, BANK, 2, 5)
    got = pay(ledger, game, 2, 1, 7)
    assert ledger.transfers_of(game, 1, 2) == [got, paid]
    assert ledger.transfers_of(game, 2, 100) == [got, gift, paid, ledger.transfer(2)]
    assert ledger.transfers_of(game, BANK, 1) == [gift]
    assert ledger.transfers_of(game, 3, 100) == []
    other = ledger.new_game("world", 15, at=9.0, cards=(1,))
    assert ledger.transfers_of(other.id, 1, 100) == list(other.starts)


def test_a_setting_is_kept_until_it_is_set_again(ledger: Ledger) -> None:
    assert ledger.setting("configured_edition") is None
    ledger.set_setting("configured_edition", "world")
    ledger.set_setting("configured_edition", "nintendo")
    with closing(Ledger(ledger.book.path, read_only=True)) as reader:
        assert reader.setting("configured_edition") == "nintendo"


def test_a_press_that_was_booked_is_not_refused_when_it_comes_again(ledger: Ledger, game: int) -> None:
    all_of_it = pay(ledger, game, 1, 2, START, press="thumb")
    assert pay(ledger, game, 1, 2, START, press="thumb") == all_of_it, "though nothing is left"
    ledger.new_game("world", 15, at=9.0)
    assert pay(ledger, game, 1, 2, START, press="thumb") == all_of_it, "though the game is over"
    assert ledger.undo(all_of_it.id, press="thumb", at=9.0) == all_of_it, "though it was something else"


def test_what_is_not_there_is_said_not_to_be(ledger: Ledger, game: int) -> None:
    for look in (lambda: ledger.balance(game, 7), lambda: ledger.transfer(99), lambda: ledger.join(99, 1, at=1.0)):
        with pytest.raises(LookupError):
            look()


@pytest.mark.parametrize(
    ("sql", "rule"),
    [
        ("UPDATE transfer SET amount = 1", "never changed"),
        ("DELETE FROM transfer", "never removed"),
        ("INSERT OR REPLACE INTO transfer VALUES (1, 1, 0, 1, 9, 'x', 0, NULL, 'new')", "never replaced"),
        ("INSERT OR REPLACE INTO transfer VALUES (NULL, 1, 0, 1, 9, 'x', 0, NULL, 'start-1-1')", "never replaced"),
        ("INSERT INTO transfer VALUES (NULL, 1, 0, 1, -9, 'x', 0, NULL, 'new')", "CHECK"),
        ("INSERT INTO transfer VALUES (NULL, 1, 1, 1, 9, 'x', 0, NULL, 'new')", "CHECK"),
        ("INSERT INTO transfer VALUES (NULL, 1, 0, 1, 9, '', 0, NULL, 'new')", "CHECK"),
        ("INSERT INTO transfer VALUES (NULL, 1, 0, 1, 9.5, 'x', 0, NULL, 'new')", "cannot store REAL"),
        ("INSERT INTO transfer VALUES (NULL, 1, 2, 1, 9, 'x', 0, 1, 'new')", "nothing to undo"),
        ("UPDATE account SET balance = -1 WHERE card = 1", "no funds"),
        ("UPDATE account SET balance = 10001 WHERE card = 1", "too much"),
        ("DELETE FROM account", "never removed"),
        ("INSERT INTO account VALUES (1, 3, 7, 0)", "opens once, and empty"),
        ("INSERT OR REPLACE INTO account VALUES (1, 1, 0, 0)", "opens once, and empty"),
        ("DELETE FROM game", "never removed"),
        ("INSERT OR REPLACE INTO game VALUES (1, 'x', 1, 1, 0, 0, 5)", "never replaced"),
        ("INSERT INTO game VALUES (NULL, 'x', 1, 1, 0, 0, NULL)", "UNIQUE"),
        ("UPDATE game SET start = 3", "only ends or goes on"),
        ("UPDATE game SET start = 3, ended_at = 5", "only ends or goes on"),
        ("UPDATE game SET ended_at = NULL", "only ends or goes on"),
        ("UPDATE account SET retired = 1 WHERE card = 1", "CHECK"),
        ("UPDATE account SET retired = 1 WHERE card = 0", "CHECK"),
        ("INSERT INTO transfer VALUES (NULL, 1, 1, 0, 9, 'bankrupt', 0, NULL, 'new')", "CHECK"),
    ],
)
def test_the_schema_itself_keeps_the_rules(ledger: Ledger, game: int, sql: str, rule: str) -> None:
    with closing(sqlite3.connect(ledger.book.path)) as somebody_else:
        somebody_else.execute("PRAGMA foreign_keys = ON")
        with pytest.raises(sqlite3.IntegrityError, match=rule):
            somebody_else.execute(sql)
    assert ledger.balances(game) == {1: START, 2: START}
    assert ledger.verify() == []


def test_looking_a_balance_up_costs_the_same_in_a_long_game(ledger: Ledger, game: int) -> None:
    def steps() -> int:
        count = 0

        def step() -> int:
            nonlocal count
            count += 1
            return 0

        ledger.book.connection.set_progress_handler(step, 1)
        ledger.balance(game, 1)
        ledger.balances(game)
        ledger.transfers(game, 2)
        ledger.transfers_of(game, 2, 2)
        ledger.transfers_of(game, 3, 2)
        ledger.book.connection.set_progress_handler(None, 0)
        return count

    def play(presses: range) -> None:
        for number in presses:
            pay(ledger, game, *((1, 2) if number % 2 else (2, 1)), 5, press=f"p{number}")

    ledger.join(game, 3, at=1.0)
    play(range(10))
    before = steps()
    play(range(10, 500))
    assert steps() <= before + 2
