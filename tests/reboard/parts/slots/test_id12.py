from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from reboard.parts.slots.id12 import Id12
from reboard_sim.deck import DECK
from reboard_sim.readers.id12 import VirtualId12
from tests.reboard.parts.slots import slot_bench

Bench = slot_bench.Bench[VirtualId12]


def at_the_bench(story: Callable[[Bench], Awaitable[None]], *, start: bool = True) -> Bench:
    bench = slot_bench.at_the_bench(Id12, VirtualId12, story, start=start)
    assert bench.baud_rates <= {9600}
    return bench


async def tap(bench: Bench, card: str = DECK[0]) -> None:
    bench.readers["left"].put(card)
    await asyncio.sleep(0.4)
    bench.readers["left"].take()


def test_a_card_is_in_from_one_tap_to_the_next() -> None:
    async def story(bench: Bench) -> None:
        await tap(bench)
        await asyncio.sleep(600)
        assert bench.slots["left"].tag == DECK[0]
        await tap(bench)
        await asyncio.sleep(600)
        assert bench.slots["left"].tag is None

    assert at_the_bench(story).told == [(0, "left in", DECK[0]), (600.4, "left out", DECK[0])]


def test_another_card_takes_the_place_of_the_first() -> None:
    async def story(bench: Bench) -> None:
        await tap(bench)
        await tap(bench, DECK[1])

    assert at_the_bench(story).told == [(0, "left in", DECK[0]), (0.4, "left out", DECK[0]), (0.4, "left in", DECK[1])]


def test_a_card_whose_business_is_done_goes_by_itself() -> None:
    async def story(bench: Bench) -> None:
        await tap(bench)
        bench.slots["left"].done()
        await asyncio.sleep(20)

    assert at_the_bench(story).told == [(0, "left in", DECK[0]), (5.4, "left out", DECK[0])]


def test_a_card_that_lies_there_and_flickers_is_one_tap() -> None:
    async def story(bench: Bench) -> None:
        bench.readers["left"].flicker(True)
        bench.readers["left"].put(DECK[0])
        await asyncio.sleep(120)
        assert len(bench.lines["left"].traffic) > 200, "it flickered badly"

    assert at_the_bench(story).words == ["left in"]


def test_noise_is_no_card_and_hides_none() -> None:
    async def story(bench: Bench) -> None:
        bench.readers["left"].noise(True)
        await asyncio.sleep(60)
        assert bench.told == []
        await tap(bench)
        await asyncio.sleep(60)
        await tap(bench)
        assert bench.stray_bytes > 5_000

    assert at_the_bench(story).words == ["left in", "left out"]


def test_a_reader_pulled_out_takes_its_card_along_and_works_again_within_two_seconds() -> None:
    async def story(bench: Bench) -> None:
        bench.readers["left"].put(DECK[0])
        bench.readers["right"].put(DECK[1])
        await asyncio.sleep(10)
        bench.readers["left"].unplug()
        await asyncio.sleep(60.1)
        bench.readers["left"].plug()
        await asyncio.sleep(2)
        assert bench.slots["left"].tag is None, "what a reader says when it gets power, nobody hears yet"
        bench.readers["left"].take()
        await tap(bench)
        assert bench.slots["right"].tag == DECK[1]

    bench = at_the_bench(story)
    assert bench.words == ["left in", "right in", "fault left slot", "left out", "recovered left slot", "left in"]
    _, _, fault, out, back, again = bench.told
    assert fault == (10, "fault left slot", "the reader on /dev/left went away: look at its plug and its wires")
    assert out == (10, "left out", DECK[0])
    assert 70.1 <= back[0] <= 70.7
    assert again == (72.1, "left in", DECK[0])


def test_a_closed_slot_says_nothing_more_and_gives_its_line_back() -> None:
    async def story(bench: Bench) -> None:
        await tap(bench)
        bench.slots["left"].done()
        bench.slots["left"].close()
        bench.slots["left"].close()
        await asyncio.sleep(20)
        assert bench.words == ["left in"]
        bench.lines["left"].open(9600).close()

    at_the_bench(story)


def test_a_slot_says_what_and_where_it_is() -> None:
    async def story(bench: Bench) -> None:
        slot = bench.slots["left"]
        slot.done()
        await tap(bench)
        assert slot.description == "ID-12LA on /dev/left"
        assert repr(slot) == f"<Id12 /dev/left tag={DECK[0]}, 1 frames, 0 stray bytes>"

    at_the_bench(story)
