"""Linked play: the outcomes of the question block move money."""

from __future__ import annotations

import asyncio
import logging
from typing import ClassVar

import pytest

from reboard.accessories.question_block.outcomes import GAME_OVER, LAUGH, Outcome
from reboard.editions.edition import edition_names, load_edition
from tests.reboard.accessories.banker_unit.fakes import AtTheTable, Play, StallingLedgerThread

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
    async def scenario(table: AtTheTable) -> None:
        await table.insert("left" if side == "left" else "right", 2)
        heard = len(table.sounds)
        await table.request("book_outcome", kind=outcome.kind, coins=outcome.coins)
        await table.wait(0.01)
        assert booked(table) == [transfer]
        assert table.balances == {2: balance}
        assert f"2 {balance}" in table.lines[0 if side == "left" else 1]
        assert table.sounds[heard:] == [], "pings have to stay countable"

    play(scenario, edition="super-mario")


def test_without_a_card_nothing_happens_and_a_unit_that_sleeps_sleeps_on(play: Play) -> None:
    async def scenario(table: AtTheTable) -> None:
        await table.wait(61)
        await table.request("book_outcome", kind=LAUGH.kind, coins=LAUGH.coins)
        assert told_and_heard(table) == []
        assert table.display.dark

    play(scenario, edition="super-mario")


def test_while_a_dialog_is_open_it_is_refused(play: Play) -> None:
    async def scenario(table: AtTheTable) -> None:
        await table.key("GO", seconds=2)
        await table.request("book_outcome", kind=LAUGH.kind, coins=LAUGH.coins)
        assert table.told("refused") == [], "without a card there is nothing to refuse"
        await table.insert("left", 1)
        await table.request("book_outcome", kind=LAUGH.kind, coins=LAUGH.coins)
        await table.wait(0.01)
        assert booked(table) == []
        assert table.told("refused") == [{"why": "dialog"}]
        assert table.lines[1] == "CLOSE MENU FIRST"
        await table.key("C")
        await table.key("C")
        await table.request("book_outcome", kind=LAUGH.kind, coins=LAUGH.coins)
        assert booked(table) == [(1, 0, 5, "laugh")]

    play(scenario, edition="super-mario")


class SlowToCountCards(StallingLedgerThread):
    stalls_s: ClassVar = {"admit": 5.0}


def test_it_comes_in_its_turn_behind_a_card_that_was_put_in_before(play: Play) -> None:
    async def scenario(table: AtTheTable) -> None:
        table.left.put("D1")
        booking = asyncio.create_task(table.request("book_outcome", kind=THREE_COINS.kind, coins=THREE_COINS.coins))
        await table.wait(1)
        assert not booking.done()
        await table.remove("left")
        await booking
        assert booked(table) == [(0, 1, 3, "coins")], "the card was in when the block was pressed"

    play(scenario, edition="super-mario", books=SlowToCountCards)


class SlowToPay(StallingLedgerThread):
    stalls_s: ClassVar = {"pay": 5.0}


def test_a_cancelled_outcome_is_paid_at_most_once(play: Play) -> None:
    async def scenario(table: AtTheTable) -> None:
        await table.insert("left", 1)
        for _ in range(2):  # the second one is called off before its turn comes
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(table.request("book_outcome", kind=THREE_COINS.kind, coins=THREE_COINS.coins), 1)
        await table.wait(20)
        assert booked(table) == [(0, 1, 3, "coins")]

    play(scenario, edition="super-mario", books=SlowToPay)


@pytest.mark.parametrize("name", [name for name in edition_names() if load_edition(name).block is None])
def test_an_edition_without_amounts_for_the_block_pays_nothing_and_warns_once(
    play: Play, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario(table: AtTheTable) -> None:
        await table.insert("left", 1)
        for _ in range(3):
            await table.request("book_outcome", kind=LAUGH.kind, coins=LAUGH.coins)
        assert told_and_heard(table) == ["card"]

    with caplog.at_level(logging.WARNING, "reboard.accessories.banker_unit.requests"):
        play(scenario, edition=name)
    (record,) = caplog.records
    assert f"edition {name} has no amounts for it" in record.getMessage()
