"""Keys that are held, keys that wake, and touches that are lost."""

from __future__ import annotations

import asyncio

import pytest

from reboard.accessories.banker_unit.input_queue import (
    MOST_WAITING,
    Held,
    InputQueue,
    Key,
    Overrun,
    Released,
    Touch,
    Woken,
)
from tests.reboard.accessories.banker_unit.fakes import HandKeypad, HandSlot


class Feeling:
    """Hands on a keypad and a slot, and what they have told so far, with when."""

    def __init__(self) -> None:
        self.keypad = HandKeypad()
        self.slot = HandSlot()
        self.asleep: list[bool] = []
        self.hands = InputQueue({"left": self.slot}, self.keypad, slept_or_woke=self.asleep.append)
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
async def test_a_key_is_held_and_released(key: str, hold_s: float) -> None:
    feeling = Feeling()
    assert await feeling.key(key, hold_s - 0.01) == [Key(key), Released(key, 0)]
    assert await feeling.key(key, hold_s + 0.01) == [Key(key), Held(key, 1), Released(key, 1)]
    assert await feeling.key(key, hold_s + 3.01) == [
        Key(key), Held(key, 1), Held(key, 2), Held(key, 3), Released(key, 3)
    ]  # fmt: skip


@pytest.mark.parametrize("other", ["another key", "a card", "the same key's bounce"])
async def test_whatever_else_is_touched_ends_the_hold(other: str) -> None:
    feeling = Feeling()
    feeling.keypad.press(".")
    await asyncio.sleep(0.5)
    if other == "another key":
        feeling.keypad.press("1")
    elif other == "a card":
        feeling.slot.seen("D1")
    else:
        feeling.keypad.release(".")
    await asyncio.sleep(30)
    feeling.keypad.release(".")
    assert not any(isinstance(touch, Held) for touch in await feeling.told())


@pytest.mark.parametrize("key", ["C", "GO", "."])
async def test_the_press_that_wakes_does_only_that_unless_go_is_held(key: str) -> None:
    feeling = Feeling()
    await asyncio.sleep(61)
    told = {"C": [], "GO": [Woken("GO"), *(Held("GO", times) for times in range(1, 21)), Released("GO", 20)]}
    assert await feeling.key(key, 30.1) == told.get(key, [Woken(key)])
    assert feeling.asleep == [True, False]
    assert await feeling.key(key, 0.1) == [Key(key), Released(key, 0)]


@pytest.mark.parametrize("held_s", [0.1, 5.0])
async def test_a_press_that_was_lost_is_not_held_nor_released(held_s: float) -> None:
    """Else a unit that has caught up meanwhile would begin a new game for a ``C`` that it never heard of."""
    feeling = Feeling()
    for _ in range(MOST_WAITING):
        feeling.keypad.press("1")
    feeling.keypad.press("C")
    assert await feeling.told() == [*[Key("1")] * MOST_WAITING, Overrun()]
    await asyncio.sleep(held_s)
    feeling.keypad.release("C")
    assert await feeling.told() == []
