"""What is being typed, and what becomes of it when its beginning is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest

from reboard.banker.entry import OUT_S, REST_BEFORE_CARD_S, REST_S, Entry
from reboard.banker.ledger import BANK, Ledger
from reboard.edition import load_edition
from reboard.odds import Outcome
from reboard.refusal import Refusal
from reboard_sim.virtual_time import run
from tests.reboard.banker.hand_table import AtTheTable, Play, StallingBookkeeper

T = TypeVar("T")

MONEY = load_edition("world").money


def with_an_entry(test: Callable[[Entry], Awaitable[None]]) -> None:
    async def main() -> None:
        await test(Entry())

    run(main)


def test_the_rest_of_a_torn_amount_is_refused_until_the_keypad_has_rested() -> None:
    async def scenario(entry: Entry) -> None:
        entry.type("1")
        entry.tear()
        assert entry.text == ""
        for n in range(1, 6):
            entry.pressed(at=n * (REST_S - 0.1))
            with pytest.raises(Refusal, match="lost"):
                entry.type("5")
            assert entry.text == ""
        entry.pressed(at=5 * (REST_S - 0.1) + REST_S)
        entry.type("5")
        assert entry.text == "5"

    with_an_entry(scenario)


@pytest.mark.parametrize(
    ("rested_s", "out_s", "is_torn"),
    [
        (REST_BEFORE_CARD_S - 0.01, OUT_S, True),
        (REST_BEFORE_CARD_S, OUT_S - 0.01, True),
        (REST_BEFORE_CARD_S + 0.01, OUT_S + 0.01, False),
    ],
)
def test_a_card_that_was_out_begins_an_amount_after_half_a_second_without_keys(
    rested_s: float, out_s: float, is_torn: bool
) -> None:
    async def scenario(entry: Entry) -> None:
        await asyncio.sleep(1)
        entry.pressed(at=1 + out_s - rested_s)
        entry.tear()
        entry.card_in(at=1 + out_s)
        assert entry.is_torn is is_torn

    with_an_entry(scenario)


def test_a_key_counts_from_when_it_was_pressed_however_late_it_is_handled() -> None:
    async def scenario(entry: Entry) -> None:
        entry.tear()
        entry.pressed(at=0.5)
        await asyncio.sleep(60)
        with pytest.raises(Refusal, match="lost"):
            entry.type("5")

    with_an_entry(scenario)


def test_entering_a_torn_amount_is_refused() -> None:
    async def scenario(entry: Entry) -> None:
        entry.tear()
        with pytest.raises(Refusal) as refused:
            entry.amount("M", MONEY)
        assert refused.value.why == "torn"

    with_an_entry(scenario)


def test_what_is_cleared_is_torn_no_more() -> None:
    async def scenario(entry: Entry) -> None:
        entry.tear()
        entry.clear()
        entry.type("5")
        assert entry.amount("M", MONEY) == 5_000_000

    with_an_entry(scenario)


def test_a_card_that_leaves_takes_the_amount_along_and_no_other_card_pays_the_rest_of_it(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.insert("right", 2)
        for key in ("1", "."):
            await table.key(key)
        await table.remove("left")
        for key in ("5", "M"):
            await table.key(key)
        assert table.refusals == ["torn", "torn", "torn"]
        assert table.moved == []
        await table.type("5M")
        assert table.moved == [(2, BANK, 5_000_000, "paid")], "it was entered, and so it is over"

    play(hands)


def test_c_clears_what_is_torn_and_takes_no_transfer_back(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("right", 2)
        await table.type("1M")
        await table.insert("left", 1)
        await table.key("5")
        await table.remove("left")
        await table.key("C")
        assert table.moved == [(2, BANK, 1_000_000, "paid")]
        await table.key("C")
        assert [reason for *_, reason in table.moved] == ["paid", "undo"]

    play(hands)


def test_nor_does_the_next_card_get_the_rest_of_it(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.key("1")
        await table.remove("left")
        await table.insert("left", 3)
        for key in ("5", "M"):
            await table.key(key)
        assert table.moved == []
        await table.type("7M")
        assert table.moved == [(BANK, 3, 7_000_000, "received")]

    play(hands)


def test_nor_when_the_disk_was_slow_meanwhile(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.insert("right", 2)
        for key in ("1", "2"):
            await table.key(key)
        await table.remove("left")
        slow = asyncio.ensure_future(table.unit.book(Outcome("coins", 3)))
        for key in ("5", "M"):
            await table.key(key)
        await table.wait(10)
        await slow
        assert [reason for *_, reason in table.moved] == ["coins"]
        assert table.refusals == ["torn", "torn", "torn"]

    play(hands, edition="super-mario", books=StallingBookkeeper)


@pytest.mark.parametrize("swapped", [False, True])
def test_nor_after_touches_were_lost(play: Play, swapped: bool) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        table.keypad.press("GO")
        await table.wait(0)
        for _ in range(70):
            await table.key("1", seconds=0.001)
        if swapped:
            table.left.take()
            table.left.put("D3")
        await table.wait(4.8)
        assert table.refusals[-1] == "too fast"
        before = table.moved
        for key in ("5", "M"):
            await table.key(key)
        assert table.refusals[-2:] == ["torn", "torn"]
        assert table.moved == before

    play(hands, books=StallingBookkeeper)


class RefusingOnce(StallingBookkeeper):
    """A memory card that, when *refuses* says so, does not take one card's joining."""

    refuses = False

    async def ask(self, call: Callable[[Ledger], T]) -> T:
        if RefusingOnce.refuses and ".join." in call.__qualname__:
            RefusingOnce.refuses = False
            raise Refusal("disk")
        return await super().ask(call)


