from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from random import Random

import pytest

from reboard.devices.readers.input_device import EVENT
from reboard_sim.board.input_device import VirtualInputDevice
from reboard_sim.devices.readers.keyboard import KEY_S, VirtualKeyboard
from reboard_sim.devices.readers.virtual_reader import DECK
from reboard_sim.virtual_time import run


class Bench:
    """A virtual reader that types, and all that a program with its device open has read."""

    def __init__(self) -> None:
        self.device = VirtualInputDevice()
        self.reader = VirtualKeyboard(self.device, rng=Random(1))
        self.line = self.device.open()
        self.events: list[tuple[int, ...]] = []

    async def watch(self, seconds: int) -> list[tuple[int, ...]]:
        """The same, for so many seconds from now on."""
        pressed = []
        for _ in range(seconds):
            await asyncio.sleep(1)
            pressed += self.look()
        return pressed

    def look(self) -> list[tuple[int, ...]]:
        """The keys that were pressed since the last look, with their times in microseconds."""
        events = []
        while data := self.line.read(4800):
            events += list(EVENT.iter_unpack(data))
        self.events += events
        return [(s * 1_000_000 + us, code) for s, us, kind, code, value in events if (kind, value) == (1, 1)]


def at_the_bench(story: Callable[[Bench], Awaitable[None]]) -> None:
    async def main() -> None:
        bench = Bench()
        await story(bench)
        bench.line.close()
        bench.reader.close()
        bench.reader.close()

    run(main)


def test_a_card_is_typed_once_as_real_readers_type_it() -> None:
    async def story(bench: Bench) -> None:
        await asyncio.sleep(3)
        bench.reader.put(DECK[0])
        await asyncio.sleep(60)
        pressed = bench.look()
        assert [code for _, code in pressed] == [11, 11, 2, 3, 9, 6, 3, 10, 10, 10, 28]
        assert pressed[0][0] == 3_000_000
        assert pressed[-1][0] == pytest.approx(3_000_000 + 10 * KEY_S * 1e6, abs=20)
        assert bench.events[0][2:] == (4, 4, 0x7_000B), "the key's number on the USB comes first"
        assert bench.events[2][2:] == (0, 0, 0), "and a report ends what belongs together"

    at_the_bench(story)
    assert VirtualKeyboard.says(DECK[0]) == "0012852999"


def test_a_plug_that_is_pulled_ends_a_line_in_its_middle() -> None:
    async def story(bench: Bench) -> None:
        bench.reader.put(DECK[0])
        await asyncio.sleep(4.5 * KEY_S)
        bench.reader.unplug()
        await asyncio.sleep(1)
        with pytest.raises(OSError, match="No such device"):
            bench.look()
        with pytest.raises(FileNotFoundError):
            bench.device.open()
        bench.line.close()
        bench.reader.plug()
        bench.line = bench.device.open()
        await asyncio.sleep(1)
        assert bench.look() == []

    at_the_bench(story)
