"""The ledger's rules, each held by the schema, whoever writes."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from reboard.banker.ledger import BANK, Ledger, Transfer
from reboard.refusal import Refusal

START = 1500


@pytest.fixture
def ledger(ledger_file: Path) -> Iterator[Ledger]:
    with closing(Ledger(ledger_file)) as ledger:
        yield ledger


@pytest.fixture
def game(ledger: Ledger) -> int:
    return ledger.new_game("nintendo", START, at=1.0, cards=(1, 2), largest=10_000).id


def pay(ledger: Ledger, game: int, from_: int, to: int, amount: int, press: str = "") -> Transfer:
    press = press or f"press-{len(ledger.transfers(game, 10_000))}"
    return ledger.pay(game, from_, to, amount, reason="test", press=press, at=2.0)


def refused(call: Callable[[], object]) -> str:
    with pytest.raises(Refusal) as refusal:
        call()
    return refusal.value.why


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


@pytest.mark.parametrize(("from_", "to"), [(1, 1), (1, 9), (9, 1), (BANK, BANK)])
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
        ("INSERT INTO account VALUES (1, 3, 7)", "opens once, and empty"),
        ("INSERT OR REPLACE INTO account VALUES (1, 1, 0)", "opens once, and empty"),
        ("DELETE FROM game", "never removed"),
        ("INSERT OR REPLACE INTO game VALUES (1, 'x', 1, 1, 0, 0, 5)", "never replaced"),
        ("INSERT INTO game VALUES (NULL, 'x', 1, 1, 0, 0, NULL)", "UNIQUE"),
        ("UPDATE game SET start = 3", "only ends"),
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
        ledger.book.connection.set_progress_handler(None, 0)
        return count

    before = steps()
    for number in range(500):
        pay(ledger, game, *((1, 2) if number % 2 else (2, 1)), 5, press=f"p{number}")
    assert steps() <= before + 2


class AnyGame(RuleBasedStateMachine):
    """Whatever is booked, undone or refused, in whatever order: the ledger says what a plain dictionary says."""

    def __init__(self) -> None:
        super().__init__()
        self.ledger = Ledger(self.folder / f"{id(self)}.sqlite3")
        self.model: dict[int, dict[int, int]] = {}
        self.transfers: list[Transfer] = []
        self.game = 0
        self.presses = 0

    folder: Path

    @initialize()
    def begin(self) -> None:
        self.new_game()

    @rule()
    def new_game(self) -> None:
        self.game = self.ledger.new_game("nintendo", START, at=0.0, largest=4000).id
        self.model[self.game] = {}
        self.transfers = []

    @rule(card=st.integers(1, 3))
    def join(self, card: int) -> None:
        self.ledger.join(self.game, card, at=0.0)
        self.model[self.game].setdefault(card, START)

    @rule(data=st.data(), amount=st.integers(1, 2500))
    def pay(self, data: st.DataObject, amount: int) -> None:
        accounts = [BANK, *self.model[self.game]]
        from_, to = data.draw(st.sampled_from(accounts)), data.draw(st.sampled_from(accounts))
        if from_ == to:
            return
        self._try(from_, to, amount, None)

    @precondition(lambda self: self.transfers)
    @rule(data=st.data())
    def undo(self, data: st.DataObject) -> None:
        wrong = data.draw(st.sampled_from(self.transfers))
        self._try(wrong.to, wrong.from_, wrong.amount, wrong)

    def _try(self, from_: int, to: int, amount: int, wrong: Transfer | None) -> None:
        balances = self.model[self.game]
        self.presses += 1
        press = f"p{self.presses}"
        done_before = wrong is not None and any(transfer.undoes == wrong.id for transfer in self.transfers)
        allowed = (
            not (done_before or (wrong is not None and wrong.undoes is not None))
            and (from_ == BANK or balances[from_] >= amount)
            and (to == BANK or balances[to] + amount <= 4000)
        )
        try:
            if wrong:
                booked = self.ledger.undo(wrong.id, press=press, at=0.0)
            else:
                booked = self.ledger.pay(self.game, from_, to, amount, reason="x", press=press, at=0.0)
        except Refusal:
            assert not allowed
            return
        assert allowed
        self.transfers.append(booked)
        if from_ != BANK:
            balances[from_] -= amount
        if to != BANK:
            balances[to] += amount

    @invariant()
    def balances_are_the_models(self) -> None:
        for game, balances in self.model.items():
            assert self.ledger.balances(game) == balances

    @invariant()
    def every_rule_holds(self) -> None:
        assert self.ledger.verify() == []

    def teardown(self) -> None:
        self.ledger.close()


def test_the_ledger_keeps_its_rules_in_any_game(tmp_path: Path) -> None:
    AnyGame.folder = tmp_path
    run_state_machine_as_test(
        AnyGame,
        settings=settings(
            max_examples=25, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
