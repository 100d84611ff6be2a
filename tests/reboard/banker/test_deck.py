from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reboard.banker.deck import Deck
from reboard.banker.ledger import Ledger


@pytest.fixture
def deck(ledger_file: Path) -> Iterator[Deck]:
    with closing(Ledger(ledger_file)) as ledger:
        yield Deck(ledger.book)


def test_strangers_take_numbers_in_the_order_they_are_seen_up_to_the_players(deck: Deck) -> None:
    tags = ["CC", "AA", "BB", "AA"]
    assert [deck.number(tag, known=(), players=3) for tag in tags] == [1, 2, 3, 2]
    assert deck.number("DD", known=(), players=3) is None
    assert deck.number("DD", known=(), players=4) == 4


def test_a_number_beyond_a_smaller_editions_players_is_given_anew_if_one_is_free(deck: Deck) -> None:
    for tag in ("AA", "BB"):
        deck.number(tag, known=(), players=6)
    assert deck.number("BB", known=(), players=1) is None
    assert deck.number("BB", known=(), players=6) == 2, "and it was not forgotten meanwhile"


def test_known_cards_need_no_memory_and_keep_their_numbers_free(deck: Deck) -> None:
    assert deck.number("AA", known=(), players=6) == 1
    assert deck.number("K2", known=("K1", "K2"), players=6) == 2
    assert deck.number("AA", known=("K1", "K2"), players=6) == 3
    assert deck.number("K7", known=("K1", "K2", "K3", "K4", "K5", "K6", "K7"), players=6) is None


def test_a_card_that_came_into_the_known_deck_gives_the_number_back_that_it_had_before(deck: Deck) -> None:
    assert [deck.number(tag, known=(), players=6) for tag in ("AA", "BB", "CC")] == [1, 2, 3]
    tags = ["CC", "BB", "AA", "DD", "EE", "FF"]
    assert [deck.number(tag, known=("CC",), players=6) for tag in tags] == [1, 2, 3, 4, 5, 6]
    assert deck.number("CC", known=(), players=6) == 1, "it was forgotten meanwhile, and one is free"