def test_a_card_that_is_refused_after_touches_were_lost_hides_no_other(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.insert("right", 1)
        table.keypad.press("GO")
        await table.wait(0)
        for _ in range(70):
            await table.key("1", seconds=0.001)
        table.left.take()
        table.left.put("D3")
        RefusingOnce.refuses = True
        await table.wait(6)
        assert table.refusals == ["same card twice", "disk", "too fast"]
        assert table.unit.snapshot()["slots"] == {"left": 3, "right": None}

    play(hands, books=RefusingOnce)


def test_an_amount_that_was_begun_in_the_dark_is_none(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.wait(61)
        assert table.display.dark
        for key in ("1", "5", "M"):
            await table.key(key)
        assert table.moved == []
        assert table.refusals == ["torn", "torn", "torn"]
        await table.wait(61)
        await table.key("C")
        await table.type("15M")
        assert table.moved == [(BANK, 1, 15_000_000, "received")], "whoever wakes it with another key sees what comes"

    play(hands)


def test_without_a_card_the_point_that_wakes_is_followed_by_the_volume(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.wait(61)
        await table.key(".")
        await table.key(".")
        assert "VOLUME 4" in table.lines

    play(hands)


def test_a_card_that_leaves_when_nothing_is_typed_tears_nothing(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.insert("right", 2)
        await table.remove("left")
        await table.type("5M")
        assert table.moved == [(2, BANK, 5_000_000, "paid")]

    play(hands)


def test_keys_that_cannot_be_told_apart_tear_what_is_typed(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.key("1")
        table.keypad.blur()
        await table.wait(0)
        assert table.refusals == ["unclear"]
        assert table.lines == ("+1 15M", "SINGLE KEYS ONLY")
        for key in ("5", "M"):
            await table.key(key)
        assert table.refusals == ["unclear", "torn", "torn"]
        assert table.moved == []

    play(hands)


def test_a_card_that_flickers_while_an_amount_is_typed_does_not_make_an_amount_of_the_rest(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("right", 1)
        await table.type("1.")
        await table.wait(0.6)
        await table.remove("right")
        await table.wait(0.1)
        await table.insert("right", 1)
        await table.type("5M")
        assert table.moved == []

    play(hands)
