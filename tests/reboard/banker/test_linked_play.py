"""Linked play: what the question block brings is booked on the card that is in."""

from __future__ import annotations

import asyncio
import logging
from typing import ClassVar

import pytest

from reboard.banker.bookkeeper import Bookkeeper
from reboard.edition import edition_names, load_edition
from reboard.odds import GAME_OVER, LAUGH, POWER_UP, Outcome
from reboard.refusal import Refusal
from tests.reboard.banker.hand_table import AtTheTable, Play, StallingBookkeeper

THREE_COINS = Outcome("coins", 3)


def booked(table: AtTheTable) -> list[tuple[object, ...]]:
    """What was moved beside starting balances."""
    told = table.told("transfer")
    return [(one["from"], one["to"], one["amount"], one["reason"]) for one in told if one["reason"] != "start"]


def told_and_heard(table: AtTheTable) -> list[object]:
    """What was moved beside starting balances, refused, and heard."""
    return [*booked(table), *table.told("refused"), *table.sounds]


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize(
    ("outcome", "transfer", "balance"),
    [
        (Outcome("coins", 1), (0, 2, 1, "coins"), 31),
        (Outcome("coins", 6), (0, 2, 6, "coins"), 36),
        (LAUGH, (2, 0, 5, "laugh"), 25),
        (GAME_OVER, (2, 0, 10, "game_over"), 20),
    ],
)
def test_an_outcome_moves_its_coins_in_silence_whichever_slot_the_card_is_in(
    play: Play, side: str, outcome: Outcome, transfer: tuple[object, ...], balance: int
) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left" if side == "left" else "right", 2)
        heard = len(table.sounds)
        await table.unit.book(outcome)
        await table.wait(0.01)
        assert booked(table) == [transfer]
        assert table.balances == {2: balance}
        assert f"2 {balance}" in table.lines[0 if side == "left" else 1]
        assert table.sounds[heard:] == [], "pings have to stay countable"

    play(hands, edition="super-mario")


def test_a_power_up_books_nothing_though_two_cards_are_in(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.insert("right", 2)
        await table.unit.book(POWER_UP)
        assert told_and_heard(table) == ["card", "card"]

    play(hands, edition="super-mario")


def test_without_a_card_nothing_happens_and_a_unit_that_sleeps_sleeps_on(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.wait(61)
        await table.unit.book(LAUGH)
        assert told_and_heard(table) == []
        assert table.display.dark

    play(hands, edition="super-mario")


def test_money_that_moves_is_seen_though_the_unit_was_asleep(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.wait(61)
        assert table.display.dark
        await table.unit.book(LAUGH)
        await table.wait(0.01)
        assert not table.display.dark
        assert table.lines == ("+1 25", "")

    play(hands, edition="super-mario")


def test_with_two_cards_in_it_is_refused_aloud(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.insert("right", 2)
        await table.unit.book(THREE_COINS)
        await table.wait(0.01)
        assert booked(table) == []
        assert table.told("refused") == [{"why": "two cards"}]
        assert table.sounds[-1] == "refused"
        assert "ONE CARD ONLY" in table.lines

    play(hands, edition="super-mario")


def test_a_card_that_was_refused_is_not_in(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.insert("right", 1)
        await table.unit.book(THREE_COINS)
        assert booked(table) == [(0, 1, 3, "coins")]

    play(hands, edition="super-mario")


def test_who_has_too_little_for_a_laugh_is_told_so_and_pays_nothing(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("right", 1)
        await table.type("26M")
        await table.unit.book(LAUGH)
        await table.wait(0.01)
        assert table.balances == {1: 4}
        assert table.told("refused") == [{"why": "no funds"}]
        assert "NO FUNDS" in table.lines

    play(hands, edition="super-mario")


def test_c_takes_back_what_the_block_booked_once(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.unit.book(LAUGH)
        await table.key("C")
        assert table.balances == {1: 30}
        assert table.told("transfer")[-1]["undoes"] == table.told("transfer")[-2]["id"]
        await table.key("C")
        assert table.told("refused") == [{"why": "nothing to undo"}]

    play(hands, edition="super-mario")


def test_what_is_being_typed_stays_typed(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.type("12")
        await table.unit.book(THREE_COINS)
        await table.type("M")
        assert table.balances == {1: 30 + 3 + 12}

    play(hands, edition="super-mario")


def test_while_a_dialog_is_open_it_is_refused(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.key("GO", seconds=2)
        await table.unit.book(LAUGH)
        assert table.told("refused") == [], "without a card there is nothing to refuse"
        await table.insert("left", 1)
        await table.unit.book(LAUGH)
        await table.wait(0.01)
        assert booked(table) == []
        assert table.told("refused") == [{"why": "dialog"}]
        assert table.lines[1] == "CLOSE MENU FIRST"
        await table.key("C")
        await table.key("C")
        await table.unit.book(LAUGH)
        assert booked(table) == [(1, 0, 5, "laugh")]

    play(hands, edition="super-mario")


class SlowToCountCards(StallingBookkeeper):
    stalls_s: ClassVar = {"number": 5.0}


def test_it_comes_in_its_turn_behind_a_card_that_was_put_in_before(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        table.left.put("D1")
        booking = asyncio.create_task(table.unit.book(THREE_COINS))
        await table.wait(1)
        assert not booking.done()
        await table.remove("left")
        await booking
        assert booked(table) == [(0, 1, 3, "coins")], "the card was in when the block was pressed"

    play(hands, edition="super-mario", books=SlowToCountCards)


class SlowToPay(StallingBookkeeper):
    stalls_s: ClassVar = {"pay": 5.0}


def test_whoever_gives_up_waiting_has_booked_it_at_most_once(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        for _ in range(2):  # the second one is called off before its turn comes
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(table.unit.book(THREE_COINS), 1)
        await table.wait(20)
        assert booked(table) == [(0, 1, 3, "coins")]

    play(hands, edition="super-mario", books=SlowToPay)


def test_a_disk_that_does_not_take_it_is_a_refusal_like_any_other(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)

        async def full(*_: object) -> None:
            raise Refusal("disk")

        monkeypatch.setattr(Bookkeeper, "ask", full)
        await table.unit.book(THREE_COINS)
        await table.wait(0.01)
        assert booked(table) == []
        assert table.told("refused") == [{"why": "disk"}]

    play(hands, edition="super-mario")


@pytest.mark.parametrize("name", [name for name in edition_names() if load_edition(name).block is None])
def test_an_edition_without_amounts_for_the_block_books_nothing_and_says_so_once(
    play: Play, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        for _ in range(3):
            await table.unit.book(LAUGH)
        assert told_and_heard(table) == ["card"]

    with caplog.at_level(logging.WARNING, "reboard.banker.linked_play"):
        play(hands, edition=name)
    (record,) = caplog.records
    assert f"edition {name} does not say what it pays" in record.getMessage()


def test_a_game_begun_at_the_keypad_is_booked_in_its_own_edition(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        async def begin_in(title: str) -> None:
            await table.key("GO", seconds=2)
            await table.key("4")
            while table.lines[0] != title:
                await table.key("GO")
            await table.key("M")

        await begin_in("SUPER MARIO")
        await table.insert("left", 1)
        await table.unit.book(LAUGH)
        assert booked(table) == [(1, 0, 5, "laugh")]
        await table.remove("left")
        await begin_in("WORLD EDITION")
        await table.insert("left", 1)
        await table.unit.book(LAUGH)
        assert len(booked(table)) == 1

    play(hands, edition="world")
