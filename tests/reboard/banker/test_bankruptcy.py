"""All that is left goes to a creditor, and the card is out of the game."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from reboard.banker.leaves import rows_of
from reboard.banker.ledger import BANK, Ledger
from tests.reboard.banker.hand_ledger import START, pay, refused


@pytest.fixture
def debts(ledger: Ledger) -> int:
    """A game in which players may owe."""
    return ledger.new_game("debts", START, at=1.0, cards=(1, 2), largest=10_000, may_owe=True).id


@pytest.mark.parametrize("creditor", [BANK, 2])
def test_all_that_a_bankrupt_card_has_goes_to_its_creditor(ledger: Ledger, game: int, creditor: int) -> None:
    before = ledger.balance(game, creditor)
    transfer = ledger.bankrupt(game, 1, creditor, press="b", at=3.0)
    assert transfer is not None
    assert (transfer.from_, transfer.to, transfer.amount, transfer.reason) == (1, creditor, START, "bankrupt")
    assert ledger.transfer(transfer.id) == transfer
    assert ledger.balance(game, 1) == 0
    assert ledger.balance(game, creditor) == before + START
    assert ledger.retired(game) == {1}
    assert ledger.verify() == []


def test_who_went_bankrupt_takes_part_in_nothing(ledger: Ledger, game: int) -> None:
    earlier = pay(ledger, game, BANK, 1, 5)
    ledger.bankrupt(game, 1, 2, press="b", at=3.0)
    assert refused(lambda: pay(ledger, game, BANK, 1, 5)) == "bankrupt"
    assert refused(lambda: pay(ledger, game, 1, BANK, 5)) == "bankrupt"
    assert refused(lambda: pay(ledger, game, 2, 1, 5)) == "bankrupt"
    assert refused(lambda: ledger.undo(earlier.id, press="u", at=4.0)) == "bankrupt"
    assert refused(lambda: ledger.bankrupt(game, 1, BANK, press="again", at=4.0)) == "bankrupt"
    assert refused(lambda: ledger.bankrupt(game, 2, 1, press="to who is out", at=4.0)) == "bankrupt"
    assert ledger.join(game, 1, at=4.0) is None
    assert ledger.balances(game) == {1: 0, 2: 2 * START + 5}


def test_a_bankruptcy_happens_once_a_press(ledger: Ledger, game: int) -> None:
    transfer = ledger.bankrupt(game, 1, 2, press="b", at=3.0)
    assert ledger.bankrupt(game, 1, 2, press="b", at=3.0) == transfer
    assert ledger.balances(game) == {1: 0, 2: 2 * START}


@pytest.mark.parametrize("creditor", [BANK, 2])
def test_a_bankruptcy_taken_back_brings_the_card_back_with_its_money(ledger: Ledger, game: int, creditor: int) -> None:
    for press in ("once", "and again"):
        transfer = ledger.bankrupt(game, 1, creditor, press=press, at=3.0)
        assert transfer is not None
        assert ledger.last_to_undo(game) == transfer
        ledger.undo(transfer.id, press=f"{press}, undone", at=4.0)
        assert ledger.retired(game) == frozenset()
        assert ledger.balances(game) == {1: START, 2: START}
        pay(ledger, game, 1, 2, 5, press=f"{press}, playing")
        pay(ledger, game, 2, 1, 5, press=f"{press}, playing on")
        assert refused(partial(ledger.undo, transfer.id, press="twice", at=4.0)) == "nothing to undo"
    assert ledger.verify() == []


def test_a_bankruptcy_is_not_taken_back_from_who_is_out_too(ledger: Ledger, game: int) -> None:
    first = ledger.bankrupt(game, 1, 2, press="b", at=3.0)
    assert first is not None
    second = ledger.bankrupt(game, 2, BANK, press="c", at=4.0)
    assert second is not None
    assert refused(lambda: ledger.undo(first.id, press="u", at=5.0)) == "bankrupt"
    ledger.undo(second.id, press="v", at=5.0)
    ledger.undo(first.id, press="u", at=5.0)
    assert ledger.balances(game) == {1: START, 2: START}
    assert ledger.verify() == []


def test_a_creditor_who_has_spent_it_cannot_give_it_back(ledger: Ledger, game: int) -> None:
    transfer = ledger.bankrupt(game, 1, 2, press="b", at=3.0)
    assert transfer is not None
    pay(ledger, game, 2, BANK, 2 * START)
    assert refused(lambda: ledger.undo(transfer.id, press="u", at=4.0)) == "no funds"
    assert ledger.retired(game) == {1}


def test_a_card_with_nothing_is_out_without_a_transfer_and_comes_back_without_one(ledger: Ledger, game: int) -> None:
    pay(ledger, game, 1, 2, START)
    assert ledger.bankrupt(game, 1, 2, press="b", at=3.0) is None
    assert refused(lambda: pay(ledger, game, BANK, 1, 5)) == "bankrupt"
    ledger.readmit(game, 1)
    ledger.readmit(game, 1)
    assert ledger.retired(game) == frozenset()
    pay(ledger, game, BANK, 1, 5)
    assert ledger.verify() == []


def test_a_card_that_had_something_comes_back_only_with_it(ledger: Ledger, game: int) -> None:
    ledger.bankrupt(game, 1, 2, press="b", at=3.0)
    assert refused(lambda: ledger.readmit(game, 1)) == "bankrupt"
    assert ledger.retired(game) == {1}


def test_what_a_bankrupt_card_owes_is_forgiven_by_the_bank(ledger: Ledger, debts: int) -> None:
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


def test_more_than_a_creditor_can_have_moves_nothing_and_nobody_is_out(ledger: Ledger, game: int) -> None:
    pay(ledger, game, BANK, 2, 10_000 - START)
    assert refused(lambda: ledger.bankrupt(game, 1, 2, press="b", at=3.0)) == "too much"
    assert ledger.retired(game) == frozenset()


@pytest.mark.parametrize(("card", "creditor"), [(9, BANK), (1, 9), (1, 1), (BANK, 1)])
def test_a_bankruptcy_is_between_a_card_and_somebody_else_in_the_game(
    ledger: Ledger, game: int, card: int, creditor: int
) -> None:
    with pytest.raises(LookupError):
        ledger.bankrupt(game, card, creditor, press="b", at=3.0)
    assert ledger.retired(game) == frozenset()
    assert ledger.balances(game) == {1: START, 2: START}


def test_the_bank_is_never_out_of_the_game(ledger: Ledger) -> None:
    nobody_plays = ledger.new_game("nintendo", START, at=1.0).id
    with pytest.raises(LookupError, match="CHECK"):
        ledger.bankrupt(nobody_plays, BANK, 1, press="b", at=3.0)


def test_in_a_game_that_is_over_nobody_leaves_or_comes_back(ledger: Ledger, game: int) -> None:
    pay(ledger, game, 1, 2, START)
    ledger.bankrupt(game, 1, 2, press="b", at=3.0)
    ledger.new_game("nintendo", START, at=5.0, cards=(1, 2))
    with pytest.raises(LookupError, match="this game is over"):
        ledger.readmit(game, 1)
    with pytest.raises(LookupError, match="this game is over"):
        ledger.bankrupt(game, 2, BANK, press="c", at=6.0)
    with pytest.raises(LookupError, match="no account"):
        ledger.readmit(game, 7)


def test_in_the_next_game_everybody_plays_again(ledger: Ledger, game: int) -> None:
    ledger.bankrupt(game, 1, 2, press="b", at=3.0)
    new = ledger.new_game("nintendo", START, at=5.0, cards=(1, 2)).id
    assert ledger.retired(new) == frozenset()
    assert ledger.retired(game) == {1}
    ledger.resume(game, at=6.0)
    assert refused(lambda: pay(ledger, game, 2, 1, 5)) == "bankrupt"


PAGE = 4096
ROUNDS = 200
"""So many transfers fill more than a page, so that one can be lost without the others."""


def lose_the_page_of(file: Path, transfer: int) -> None:
    data = bytearray(file.read_bytes())
    for place in range(PAGE, len(data), PAGE):
        if any(number == transfer and len(row) == 9 for number, row in rows_of(bytes(data[place : place + PAGE]))):
            data[place : place + PAGE] = bytes(PAGE)
    file.write_bytes(data)


@pytest.mark.parametrize("plays_on", [True, False])
def test_who_was_brought_back_has_everything_when_that_is_lost_on_a_damaged_page(
    ledger_file: Path, plays_on: bool
) -> None:
    with closing(Ledger(ledger_file)) as ledger:
        game = ledger.new_game("nintendo", START, at=1.0, cards=(1, 2), largest=99_999).id
        bankruptcy = ledger.bankrupt(game, 1, 2, press="b", at=3.0)
        assert bankruptcy is not None
        for number in range(ROUNDS):
            pay(ledger, game, BANK, 2, 5, press=f"before-{number}")
        undoing = ledger.undo(bankruptcy.id, press="u", at=4.0)
        for number in range(ROUNDS):
            pay(ledger, game, BANK, 1 if plays_on else 2, 5, press=f"after-{number}")
        balances = ledger.balances(game)
    lose_the_page_of(ledger_file, undoing.id)
    with closing(Ledger(ledger_file)) as ledger:
        assert ledger.transfers(game, 1)[0].id > bankruptcy.id
        with pytest.raises(LookupError):
            ledger.transfer(bankruptcy.id)
        assert ledger.balances(game) == balances
        assert ledger.retired(game) == frozenset()
        assert all("transfers" in problem for problem in ledger.verify())


def test_who_is_bankrupt_stays_so_when_other_transfers_are_lost_on_a_damaged_page(ledger_file: Path) -> None:
    with closing(Ledger(ledger_file)) as ledger:
        game = ledger.new_game("nintendo", START, at=1.0, cards=(1, 2), largest=99_999).id
        for number in range(ROUNDS):
            pay(ledger, game, BANK, 1, 5, press=f"before-{number}")
        bankruptcy = ledger.bankrupt(game, 1, 2, press="b", at=3.0)
        assert bankruptcy is not None
        for number in range(ROUNDS):
            pay(ledger, game, BANK, 2, 5, press=f"after-{number}")
        balances = ledger.balances(game)
    lose_the_page_of(ledger_file, 10)
    with closing(Ledger(ledger_file)) as ledger:
        assert ledger.transfer(bankruptcy.id) == bankruptcy
        assert ledger.balances(game) == balances
        assert ledger.retired(game) == {1}
