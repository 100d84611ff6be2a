from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from itertools import pairwise
from typing import Any

from reboard.parts.slots.rdm6300 import FRAME_END, Rdm6300
from reboard_sim.deck import DECK
from reboard_sim.readers.em4100 import frame_of
from reboard_sim.readers.rdm6300 import VirtualRdm6300
from tests.reboard.parts.slots import slot_bench

Bench = slot_bench.Bench[VirtualRdm6300]


def at_the_bench(story: Callable[[Bench], Awaitable[None]], *, start: bool = True) -> Bench:
    bench = slot_bench.at_the_bench(Rdm6300, VirtualRdm6300, story, start=start)
    assert bench.baud_rates <= {9600}
    return bench


def test_a_card_is_in_with_its_second_frame_and_out_half_a_second_after_its_last_one() -> None:
    async def story(bench: Bench) -> None:
        await asyncio.sleep(1)
        bench.readers["left"].put(DECK[0])
        await asyncio.sleep(10)
        assert bench.slots["left"].tag == DECK[0]
        bench.readers["left"].take()
        await asyncio.sleep(10)
        assert bench.slots["left"].tag is None

    told = at_the_bench(story).told
    assert told[0] == (1.065, "left in", DECK[0])
    (out_at, what, tag) = told[1]
    assert (what, tag) == ("left out", DECK[0])
    assert 11.4 < out_at <= 11.5
    assert len(told) == 2


def test_another_card_at_once_is_a_removal_and_an_insertion() -> None:
    async def story(bench: Bench) -> None:
        bench.readers["left"].put(DECK[0])
        await asyncio.sleep(1)
        bench.readers["left"].put(DECK[1])
        await asyncio.sleep(0.1)

    assert at_the_bench(story).told == [
        (0.065, "left in", DECK[0]),
        (1.065, "left out", DECK[0]),
        (1.065, "left in", DECK[1]),
    ]


def test_a_single_frame_of_another_card_is_noise_and_two_with_another_between_them_are_none_either() -> None:
    async def story(bench: Bench) -> None:
        bench.readers["left"].put(DECK[0])
        await asyncio.sleep(1)
        line = bench.lines["left"]
        for card in (DECK[1], DECK[2], DECK[1]):
            line.send(frame_of(card, FRAME_END))
            await asyncio.sleep(0.01)
        bench.readers["left"].take()
        await asyncio.sleep(1)
        for _ in range(2):
            line.send(frame_of(DECK[1], FRAME_END))
            await asyncio.sleep(1)

    assert at_the_bench(story).words == ["left in", "left out"]


def test_a_flickering_card_lies_still() -> None:
    async def story(bench: Bench) -> None:
        bench.readers["left"].flicker(True)
        bench.readers["left"].put(DECK[0])
        await asyncio.sleep(120)

    bench = at_the_bench(story)
    assert bench.words == ["left in"]
    times = [said.t for said in bench.lines["left"].traffic]
    assert max(b - a for a, b in pairwise(times)) > 0.25, "it flickered badly"


def test_noise_is_no_card_and_hides_none() -> None:
    async def story(bench: Bench) -> None:
        bench.readers["left"].noise(True)
        await asyncio.sleep(60)
        assert bench.told == []
        bench.readers["left"].put(DECK[0])
        await asyncio.sleep(60)
        assert bench.words == ["left in"]
        bench.readers["left"].take()
        await asyncio.sleep(60)
        assert bench.words == ["left in", "left out"]
        assert bench.stray_bytes > 10_000

    at_the_bench(story)


def test_a_reader_pulled_out_is_one_fault_takes_its_card_along_and_comes_back_within_two_seconds() -> None:
    async def story(bench: Bench) -> None:
        bench.readers["left"].put(DECK[0])
        bench.readers["right"].put(DECK[1])
        await asyncio.sleep(10)
        bench.lines["left"].unplug()
        await asyncio.sleep(60.1)
        bench.lines["left"].plug()
        await asyncio.sleep(2)
        assert bench.slots["left"].tag == DECK[0]

    bench = at_the_bench(story)
    assert bench.words == ["left in", "right in", "fault left slot", "left out", "recovered left slot", "left in"]
    (_, _, (fault_at, _, cause), (out_at, *_), (back_at, *_), _) = bench.told
    assert (fault_at, cause) == (10, "the reader on /dev/left went away: look at its plug and its wires")
    assert 10.4 < out_at <= 10.5
    assert 70.1 <= back_at <= 70.7


def test_each_time_a_reader_is_pulled_out_is_a_fault_of_its_own() -> None:
    async def story(bench: Bench) -> None:
        for _ in range(2):
            bench.lines["left"].unplug()
            await asyncio.sleep(5)
            bench.lines["left"].plug()
            await asyncio.sleep(5)

    assert at_the_bench(story).words == ["fault left slot", "recovered left slot"] * 2


def test_a_reader_that_is_missing_at_the_start_is_one_fault_and_is_found_later() -> None:
    async def story(bench: Bench) -> None:
        bench.lines["left"].unplug()
        bench.start()
        bench.readers["right"].put(DECK[1])
        await asyncio.sleep(30)
        bench.lines["left"].plug()
        await asyncio.sleep(2)
        bench.readers["left"].put(DECK[0])
        await asyncio.sleep(0.1)

    bench = at_the_bench(story, start=False)
    assert bench.words == ["fault left slot", "right in", "recovered left slot", "left in"]
    assert "/dev/left is not there" in bench.told[0][2]


def test_a_line_that_is_open_elsewhere_is_said_to_be_in_use() -> None:
    async def story(bench: Bench) -> None:
        other = bench.lines["left"].open(9600)
        bench.start()
        await asyncio.sleep(5)
        other.close()
        await asyncio.sleep(1)

    bench = at_the_bench(story, start=False)
    assert bench.words == ["fault left slot", "recovered left slot"]
    assert "is in use" in bench.told[0][2]


def test_a_closed_slot_says_nothing_more_and_gives_its_line_back() -> None:
    async def story(bench: Bench) -> None:
        bench.readers["left"].put(DECK[0])
        await asyncio.sleep(1)
        bench.slots["left"].close()
        bench.slots["left"].close()
        await asyncio.sleep(5)
        assert bench.words == ["left in"]
        bench.lines["left"].open(9600).close()

    at_the_bench(story)


def test_closing_a_slot_whose_reader_is_missing_ends_the_search() -> None:
    async def story(bench: Bench) -> None:
        bench.lines["left"].unplug()
        await asyncio.sleep(1)
        bench.slots["left"].close()
        bench.lines["left"].plug()
        await asyncio.sleep(5)
        assert bench.words == ["fault left slot"]

    at_the_bench(story)


def test_a_slot_says_what_and_where_it_is() -> None:
    async def story(bench: Bench) -> None:
        bench.readers["left"].put(DECK[0])
        await asyncio.sleep(1)
        slot: Any = bench.slots["left"]
        assert slot.description == "RDM6300 on /dev/left"
        assert slot.health == "16 frames, 0 stray bytes"
        assert repr(slot) == f"<Rdm6300 /dev/left tag={DECK[0]}, 16 frames, 0 stray bytes>"

    at_the_bench(story)
