"""The ledger keeps its rules in any game, and agrees with a plain dictionary."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

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

from reboard.accessories.banker_unit.accounts import BANK, POT
from reboard.accessories.banker_unit.database import LedgerFile
from reboard.accessories.banker_unit.ledger import Transfer
from reboard.accessories.banker_unit.schema import Move
from reboard.errors import Rejection
from tests.reboard.accessories.banker_unit.ledger_calls import START, pay

LARGEST = 4000


@dataclass
class Played:
    """A game in the model."""

    may_owe: bool
    balances: dict[int, int] = field(default_factory=dict)
    retired: set[int] = field(default_factory=set)
    left: dict[int, Transfer | None] = field(default_factory=dict)
    """The cards that left, each with the transfer of its money to the bank."""
    freed: set[int] = field(default_factory=set)
    transfers: list[Transfer] = field(default_factory=list)
    """What could be taken back, or has been; a start is not among them, nor what was before a card's last start."""

    @property
    def cards(self) -> dict[int, int]:
        return {card: balance for card, balance in self.balances.items() if card != POT}

    def allows(self, from_: int, to: int, amount: int, brings_back: int | None = None) -> bool:
        least = -LARGEST if self.may_owe and from_ != POT else 0
        return (
            not ({from_, to} & (self.retired | self.left.keys()) - {brings_back})
            and (from_ == BANK or self.balances[from_] - amount >= least)
            and (to == BANK or self.balances.get(to, 0) + amount <= LARGEST)
        )

    def forget(self, card: int) -> None:
        """The number is another player's now: what was before is final."""
        final = {id for each in self.transfers if card in (each.from_, each.to) for id in (each.id, each.undoes)}
        self.transfers = [each for each in self.transfers if each.id not in final]

    def act_of(self, wrong: Transfer) -> list[Transfer]:
        return [each for each in self.transfers if each == wrong or (wrong.act and each.act == wrong.act)]

    def move(self, booked: Transfer) -> None:
        self.transfers.append(booked)
        if booked.from_ != BANK:
            self.balances[booked.from_] -= booked.amount
        if booked.to != BANK:
            self.balances[booked.to] = self.balances.get(booked.to, 0) + booked.amount


