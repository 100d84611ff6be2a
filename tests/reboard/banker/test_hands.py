"""Keys that are held, keys that wake, and touches that are lost."""

from __future__ import annotations

import asyncio

import pytest

from reboard.banker.hands import MOST_WAITING, Answer, Hands, Held, Key, Overrun, Released, Touch, Woken
from reboard.banker.ledger import BANK
from reboard.refusal import Refusal
from reboard_sim.virtual_time import run
from tests.reboard.banker.hand_table import AtTheTable, HandKeypad, HandSlot, Play, StallingBookkeeper


class Feeling:
    """Hands on a keypad and a slot, and what they have told so far, with when."""

    def __init__(self) -> None:
        self.keypad = HandKeypad()
        self.slot = HandSlot()
        self.asleep: list[bool] = []
        self.hands = Hands({"left": self.slot}, self.keypad, asleep=self.asleep.append)
        self.hands.start()

    async def told(self) -> list[Touch]:
        """What has been told since this was asked last."""
        touches = []
        while True:
            try:
                touches.append(await asyncio.wait_for(self.hands.next(), 0.001))
            except TimeoutError:
                return touches

    async def key(self, key: str, seconds: float) -> list[Touch]:
        self.keypad.press(key)
        await asyncio.sleep(seconds)
        self.keypad.release(key)
        return await self.told()


@pytest.mark.parametrize(("key", "hold_s"), [("C", 3.0), ("GO", 1.5), (".", 1.0)])
def test_a_key_is_told_when_it_was_held_long_enough_and_when_it_is_let_go(key: str, hold_s: float) -> None:
    async def main() -> None:
        feeling = Feeling()
        assert await feeling.key(key, hold_s - 0.01) == [Key(key), Released(key, 0)]
        assert await feeling.key(key, hold_s + 0.01) == [Key(key), Held(key, 1), Released(key, 1)]
        assert await feeling.key(key, hold_s + 3.01) == [
            Key(key), Held(key, 1), Held(key, 2), Held(key, 3), Released(key, 3)
        ]  # fmt: skip

    run(main)


@pytest.mark.parametrize("key", ["0", "9", "K", "M", "DEAL"])
def test_other_keys_are_only_pressed(key: str) -> None:
    async def main() -> None:
        assert await Feeling().key(key, 30) == [Key(key)]

    run(main)


@pytest.mark.parametrize("other", ["another key", "a card", "the same key's bounce"])
def test_whatever_else_is_touched_ends_the_hold(other: str) -> None:
    async def main() -> None:
        feeling = Feeling()
        feeling.keypad.press(".")
        await asyncio.sleep(0.5)
        if other == "another key":
            feeling.keypad.press("1")
        elif other == "a card":
            feeling.slot.put("D1")
        else:
            feeling.keypad.release(".")
        await asyncio.sleep(30)
        feeling.keypad.release(".")
        assert not any(isinstance(touch, Held) for touch in await feeling.told())

    run(main)


def test_of_two_keys_leaned_on_the_last_one_is_held() -> None:
    async def main() -> None:
        feeling = Feeling()
        feeling.keypad.press("C")
        feeling.keypad.press("GO")
        await asyncio.sleep(2)
        feeling.keypad.release("C")
        feeling.keypad.release("GO")
        assert await feeling.told() == [
            Key("C"), Released("C", 0), Key("GO"), Held("GO", 1), Released("GO", 1)
        ]  # fmt: skip

    run(main)


def test_a_key_leaned_on_for_an_hour_is_held_until_the_unit_sleeps() -> None:
    async def main() -> None:
        feeling = Feeling()
        feeling.keypad.press(".")
        await asyncio.sleep(60.1)
        assert feeling.asleep == [True]
        told = await feeling.told()
        assert told == [Key("."), *(Held(".", times) for times in range(1, 41))]
        await asyncio.sleep(3540)
        feeling.keypad.release(".")
        assert await feeling.told() == []
        assert feeling.asleep == [True], "letting go is no touch"

    run(main)


@pytest.mark.parametrize("key", ["C", "GO", "."])
def test_the_press_that_wakes_does_only_that_unless_go_is_held(key: str) -> None:
    async def main() -> None:
        feeling = Feeling()
        await asyncio.sleep(61)
        told = {"C": [], "GO": [Woken("GO"), *(Held("GO", times) for times in range(1, 21)), Released("GO", 20)]}
        assert await feeling.key(key, 30.1) == told.get(key, [Woken(key)])
        assert feeling.asleep == [True, False]
        assert await feeling.key(key, 0.1) == [Key(key), Released(key, 0)]

    run(main)


