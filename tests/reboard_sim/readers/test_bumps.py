from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from random import Random

import pytest

from reboard_sim.deck import DECK
from reboard_sim.pins import VirtualPins
from reboard_sim.readers.bumps import FLICKER_S, SLIDE_S, VirtualBumps
from reboard_sim.readers.virtual_reader import NoSuchCardError
from reboard_sim.switch import Switch
from reboard_sim.virtual_time import run

PINS = (9, 10, 11)


class Bench:
    """Three switches on a virtual Pi whose pins are pulled up, as the firmware would."""

    def __init__(self) -> None:
        pins = VirtualPins(asyncio.get_running_loop().time)
        self.lines = [pins.line(pin) for pin in PINS]
        for line in self.lines:
            line.set_pin(None, "up")
        switches = [Switch(line, pins.ground, rng=Random(pin)) for pin, line in zip(PINS, self.lines, strict=True)]
        self.reader = VirtualBumps(switches, rng=Random(1))

    @property
    def code(self) -> int:
        return sum(weight for weight, line in zip((1, 2, 4), self.lines, strict=True) if not line.level)


def at_the_bench(story: Callable[[Bench], Awaitable[None]]) -> None:
    async def main() -> None:
        bench = Bench()
        await story(bench)
        bench.reader.close()
        bench.reader.close()

    run(main)


@pytest.mark.parametrize("number", range(1, 8))
def test_a_card_closes_the_contacts_of_its_code_for_as_long_as_it_is_in(number: int) -> None:
    async def story(bench: Bench) -> None:
        bench.reader.put(DECK[number - 1])
        await asyncio.sleep(SLIDE_S + 0.01)
        assert bench.code == number
        assert bench.reader.card == DECK[number - 1]
        bench.reader.take()
        await asyncio.sleep(SLIDE_S + 0.01)
        assert bench.code == 0
        assert bench.reader.card is None

    at_the_bench(story)
    assert VirtualBumps.says(DECK[number - 1]) == f"bumps-{number}"


def test_the_contacts_of_one_card_do_not_close_at_the_same_instant() -> None:
    async def story(bench: Bench) -> None:
        bench.reader.put(DECK[6])
        await asyncio.sleep(1)
        closed_at = [next(t for t, duty in line.timeline if not duty and t > 0) for line in bench.lines]
        assert len(set(closed_at)) == 3

    at_the_bench(story)


@pytest.mark.parametrize("card", [DECK[7], "62E3086CED"])
def test_a_card_without_bumps_is_refused_and_what_was_in_stays(card: str) -> None:
    async def story(bench: Bench) -> None:
        bench.reader.put(DECK[4])
        with pytest.raises(NoSuchCardError, match="the deck's cards 1 to 7"):
            bench.reader.put(card)
        await asyncio.sleep(1)
        assert (bench.reader.card, bench.code) == (DECK[4], 5)

    at_the_bench(story)


def test_wires_that_are_off_feel_nothing_and_feel_the_card_again_when_they_are_on() -> None:
    async def story(bench: Bench) -> None:
        bench.reader.put(DECK[2])
        await asyncio.sleep(1)
        bench.reader.unplug()
        bench.reader.unplug()
        await asyncio.sleep(1)
        assert (bench.reader.card, bench.code) == (DECK[2], 0)
        bench.reader.put(DECK[5])
        await asyncio.sleep(1)
        assert bench.code == 0
        bench.reader.plug()
        await asyncio.sleep(1)
        assert bench.code == 6

    at_the_bench(story)


def test_a_flickering_contact_opens_now_and_then_for_an_instant() -> None:
    async def story(bench: Bench) -> None:
        bench.reader.put(DECK[0])
        await asyncio.sleep(1)
        bench.reader.flicker(True)
        await asyncio.sleep(60)
        bench.reader.flicker(False)
        await asyncio.sleep(1)
        assert bench.code == 1
        changes = list(bench.lines[0].timeline)[1:]
        opened = [t for t, duty in changes if duty and t > 1]
        assert len(opened) > 20
        closed = [t for t, duty in changes if not duty]
        assert all(any(0 < t - at <= FLICKER_S[1] + 0.01 for t in closed) for at in opened)

    at_the_bench(story)


def test_bad_contacts_chatter_while_a_card_is_in() -> None:
    async def story(bench: Bench) -> None:
        bench.reader.noise(True)
        await asyncio.sleep(10)
        assert bench.code == 0
        bench.reader.put(DECK[6])
        await asyncio.sleep(10)
        assert all(len(line.timeline) > 30 for line in bench.lines)
        bench.reader.noise(False)
        await asyncio.sleep(1)
        assert bench.code == 7

    at_the_bench(story)