class AnyGame(RuleBasedStateMachine):
    folder: Path
    numbers = count(1)

    def __init__(self) -> None:
        super().__init__()
        self.ledger = LedgerFile(self.folder / f"{next(self.numbers)}.sqlite3")
        self.games: dict[int, Played] = {}
        self.on = 0
        self.presses = 0

    @property
    def game(self) -> Played:
        return self.games[self.on]

    @property
    def press(self) -> str:
        self.presses += 1
        return f"p{self.presses}"

    @initialize()
    def begin(self) -> None:
        self.new_game(may_owe=False)

    @rule(may_owe=st.booleans())
    def new_game(self, may_owe: bool) -> None:
        self.on = self.ledger.new_game("nintendo", START, at=0.0, largest=LARGEST, may_owe=may_owe).id
        self.games[self.on] = Played(may_owe)

    @rule(data=st.data())
    def resume(self, data: st.DataObject) -> None:
        self.on = self.ledger.resume(data.draw(st.sampled_from(sorted(self.games))), at=0.0).id

    @rule(card=st.integers(1, 3))
    def join(self, card: int) -> None:
        self.ledger.join(self.on, card, press=self.press, at=0.0)
        if card in self.game.freed:
            self.game.freed.remove(card)
            del self.game.left[card]
            self.game.forget(card)
            self.game.balances[card] = START
        elif card in self.game.left:
            self.is_back(card)
        self.game.balances.setdefault(card, START)

    @precondition(lambda self: self.game.left)
    @rule(data=st.data())
    def come_back(self, data: st.DataObject) -> None:
        card = data.draw(st.sampled_from(sorted(self.game.left)))
        try:
            self.ledger.come_back(self.on, card, press=self.press, at=0.0)
        except Rejection:
            assert card in self.game.freed
        else:
            self.is_back(card)

    def is_back(self, card: int) -> None:
        """The card has what it had when it left."""
        self.game.freed.discard(card)
        if wrong := self.game.left.pop(card):
            back = self.ledger.opposite_of(wrong.id)
            assert back
            self.game.move(back)

    @precondition(lambda self: self.game.cards)
    @rule(data=st.data(), frees=st.booleans())
    def leave(self, data: st.DataObject, frees: bool) -> None:
        card = data.draw(st.sampled_from(sorted(self.game.cards)))
        is_out = card in self.game.retired or (card in self.game.left and not frees)
        try:
            if frees:
                moved = self.ledger.free(self.on, card, known=(), press=self.press, at=0.0)
            else:
                moved = self.ledger.leave(self.on, card, press=self.press, at=0.0)
        except Rejection:
            assert is_out
            return
        assert not is_out
        if frees:
            self.game.freed.add(card)
        self.game.left.setdefault(card, moved)
        if moved:
            assert moved.amount == abs(self.game.balances[card])
            self.game.move(moved)

    @precondition(lambda self: self.game.cards)
    @rule(data=st.data(), amount=st.integers(1, 1500), receives=st.booleans())
    def pay_each(self, data: st.DataObject, amount: int, receives: bool) -> None:
        card = data.draw(st.sampled_from(sorted(self.game.cards)))
        out = self.game.retired | self.game.left.keys()
        others = sorted(self.game.cards.keys() - out - {card})
        ends = [(other, card) if receives else (card, other) for other in others]
        if not ends:
            return
        moves = [Move(from_, to, amount, "each") for from_, to in ends]
        total = amount * len(others)
        allowed = card not in out and all(self.game.allows(from_, to, amount) for from_, to in ends)
        allowed = allowed and (self.game.allows(BANK, card, total) if receives else self.game.allows(card, BANK, total))
        try:
            booked = self.ledger.pay_all(self.on, moves, press=self.press, at=0.0)
        except Rejection:
            assert not allowed
        else:
            assert allowed
            assert [(each.from_, each.to) for each in booked] == ends
            for each in booked:
                self.game.move(each)

    @rule(data=st.data(), amount=st.integers(1, 2500))
    def pay(self, data: st.DataObject, amount: int) -> None:
        accounts = [BANK, *sorted(self.game.balances)]
        from_, to = data.draw(st.sampled_from(accounts)), data.draw(st.sampled_from([*accounts, POT]))
        if from_ == to:
            return
        allowed = self.game.allows(from_, to, amount)
        try:
            booked = pay(self.ledger, self.on, from_, to, amount, reason="x", press=self.press, at=0.0)
        except Rejection:
            assert not allowed
        else:
            assert allowed
            self.game.move(booked)

    @precondition(lambda self: self.game.transfers)
    @rule(data=st.data())
    def undo(self, data: st.DataObject) -> None:
        wrong = data.draw(st.sampled_from(self.game.transfers))
        back = (wrong.from_ or wrong.to) if wrong.reason in ("bankrupt", "left") else None
        left = back if wrong.reason == "left" else None
        stands = wrong.undoes is None and all(transfer.undoes != wrong.id for transfer in self.game.transfers)
        act = self.game.act_of(wrong)
        stands = stands and left not in self.game.freed
        allowed = stands and all(self.game.allows(each.to, each.from_, each.amount, brings_back=back) for each in act)
        if wrong.reason == "each_received":
            allowed = allowed and self.game.allows(wrong.to, BANK, wrong.amount * len(act))
        if wrong.reason == "each_paid":
            allowed = allowed and self.game.allows(BANK, wrong.from_, wrong.amount * len(act))
        try:
            booked = self.ledger.undo(wrong.id, press=self.press, at=0.0)
        except Rejection:
            assert not allowed
        else:
            assert allowed
            assert [each.undoes for each in booked] == [each.id for each in act]
            for each in booked:
                self.game.move(each)
            self.game.retired -= {back}
            if left:
                self.game.freed.discard(left)
                del self.game.left[left]

    @precondition(lambda self: self.game.cards)
    @rule(data=st.data())
    def bankrupt(self, data: st.DataObject) -> None:
        card = data.draw(st.sampled_from(sorted(self.game.cards)))
        creditor = data.draw(st.sampled_from([BANK, *sorted(self.game.cards.keys() - {card})]))
        balance = self.game.balances[card]
        from_, to = (card, creditor) if balance > 0 else (BANK, card)
        is_out = card in self.game.retired or card in self.game.left
        allowed = not is_out and (balance == 0 or self.game.allows(from_, to, abs(balance)))
        try:
            booked = self.ledger.bankrupt(self.on, card, creditor, press=self.press, at=0.0)
        except Rejection:
            assert not allowed
        else:
            assert allowed
            self.game.retired.add(card)
            assert (booked is None) == (balance == 0)
            if booked:
                self.game.move(booked)

    @precondition(lambda self: self.game.cards)
    @rule(data=st.data())
    def readmit(self, data: st.DataObject) -> None:
        card = data.draw(st.sampled_from(sorted(self.game.cards)))
        last = self.ledger.transfers_of(self.on, card, 1)[0]
        had_money = last.reason == "bankrupt" and card == (last.from_ or last.to)
        # what a player had whose number is another player's now is final
        is_final = last.id not in [each.id for each in self.game.transfers]
        allowed = not had_money or (
            not is_final and self.game.allows(last.to, last.from_, last.amount, brings_back=card)
        )
        try:
            back = self.ledger.readmit(self.on, card, press=self.press, at=9.0)
        except Rejection:
            assert not allowed
        else:
            assert allowed
            assert (back is not None) == had_money
            if back:
                self.game.move(back)
            self.game.retired.discard(card)

    @invariant()
    def it_is_as_the_model_has_it(self) -> None:
        for number, game in self.games.items():
            assert self.ledger.accounts(number) == {
                account: balance
                for account, balance in game.balances.items()
                if account != BANK and account not in game.freed
            }
            assert self.ledger.retired(number) == game.retired
            assert self.ledger.left(number) == game.left.keys() - game.freed
        on = self.ledger.game()
        assert on is None or on.id == self.on

    @invariant()
    def every_rule_holds(self) -> None:
        assert self.ledger.verify() == []

    def teardown(self) -> None:
        self.ledger.close()


def test_the_ledger_keeps_its_rules_in_any_game(tmp_path: Path) -> None:
    AnyGame.folder = tmp_path
    run_state_machine_as_test(
        AnyGame,
        settings=settings(max_examples=25, stateful_step_count=40, suppress_health_check=list(HealthCheck)),
    )
