from __future__ import annotations

import json
from typing import Any

import pytest

from reboard.accessories.banker_unit import game_history as module
from reboard.accessories.banker_unit.accounts import BANK, LARGEST_BALANCE, POT
from reboard.accessories.banker_unit.game_history import MOST_IN_HISTORY, history, kept_games
from reboard.accessories.banker_unit.game_settings import given_names, save_name
from reboard.accessories.banker_unit.ledger import Ledger, Transfer
from reboard.accessories.banker_unit.player_names import Names
from reboard.control.client import LONGEST_ANSWER_BYTES
from tests.reboard.accessories.banker_unit.ledger_calls import START, join, pay


def begun(ledger: Ledger, *cards: int, played: bool = True) -> int:
    game = ledger.new_game("world", 100, at=1.0, cards=cards).id
    if played:
        pay(ledger, game, BANK, cards[0], 5, reason="salary", press=f"game {game}", at=2.0)
        pay(ledger, game, cards[0], POT, 1, reason="pot_paid", press=f"pot {game}", at=2.0)
    return game


def test_the_game_that_is_on_is_not_among_them(ledger: Ledger) -> None:
    first, second = begun(ledger, 1), begun(ledger, 1)
    assert [kept.id for kept in kept_games(ledger)] == [first]
    ledger.resume(first, at=3.0)
    assert [kept.id for kept in kept_games(ledger)] == [second]


def test_a_game_in_which_cards_were_only_put_in_is_not_offered(ledger: Ledger) -> None:
    begun(ledger, 1, 2, played=False)
    ledger.new_game("world", 100, at=3.0)
    begun(ledger, 1)
    assert kept_games(ledger) == []


def told(ledger: Ledger, game: int) -> Any:
    return json.loads(history(ledger, game))


def after(past: Any) -> dict[int, int]:
    """Return what each card has after the transfers of a history."""
    balances = {BANK: 0} | {int(card): balance for card, balance in past["before"].items()}
    for transfer in past["transfers"]:
        balances[transfer["from"]] -= transfer["amount"]
        balances[transfer["to"]] = balances.get(transfer["to"], 0) + transfer["amount"]
    return {card: balance for card, balance in balances.items() if card != BANK}


def test_the_free_parking_pot_is_no_card(ledger: Ledger, game: int, monkeypatch: pytest.MonkeyPatch) -> None:
    pay(ledger, game, 1, POT, 100)
    pay(ledger, game, 2, POT, 100)
    monkeypatch.setattr(module, "MOST_IN_HISTORY", 1)
    assert told(ledger, game)["before"] == {"1": START - 100, "2": START}


def test_the_history_has_the_latest_transfers_and_the_balances_before(
    ledger: Ledger, game: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pay(ledger, game, 1, 2, 100)
    monkeypatch.setattr(module, "MOST_IN_HISTORY", 3)
    pay(ledger, game, 2, BANK, 30)
    join(ledger, game, 3, at=3.0)
    last = pay(ledger, game, 3, 1, 5)
    past = told(ledger, game)
    assert [transfer["reason"] for transfer in past["transfers"]] == ["test", "start", "test"]
    assert past["transfers"][-1]["id"] == last.id
    assert past["before"] == {"1": START - 100, "2": START + 100}, "card 3 had not joined yet"
    assert after(past) == ledger.balances(game) == {1: START - 95, 2: START + 70, 3: START - 5}


def test_the_history_has_a_card_that_lost_everything(
    ledger: Ledger, game: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_IN_HISTORY", 1)
    ledger.bankrupt(game, 1, 2, press="bankrupt", at=3.0)
    past = told(ledger, game)
    assert past["before"] == {"1": START, "2": START}
    assert after(past) == {1: 0, 2: 2 * START}


def test_the_longest_history_with_the_largest_numbers_is_an_answer_that_clients_take() -> None:
    longest = Transfer(2**63 - 1, 2**63 - 1, 8, 8, LARGEST_BALANCE, "pot_taken", 1_700_000_000.1234567, 2**63 - 1)
    assert MOST_IN_HISTORY * len(json.dumps(longest.as_json()) + ", ") < LONGEST_ANSWER_BYTES / 2


def test_the_hosts_name_replaces_the_configs() -> None:
    names = Names(["Anna", "Ben"], {2: "Bea", 8: "Hal"})
    assert [names.of(card) for card in range(10)] == ["", "Anna", "Bea", "", "", "", "", "", "Hal", ""]
    names = names.with_given(2, "").with_given(8, "")
    assert [names.of(card) for card in (1, 2, 8)] == ["Anna", "Ben", ""]


def test_names_are_kept_in_the_ledger_and_half_a_name_of_a_damaged_one_is_none(ledger: Ledger) -> None:
    assert given_names(ledger) == {}
    save_name(ledger, 1, "Zoë")
    save_name(ledger, 8, "Hal")
    save_name(ledger, 2, "An\ufffda")
    save_name(ledger, 1, "Zoe")
    assert given_names(ledger) == {1: "Zoe", 8: "Hal"}
    save_name(ledger, 1, "")
    assert given_names(ledger) == {8: "Hal"}
