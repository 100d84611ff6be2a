from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from itertools import permutations
from random import Random
from typing import Any, cast

import pytest
from gpiozero import InputDevice
from hypothesis import given, settings
from hypothesis import strategies as st

from reboard.errors import PartError
from reboard.parts.slots.bumps import RESTLESS_S, SETTLE_S, WEIGHTS, Bumps
from reboard_sim.pins import VirtualPins
from reboard_sim.switch import Switch
from reboard_sim.virtual_time import run

PINS = (9, 10, 11)
LONGEST_GAP_S = 0.3
"""A slow or crooked hand pushes one switch this long after the other."""
BOUNCE_S = 0.02

Told = tuple[float, str, str]


class Bench:
    """A slot on a virtual Pi's pins, three switches on the same pins, and what was told."""

    def __init__(self, seed: int = 1) -> None:
        self._loop = asyncio.get_running_loop()
        self.pins = VirtualPins(self._loop.time)
        self.switches = [
            Switch(self.pins.line(pin), self.pins.ground, rng=Random(f"{seed} {pin}"), bounce_s=BOUNCE_S)
            for pin in PINS
        ]
        self.told: list[Told] = []
        self.slot = Bumps(PINS, pins=self.pins, emit=self._emit, name="left")

    def start(self) -> None:
        self.slot.start(lambda tag: self._tell("in", tag), lambda tag: self._tell("out", tag))

    def push(self, code: int) -> None:
        """Push the switches that make up *code*, and let the others go, all at once."""
        for weight, switch in zip(WEIGHTS, self.switches, strict=True):
            (switch.close if code & weight else switch.open)()

    def _emit(self, name: str, /, **fields: object) -> None:
        assert fields["part"] == "left slot"
        self._tell(name, str(fields.get("cause", "")))

    def _tell(self, what: str, detail: str) -> None:
        self.told.append((round(self._loop.time(), 3), what, detail))

    @property
    def words(self) -> list[str]:
        return [f"{what} {detail}" for _, what, detail in self.told]


def at_the_bench(story: Callable[[Bench], Awaitable[None]], *, start: bool = True, seed: int = 1) -> Bench:
    async def main() -> Bench:
        failures: list[object] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: failures.append(context))
        bench = Bench(seed)
        if start:
            bench.start()
        try:
            await story(bench)
        finally:
            bench.slot.close()
        assert failures == []
        return bench

    return cast(Bench, run(main))


@pytest.mark.parametrize("code", range(1, 8))
def test_a_cards_bumps_are_its_code(code: int) -> None:
    async def story(bench: Bench) -> None:
        await asyncio.sleep(1)
        bench.push(code)
        await asyncio.sleep(1)
        assert bench.slot.tag == f"bumps-{code}"
        bench.push(0)
        await asyncio.sleep(1)
        assert bench.slot.tag is None

    bench = at_the_bench(story)
    assert bench.words == [f"in bumps-{code}", f"out bumps-{code}"]
    for (t, *_), moved_at in zip(bench.told, (1, 2), strict=True):
        assert moved_at + SETTLE_S <= t <= moved_at + BOUNCE_S + SETTLE_S


def test_a_card_that_is_in_at_power_on_is_read() -> None:
    async def story(bench: Bench) -> None:
        bench.push(5)
        await asyncio.sleep(1)
        assert bench.told == []
        bench.start()
        await asyncio.sleep(1)

    assert at_the_bench(story, start=False).words == ["in bumps-5"]


def test_an_empty_slot_says_nothing_and_wakes_nobody() -> None:
    async def story(bench: Bench) -> None:
        await asyncio.sleep(1000)
        assert bench.slot._settling is None

    assert at_the_bench(story).told == []


def test_another_code_is_another_card() -> None:
    async def story(bench: Bench) -> None:
        bench.push(3)
        await asyncio.sleep(1)
        bench.push(6)
        await asyncio.sleep(1)

    bench = at_the_bench(story)
    assert bench.words == ["in bumps-3", "out bumps-3", "in bumps-6"]
    assert bench.told[1][0] == bench.told[2][0]


@pytest.mark.parametrize("open_s", [0.0001, 0.01, 0.1, 0.3])
def test_a_contact_that_opens_for_an_instant_takes_no_card_out(open_s: float) -> None:
    async def story(bench: Bench) -> None:
        bench.push(7)
        await asyncio.sleep(1)
        for _ in range(20):
            bench.switches[1].open()
            await asyncio.sleep(open_s)
            bench.switches[1].close()
            await asyncio.sleep(1)

    assert at_the_bench(story).words == ["in bumps-7"]


async def slide(bench: Bench, order: tuple[int, ...], gaps_s: tuple[float, ...], *, into: bool) -> None:
    for gap_s, place in zip(gaps_s, order, strict=True):
        await asyncio.sleep(gap_s)
        (bench.switches[place].close if into else bench.switches[place].open)()


def slides(seed: int, longest_gap_s: float) -> list[str]:
    """Every card in and out again, its contacts in every order, at random times and bouncing: what is told wrongly."""
    rng = Random(f"slides {seed}")
    wrong: list[str] = []

    async def story(bench: Bench) -> None:
        for code in range(1, 8):
            places = [place for place, weight in enumerate(WEIGHTS) if code & weight]
            for order in permutations(places):
                bench.told.clear()
                for into in (True, False):
                    gaps_s = tuple(rng.uniform(0, longest_gap_s) for _ in order)
                    await slide(bench, order, gaps_s, into=into)
                    await asyncio.sleep(1)
                if bench.words != [f"in bumps-{code}", f"out bumps-{code}"]:
                    wrong.append(f"{code} in order {order}: {bench.words}")

    at_the_bench(story, seed=seed)
    return wrong


