"""A game's past, from which its balances can be drawn."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from reboard.banker import history as module
from reboard.banker.history import MOST_TOLD, NO_HISTORY, history
from reboard.banker.ledger import BANK, LARGEST, POT, Ledger, Transfer
from reboard.door.client import LONGEST_ANSWER_BYTES
from tests.reboard.banker.hand_ledger import START, pay


def told(ledger: Ledger, game: int) -> dict[str, Any]:
    past: dict[str, Any] = json.loads(history(ledger, game))
    return past


def after(past: Mapping[str, Any]) -> dict[int, int]:
    """What each card has after all that is told."""
    balances = {BANK: 0} | {int(card): balance for card, balance in past["before"].items()}
    for transfer in past["transfers"]:
        balances[transfer["from"]] -= transfer["amount"]
        balances[transfer["to"]] = balances.get(transfer["to"], 0) + transfer["amount"]
    return {card: balance for card, balance in balances.items() if card != BANK}


def test_a_whole_game_begins_with_nobody(ledger: Ledger, game: int) -> None:
    pay(ledger, game, 1, 2, 100)
    past = told(ledger, game)
    assert past.keys() == {"game", "before", "transfers"} == json.loads(NO_HISTORY).keys()
    assert (past["game"], past["before"]) == (game, {})
    assert past["transfers"] == [transfer.as_json() for transfer in reversed(ledger.transfers(game, 10))]


def test_the_free_parking_pot_is_no_card(ledger: Ledger, game: int, monkeypatch: pytest.MonkeyPatch) -> None:
    pay(ledger, game, 1, POT, 100)
    pay(ledger, game, 2, POT, 100)
    monkeypatch.setattr(module, "MOST_TOLD", 1)
    assert told(ledger, game)["before"] == {"1": START - 100, "2": START}


def test_only_the_latest_transfers_are_told_and_what_there_was_before_them(
    ledger: Ledger, game: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pay(ledger, game, 1, 2, 100)
    monkeypatch.setattr(module, "MOST_TOLD", 3)
    pay(ledger, game, 2, BANK, 30)
    ledger.join(game, 3, at=3.0)
    last = pay(ledger, game, 3, 1, 5)
    past = told(ledger, game)
    assert [transfer["reason"] for transfer in past["transfers"]] == ["test", "start", "test"]
    assert past["transfers"][-1]["id"] == last.id
    assert past["before"] == {"1": START - 100, "2": START + 100}, "card 3 had not joined yet"
    assert after(past) == ledger.balances(game) == {1: START - 95, 2: START + 70, 3: START - 5}


def test_a_card_that_has_lost_everything_is_told_with_what_it_had(
    ledger: Ledger, game: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_TOLD", 1)
    ledger.bankrupt(game, 1, 2, press="bankrupt", at=3.0)
    past = told(ledger, game)
    assert past["before"] == {"1": START, "2": START}
    assert after(past) == {1: 0, 2: 2 * START}


def test_other_games_are_not_told(ledger: Ledger, game: int) -> None:
    pay(ledger, game, 1, 2, 100)
    other = ledger.new_game("world", 15_000_000, at=5.0).id
    assert told(ledger, other) == {"game": other, "before": {}, "transfers": []}
    assert len(told(ledger, game)["transfers"]) == 3


def test_the_longest_history_with_the_largest_numbers_is_an_answer_that_clients_take() -> None:
    longest = Transfer(2**63 - 1, 2**63 - 1, 8, 8, LARGEST, "recovered", 1_700_000_000.1234567, 2**63 - 1)
    assert MOST_TOLD * len(json.dumps(longest.as_json()) + ", ") < LONGEST_ANSWER_BYTES / 2
