from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import permutations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reboard.devices.readers.kinds.bumps import RESTLESS_S, SETTLE_S, WEIGHTS, Bumps
from reboard.events import Fault, Recovered
from reboard.vocabulary.declared import Event
from reboard_sim.board.pins import VirtualPins
from reboard_sim.devices.contact import VirtualContact
from tests.virtual import now

PINS = (9, 10, 11)
LONGEST_GAP_S = 0.3
"""The longest time between two switches for a card that is pushed in slowly or askew."""
BOUNCE_S = 0.02


class Bench:
    """A slot on a virtual Pi's pins, and its three switches."""

    def __init__(self, seed: int) -> None:
        self.pins = VirtualPins(asyncio.get_running_loop().time)
        self.switches = [
            VirtualContact(self.pins.line(pin), self.pins.ground, rng=Random(f"{seed} {pin}"), bounce_s=BOUNCE_S)
            for pin in PINS
        ]
        self.calls: list[tuple[float, str]] = []
        self.slot = Bumps(PINS, pins=self.pins, emit=self._emit, name="left slot")

    def start(self) -> None:
        self.slot.start(
            lambda tag: self.calls.append((round(now(), 3), f"+{tag}")),
            lambda tag: self.calls.append((round(now(), 3), f"-{tag}")),
        )

    async def push(self, code: int) -> None:
        """Close the switches of *code*, open the others, and wait a second."""
        for weight, switch in zip(WEIGHTS, self.switches, strict=True):
            (switch.press if code & weight else switch.release)()
        await asyncio.sleep(1)

    def _emit(self, event: Event) -> None:
        assert isinstance(event, Fault | Recovered)
        assert event.part == "left slot"
        self.calls.append((round(now(), 3), event.event))

    @property
    def names(self) -> list[str]:
        return [name for _, name in self.calls]


@asynccontextmanager
async def opened(*, start: bool = True, seed: int = 1) -> AsyncIterator[Bench]:
    bench = Bench(seed)
    if start:
        bench.start()
    try:
        yield bench
    finally:
        bench.slot.close()


@pytest.mark.parametrize("code", range(1, 8))
async def test_a_cards_bumps_are_its_code(code: int) -> None:
    async with opened() as bench:
        await asyncio.sleep(1)
        await bench.push(code)
        assert bench.slot.tag == f"bumps-{code}"
        bench.slot.touched()
        assert not bench.slot.forget(f"bumps-{code}")
        await asyncio.sleep(60)
        await bench.push(0)
        assert bench.slot.tag is None
        assert bench.names == [f"+bumps-{code}", f"-bumps-{code}"]
        for (t, _), moved_at in zip(bench.calls, (1, 62), strict=True):
            assert moved_at + SETTLE_S <= t <= moved_at + BOUNCE_S + SETTLE_S


async def test_a_card_that_is_in_at_the_start_is_read() -> None:
    async with opened(start=False) as bench:
        await bench.push(5)
        assert bench.calls == []
        bench.start()
        await asyncio.sleep(1)
        assert bench.names == ["+bumps-5"]


@pytest.mark.parametrize(("before", "after"), [(5, 4), (5, 7), (7, 1), (3, 6)])
async def test_a_code_that_changes_while_a_card_is_in_is_no_other_players_card(before: int, after: int) -> None:
    async with opened() as bench:
        await bench.push(before)
        await bench.push(after)
        assert bench.slot.tag is None
        await bench.push(before)
        assert bench.slot.tag is None, "not before the card was out"
        await bench.push(0)
        await bench.push(after)
        assert bench.names == [f"+bumps-{before}", "fault", f"-bumps-{before}", "recovered", f"+bumps-{after}"]


async def test_cards_that_are_exchanged_faster_than_the_slot_is_empty_are_two_cards() -> None:
    async with opened() as bench:
        await bench.push(5)
        for switch in bench.switches:
            switch.release()
        await asyncio.sleep(2 * BOUNCE_S)
        await bench.push(4)
        assert bench.names == ["+bumps-5", "-bumps-5", "+bumps-4"]


@pytest.mark.parametrize("open_s", [0.0001, 0.01, 0.1, 0.3])
async def test_a_switch_that_opens_for_a_moment_removes_no_card(open_s: float) -> None:
    async with opened() as bench:
        await bench.push(7)
        for _ in range(20):
            bench.switches[1].release()
            await asyncio.sleep(open_s)
            bench.switches[1].press()
            await asyncio.sleep(1)
        assert bench.names == ["+bumps-7"]


@pytest.mark.parametrize("seed", range(5))
async def test_a_card_that_is_pushed_in_slowly_is_no_other_card_on_its_way(seed: int) -> None:
    rng = Random(f"slides {seed}")
    async with opened(seed=seed) as bench:
        for code in range(1, 8):
            for order in permutations(place for place, weight in enumerate(WEIGHTS) if code & weight):
                bench.calls.clear()
                for move in (VirtualContact.press, VirtualContact.release):
                    for place in order:
                        await asyncio.sleep(rng.uniform(0, LONGEST_GAP_S))
                        move(bench.switches[place])
                    await asyncio.sleep(1)
                assert bench.names == [f"+bumps-{code}", f"-bumps-{code}"], order


async def test_switches_that_keep_changing_are_a_fault_and_the_card_stays_until_they_rest() -> None:
    async with opened() as bench:
        await bench.push(2)
        for _ in range(100):
            bench.switches[0].press()
            await asyncio.sleep(0.1)
            bench.switches[0].release()
            await asyncio.sleep(0.1)
        assert bench.slot.tag == "bumps-2"
        bench.switches[1].release()
        await asyncio.sleep(1)
        assert bench.names == ["+bumps-2", "fault", "recovered", "-bumps-2"]
        assert 1 + RESTLESS_S <= bench.calls[1][0] <= 1 + RESTLESS_S + SETTLE_S
        assert 21 <= bench.calls[2][0] <= 21.4
        assert (bench.slot.heard.frames, bench.slot.heard.dropped) == (1, 1)


MOVES = st.tuples(st.sampled_from([0, 0.0005, 0.01, 0.1, 0.3, 0.36, 1.0]), st.sampled_from([0, 1, 2]), st.booleans())


@settings(max_examples=100)
@given(st.lists(MOVES, max_size=40))
async def test_insertions_and_removals_alternate_and_at_rest_the_code_is_right(
    moves: list[tuple[float, int, bool]],
) -> None:
    async with opened() as bench:
        for wait_s, place, closed in moves:
            await asyncio.sleep(wait_s)
            (bench.switches[place].press if closed else bench.switches[place].release)()
        await asyncio.sleep(1)
        code = sum(weight for weight, switch in zip(WEIGHTS, bench.switches, strict=True) if switch.is_closed)
        is_impossible = bench.names.count("fault") > bench.names.count("recovered")
        assert bench.slot.tag == (f"bumps-{code}" if code and not is_impossible else None)
        cards = [name for name in bench.names if "bumps" in name]
        assert [name[0] for name in cards] == (["+", "-"] * len(cards))[: len(cards)]
        assert all(came[1:] == went[1:] for came, went in zip(cards[::2], cards[1::2], strict=False))
        faults = [name for name in bench.names if "bumps" not in name]
        assert faults == (["fault", "recovered"] * len(faults))[: len(faults)]
