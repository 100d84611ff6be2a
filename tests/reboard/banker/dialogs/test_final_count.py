"""A quick game's final count: what each player is worth, and nothing of it booked."""

from __future__ import annotations

import pytest

from reboard.banker.ledger import Ledger
from tests.reboard.banker.hand_table import AtTheTable, Play


def count(table: AtTheTable) -> tuple[str, str]:
    """The two lines, inner spaces as they are."""
    return table.display.lines


async def players(table: AtTheTable, *cards: int) -> None:
    for card in cards:
        await table.insert("left", card)
        await table.remove("left")


async def ranking(table: AtTheTable, presses: int) -> list[tuple[str, str]]:
    shown = []
    for _ in range(presses):
        await table.key("GO")
        shown.append(table.lines)
    return shown


def test_amounts_are_added_to_the_worth_of_the_card_that_is_in(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.choose(1)
        assert table.lines == ("FINAL COUNT", "HOTEL: +3 HOUSES")
        await table.insert("right", 1)
        assert count(table) == ("1 15M", "               +")
        await table.type("2.6")
        assert count(table) == ("1 15M", "           + 2.6")
        assert table.unit.snapshot()["typed"] == "2.6"
        await table.key("M")
        assert count(table) == ("1 17.6M", "          + 2.6M")
        assert table.sounds[-1] == "received"
        await table.type("400K")
        assert count(table) == ("1 18M", "          + 400K")

    play(hands)


def test_each_card_keeps_what_was_added_while_others_are_counted(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.choose(1)
        await table.insert("left", 1)
        await table.type("1M")
        await table.remove("left")
        assert table.lines == ("FINAL COUNT", "INSERT CARD")
        await table.insert("right", 2)
        await table.type("3M")
        await table.remove("right")
        await table.insert("left", 1)
        assert table.lines == ("1 16M", "+ 1M")

    play(hands)


def test_c_takes_back_what_is_typed_then_what_was_added_last_and_then_leaves(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.choose(1)
        await table.insert("left", 1)
        await table.type("1M2M7")
        shown = []
        for _ in range(4):
            await table.key("C")
            shown.append(table.lines)
        assert shown == [("1 18M", "+ 2M"), ("1 16M", "+ 1M"), ("1 15M", "+"), ("+1 15M", "")]

    play(hands)


def test_without_a_card_c_asks_before_a_count_is_thrown_away(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.choose(1)
        await table.insert("left", 1)
        await table.type("1M")
        await table.remove("left")
        await table.key("C")
        assert table.lines == ("FINAL COUNT", "C ENDS THE COUNT")
        await table.insert("left", 1)
        assert table.lines == ("1 16M", "+ 1M")
        await table.type("2M")
        await table.remove("left")
        await table.key("C")
        await table.key("DEAL")
        await table.key("C")
        assert table.lines == ("FINAL COUNT", "C ENDS THE COUNT"), "another key was an answer"
        await table.key("C")
        assert table.lines == ("WORLD EDITION", "INSERT CARD")

    play(hands)


def test_a_card_of_which_nothing_was_counted_does_not_end_the_count_of_the_others(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.choose(1)
        await table.insert("left", 1)
        await table.type("1M")
        await table.remove("left")
        await table.insert("left", 2)
        await table.key("C")
        assert table.lines == ("2 15M", "C ENDS THE COUNT")

    play(hands)


def test_the_ranking_is_best_first_one_player_a_press_and_equals_share_a_place(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await players(table, 1, 2, 3, 4)
        await table.choose(1)
        await table.insert("left", 3)
        await table.type("30.2M")
        await table.remove("left")
        await table.insert("left", 2)
        await table.type("10K")
        await table.remove("left")
        expected = [("1. CARD 3", "45.2M"), ("2. CARD 2", "15.01M"), ("3. CARD 1", "15M"), ("3. CARD 4", "15M")]
        assert await ranking(table, 5) == [*expected, expected[0]]
        await table.key("C")
        assert table.lines == ("FINAL COUNT", "INSERT CARD")

    play(hands)


def test_the_ranking_has_the_players_names(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await players(table, 1, 2)
        await table.choose(1)
        assert await ranking(table, 2) == [("1. Gwendola", "15M"), ("1. CARD 2", "15M")]

    play(hands, names=["Gwendola"])


def test_the_ranking_is_right_though_a_transfer_is_taken_back_through_the_door(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.type("5M")
        await table.remove("left")
        await table.choose(1)
        assert await ranking(table, 1) == [("1. CARD 1", "20M")]
        await table.unit.requests.undo()
        await table.wait(0.1)
        assert table.lines == ("1. CARD 1", "15M")

    play(hands)


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("M", "zero"),
        ("1.5.0M", "two points"),
        ("123456K", "too long"),
        ("0.0005M", "too fine"),
        ("99999M" * 101, "too much"),
    ],
)
def test_the_same_amounts_are_refused_as_when_they_are_paid(play: Play, typed: str, why: str) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.choose(1)
        await table.insert("left", 1)
        await table.type(typed)
        assert table.refusals == [why]
        assert table.lines[0] != "FINAL COUNT"
        before = table.lines[0]
        await table.wait(2.1)
        assert table.lines[0] == before

    play(hands)


def test_without_a_card_or_with_two_nothing_can_be_added(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.choose(1)
        await table.key("5")
        assert table.lines == ("FINAL COUNT", "NO CARD")
        await table.insert("left", 1)
        await table.insert("right", 2)
        assert table.lines == ("FINAL COUNT", "ONE CARD ONLY")
        await table.type("5")
        assert table.refusals == ["no card", "two cards"]

    play(hands)


def test_what_is_typed_is_dropped_when_the_card_is_taken_out(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.choose(1)
        await table.insert("left", 1)
        await table.type("5")
        await table.remove("left")
        await table.insert("left", 1)
        await table.key("M")
        assert table.refusals == ["torn", "torn"]
        await table.type("5")
        await table.insert("right", 2)
        await table.remove("left")
        assert table.refusals == ["torn", "torn", "torn"]
        await table.wait(2.1)
        assert count(table) == ("2 15M", "               +")

    play(hands)


def test_what_is_typed_does_not_outlive_the_ranking(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.choose(1)
        await table.insert("left", 1)
        await table.type("5")
        assert await ranking(table, 1) == [("1. CARD 1", "15M")]
        await table.key("C")
        assert count(table) == ("1 15M", "               +")

    play(hands)


def test_who_went_bankrupt_is_not_counted(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await players(table, 1, 2)
        await table.insert("right", 2)
        await table.wait(0.1)
        await table.remove("right")
        await table.choose(2)
        await table.insert("right", 2)
        await table.key("M")
        await table.remove("right")
        await table.choose(1)
        await table.insert("left", 2)
        await table.type("5M")
        assert table.refusals == ["bankrupt"]
        assert table.lines == ("2 0", "OUT OF THE GAME")
        assert await ranking(table, 2) == [("1. CARD 1", "15M")] * 2

    play(hands)


def test_nobody_is_ranked_in_a_game_without_players(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.choose(1)
        await table.key("GO")
        assert table.lines == ("FINAL COUNT", "NO CARD")

    play(hands)


def test_balances_and_ledger_are_untouched(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await players(table, 1, 2)
        before = await table.books.ask(lambda ledger: ledger.transfers(1, 100))
        await table.choose(1)
        await table.insert("left", 1)
        await table.type("1M2.5M3K")
        await table.key("C")
        await ranking(table, 3)
        for _ in range(4):
            await table.key("C")
        assert table.lines[0] == "+1 15M"
        assert await table.books.ask(lambda ledger: ledger.transfers(1, 100)) == before
        assert await table.books.ask(Ledger.verify) == []
        assert table.balances == {1: 15_000_000, 2: 15_000_000}
        assert table.moved == []
        await table.key("C")
        assert table.refusals == ["nothing to undo"]

    play(hands)


def test_a_count_outlives_ten_minutes_at_the_property_cards_and_the_sleep(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.choose(1)
        await table.insert("left", 1)
        await table.type("5M")
        await table.wait(599)
        assert table.display.dark
        await table.key("K")
        assert not table.display.dark
        assert table.lines == ("1 20M", "+ 5M"), "the key that wakes does only that"
        await table.type("1")
        await table.wait(601)
        assert table.display.dark
        await table.key("C")
        assert table.lines == ("+1 15M", ""), "nobody was there, and what was typed is forgotten"

    play(hands)


def test_deal_means_nothing_while_it_is_counted(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.choose(1)
        await table.key("DEAL")
        await table.insert("left", 1)
        await table.key("DEAL")
        assert table.told("deal.started") == []
        assert table.refusals == ["dialog", "dialog"]

    play(hands)