@pytest.mark.parametrize("held_s", [0.1, 5.0])
def test_a_press_that_was_lost_is_not_held_nor_released(held_s: float) -> None:
    """Else a unit that has caught up meanwhile would begin a new game for a ``C`` that it never heard of."""

    async def main() -> None:
        feeling = Feeling()
        for _ in range(MOST_WAITING):
            feeling.keypad.press("1")
        feeling.keypad.press("C")
        assert await feeling.told() == [*[Key("1")] * MOST_WAITING, Overrun()]
        await asyncio.sleep(held_s)
        feeling.keypad.release("C")
        assert await feeling.told() == []

    run(main)


def test_a_hold_ends_when_touches_are_lost() -> None:
    async def nothing() -> Answer:
        return {}

    async def main() -> None:
        feeling = Feeling()
        feeling.keypad.press(".")
        await asyncio.sleep(1.1)
        assert await feeling.told() == [Key("."), Held(".", 1)]
        requests = [asyncio.create_task(feeling.hands.ask(nothing)) for _ in range(MOST_WAITING + 1)]
        await asyncio.sleep(0)
        *_, last = await feeling.told()
        assert last == Overrun()
        await asyncio.sleep(30)
        feeling.keypad.release(".")
        assert await feeling.told() == []
        for request in requests:
            request.cancel()
        with pytest.raises(Refusal):
            await requests[-1]

    run(main)


def test_a_point_leaned_on_while_the_disk_stalls_loses_touches_and_no_money(play: Play) -> None:
    class StalledForMinutes(StallingBookkeeper):
        stalls_s = {"pay": 200.0}  # noqa: RUF012

    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.type("1M")
        for _ in range(10):
            await table.key(".", seconds=15)
        await table.wait(100)
        assert table.moved == [(0, 1, 1_000_000, "received")]
        assert table.refusals == ["too fast"]
        assert table.unit.snapshot()["typed"] == ""

    play(hands, books=StalledForMinutes)


# A point held: the card's past.


def test_a_point_held_with_a_card_in_shows_its_last_three_transfers_newest_first(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("right", 3)
        await table.insert("left", 1)
        await table.type("260K")
        await table.remove("right")
        await table.type("1.5M")
        await table.key("GO")
        table.keypad.press(".")
        shown = []
        for wait_s in (1.1, 1.5, 1.5, 1.5):
            await table.wait(wait_s)
            shown.append(table.lines)
        assert shown == [("+1 18.76M", line) for line in ("1 +2M BANK", "2 +1.5M BANK", "3 +260K CARD 3", "1 +2M BANK")]
        table.keypad.release(".")
        await table.wait(0.01)
        assert table.lines == ("+1 18.76M", "")

    play(hands)


def test_the_point_that_the_press_typed_is_taken_back(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        table.keypad.press(".")
        await table.wait(0.5)
        assert table.unit.snapshot()["typed"] == "."
        await table.wait(0.6)
        assert table.unit.snapshot()["typed"] == ""
        assert table.lines == ("+1 15M", "1 +15M BANK")
        table.keypad.release(".")
        await table.type("1.5M")
        assert table.moved == [(BANK, 1, 1_500_000, "received")]

    play(hands)


def test_a_slow_finger_in_the_midst_of_an_amount_has_typed_its_point(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.type("1")
        table.keypad.press(".")
        await table.wait(4)
        assert table.lines == ("+1 15M        1.", "")
        table.keypad.release(".")
        await table.type("5M")
        assert table.moved == [(0, 1, 1_500_000, "received")]

    play(hands)


def test_with_two_cards_in_it_is_the_left_ones_past(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.insert("right", 2)
        await table.type("3M")
        table.keypad.press(".")
        await table.wait(1.1)
        assert table.lines == ("1 +3M CARD 2", "-2 12M")

    play(hands)


def test_a_point_held_without_a_card_is_one_step_of_the_volume(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.key(".", seconds=1.9)
        assert table.speaker.volume == 4
        assert table.lines == ("VOLUME 4", "INSERT CARD"), "the notice stands as long as ever"
        await table.key(".", seconds=10)
        assert table.speaker.volume == 0
        assert table.sounds == ["volume", "volume"]

    play(hands)


def test_the_past_of_a_card_that_is_taken_out_is_gone_with_it(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        table.keypad.press(".")
        await table.wait(1.1)
        await table.remove("left")
        assert table.lines == ("WORLD EDITION", "INSERT CARD")
        await table.wait(10)
        assert table.lines == ("WORLD EDITION", "INSERT CARD")

    play(hands)
