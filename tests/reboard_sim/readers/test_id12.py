from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from itertools import pairwise

import pytest

from reboard.parts.slots.id12 import FRAME_END
from reboard_sim.deck import DECK
from reboard_sim.readers.em4100 import frame_of
from reboard_sim.readers.id12 import LONGEST_S, VirtualId12
from reboard_sim.readers.virtual_reader import NoSuchCardError
from reboard_sim.serial_line import VirtualSerialLine
from reboard_sim.virtual_time import run

FRAME = frame_of(DECK[0], FRAME_END)


def traffic_of(story: Callable[[VirtualId12], Awaitable[None]]) -> list[tuple[float, bytes]]:
    async def main() -> list[tuple[float, bytes]]:
        line = VirtualSerialLine()
        reader = VirtualId12(line, rng=random.Random(1))
        await story(reader)
        reader.close()
        reader.close()
        before = len(line.traffic)
        await asyncio.sleep(1)
        assert len(line.traffic) == before, "it speaks after closing"
        return [(round(said.t, 6), said.data) for said in line.traffic]

    traffic: list[tuple[float, bytes]] = run(main)
    return traffic


def test_frames_are_those_of_real_readers() -> None:
    assert frame_of("0500207B32", FRAME_END) == bytes.fromhex("023035303032303742333236430D0A03")


def test_a_card_is_said_once_each_time_it_comes() -> None:
    async def story(reader: VirtualId12) -> None:
        reader.put(DECK[0])
        await asyncio.sleep(60)
        reader.take()
        assert reader.card is None
        await asyncio.sleep(60)
        reader.put(DECK[0])

    assert traffic_of(story) == [(0, FRAME), (120, FRAME)]


def test_a_flickering_card_is_said_over_and_over() -> None:
    async def story(reader: VirtualId12) -> None:
        reader.put(DECK[0])
        reader.flicker(True)
        await asyncio.sleep(60)
        reader.flicker(False)
        await asyncio.sleep(60)

    times = [t for t, data in traffic_of(story) if data == FRAME]
    gaps = {round(after - before, 3) for before, after in pairwise(times)}
    assert len(gaps) > 3
    assert max(gaps) <= LONGEST_S
    assert times[-1] <= 60


def test_noise_is_heard_with_and_without_a_card_and_ends() -> None:
    async def story(reader: VirtualId12) -> None:
        reader.noise(True)
        await asyncio.sleep(10)
        reader.put(DECK[0])
        await asyncio.sleep(10)
        reader.noise(False)
        await asyncio.sleep(10)

    traffic = traffic_of(story)
    assert [(t, data) for t, data in traffic if data == FRAME] == [(10, FRAME)]
    assert 190 < len(traffic) < 210
    assert traffic[-1][0] <= 20


def test_a_card_that_lies_there_when_it_gets_power_is_not_said() -> None:
    async def story(reader: VirtualId12) -> None:
        reader.unplug()
        reader.put(DECK[0])
        await asyncio.sleep(1)
        reader.plug()
        await asyncio.sleep(10)

    assert traffic_of(story) == []


def test_what_is_no_card_is_refused() -> None:
    async def story(reader: VirtualId12) -> None:
        with pytest.raises(NoSuchCardError, match="ten hex digits"):
            reader.put("bumps-5")
        assert reader.card is None

    assert traffic_of(story) == []
