from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from random import Random

import pytest

from reboard_sim.board.pins import VirtualPins
from reboard_sim.devices.contact import VirtualContact
from reboard_sim.devices.readers.bumps import SLIDE_S, VirtualBumps
from reboard_sim.devices.readers.virtual_reader import DECK, NoSuchCardError
from reboard_sim.virtual_time import run

PINS = (9, 10, 11)


class Bench:
    """Three switches on a virtual Pi whose pins are pulled up, as the firmware would."""

    def __init__(self) -> None:
        pins = VirtualPins(asyncio.get_running_loop().time)
        self.lines = [pins.line(pin) for pin in PINS]
        for line in self.lines:
            line.set_pin(None, "up")
        switches = [
            VirtualContact(line, pins.ground, rng=Random(pin)) for pin, line in zip(PINS, self.lines, strict=True)
        ]
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


@pytest.mark.parametrize("card", [DECK[7], "62E3086CED"])
def test_a_card_without_bumps_is_refused_and_what_was_in_stays(card: str) -> None:
    async def story(bench: Bench) -> None:
        bench.reader.put(DECK[4])
        with pytest.raises(NoSuchCardError, match="cards 1 to 7"):
            bench.reader.put(card)
        await asyncio.sleep(1)
        assert (bench.reader.card, bench.code) == (DECK[4], 5)

    at_the_bench(story)