@pytest.mark.parametrize("seed", range(10))
def test_a_card_that_is_slid_in_slowly_is_no_other_card_on_its_way(seed: int) -> None:
    assert slides(seed, LONGEST_GAP_S) == []


def test_a_card_that_is_slid_in_more_slowly_than_any_hand_is_told_as_what_it_looks_like() -> None:
    async def story(bench: Bench) -> None:
        await slide(bench, (0, 2), (0, SETTLE_S + 0.1), into=True)
        await asyncio.sleep(1)

    assert at_the_bench(story).words == ["in bumps-1", "out bumps-1", "in bumps-5"]


def test_contacts_that_do_not_come_to_rest_are_a_fault_and_take_no_card_out() -> None:
    async def story(bench: Bench) -> None:
        bench.push(2)
        await asyncio.sleep(1)
        for _ in range(100):
            bench.switches[0].close()
            await asyncio.sleep(0.1)
            bench.switches[0].open()
            await asyncio.sleep(0.1)
        assert bench.slot.tag == "bumps-2"
        assert bench.slot.health == "1 cards, 1 times restless"
        await asyncio.sleep(1)

    bench = at_the_bench(story)
    (_, (fault_at, fault, cause), (back_at, recovered, _)) = bench.told
    assert (fault, recovered) == ("fault", "recovered")
    assert cause == (
        "the card switches on GPIO9, GPIO10, GPIO11 do not come to rest: one of them, or its wire, is loose"
    )
    assert 1 + RESTLESS_S <= fault_at <= 1 + RESTLESS_S + SETTLE_S
    assert 21 <= back_at <= 21.4


def test_a_card_taken_out_while_a_contact_chattered_is_out_when_it_rests() -> None:
    async def story(bench: Bench) -> None:
        bench.push(4)
        await asyncio.sleep(1)
        bench.switches[2].chatter = True
        await asyncio.sleep(30)
        bench.switches[2].open()
        await asyncio.sleep(0.4)
        assert bench.slot.tag is None

    told = [words for words in at_the_bench(story).words if not words.startswith(("fault", "recovered"))]
    assert told == ["in bumps-4", "out bumps-4"]


def test_what_is_done_takes_no_card_out() -> None:
    async def story(bench: Bench) -> None:
        bench.push(1)
        await asyncio.sleep(1)
        bench.slot.done()
        await asyncio.sleep(60)

    assert at_the_bench(story).words == ["in bumps-1"]


def test_a_closed_slot_says_nothing_more_and_gives_its_pins_back() -> None:
    async def story(bench: Bench) -> None:
        bench.push(1)
        await asyncio.sleep(0.1)
        bench.slot.close()
        bench.slot.close()
        bench.push(2)
        await asyncio.sleep(5)
        for pin in PINS:
            InputDevice(pin, pin_factory=bench.pins).close()

    bench = at_the_bench(story)
    assert bench.told == []
    assert bench.slot.tag is None


def test_a_pin_that_cannot_be_had_is_named_and_the_others_are_given_back() -> None:
    async def main() -> None:
        pins = VirtualPins(asyncio.get_running_loop().time)
        taken = InputDevice(11, pin_factory=pins)
        with pytest.raises(PartError, match="the left slot on GPIO11 cannot be used"):
            Bumps(PINS, pins=pins, name="left")
        taken.close()
        Bumps(PINS, pins=pins, name="left").close()

    run(main)


def test_a_slot_says_what_and_where_it_is() -> None:
    async def story(bench: Bench) -> None:
        bench.push(6)
        await asyncio.sleep(1)
        slot: Any = bench.slot
        assert slot.description == "three switches for the original cards on GPIO9, GPIO10, GPIO11"
        assert repr(slot) == "<Bumps GPIO9, GPIO10, GPIO11 tag=bumps-6, 1 cards, 0 times restless>"

    at_the_bench(story)


MOVES = st.tuples(st.sampled_from([0, 0.0005, 0.01, 0.1, 0.3, 0.36, 1.0]), st.sampled_from([0, 1, 2]), st.booleans())


@settings(max_examples=150)
@given(st.lists(MOVES, max_size=40))
def test_whatever_the_switches_do_insertions_and_removals_take_turns(moves: list[tuple[float, int, bool]]) -> None:
    async def story(bench: Bench) -> None:
        for wait_s, place, closed in moves:
            await asyncio.sleep(wait_s)
            (bench.switches[place].close if closed else bench.switches[place].open)()
        await asyncio.sleep(1)
        code = sum(weight for weight, switch in zip(WEIGHTS, bench.switches, strict=True) if switch.is_closed)
        assert bench.slot.tag == (f"bumps-{code}" if code else None), "at rest it is what it looks like"

    bench = at_the_bench(story)
    cards = [(what, tag) for _, what, tag in bench.told if what in ("in", "out")]
    assert [what for what, _ in cards] == (["in", "out"] * len(cards))[: len(cards)]
    assert all(came == went for (_, came), (_, went) in zip(cards[::2], cards[1::2], strict=False))
    assert [what for _, what, _ in bench.told if what not in ("in", "out")] in (
        ["fault", "recovered"] * n for n in range(20)
    )
