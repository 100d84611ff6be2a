from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from itertools import pairwise

from reboard.devices.readers.em4100 import RDM6300_END
from reboard_sim.board.serial_line import VirtualSerialLine
from reboard_sim.devices.readers import virtual_reader
from reboard_sim.devices.readers.rdm6300 import VirtualRdm6300
from reboard_sim.devices.readers.virtual_reader import DECK
from reboard_sim.virtual_time import run

SEED = 1


def frame_of(card: str) -> bytes:
    return virtual_reader.frame_of(card, RDM6300_END)


def traffic_of(story: Callable[[VirtualRdm6300, VirtualSerialLine], Awaitable[None]]) -> list[tuple[float, bytes]]:
    async def main() -> list[tuple[float, bytes]]:
        line = VirtualSerialLine()
        reader = VirtualRdm6300(line, rng=random.Random(SEED))
        await story(reader, line)
        reader.close()
        reader.close()
        before = len(line.traffic)
        await asyncio.sleep(1)
        assert len(line.traffic) == before, "it speaks after closing"
        line.close()
        return [(round(said.t, 6), said.data) for said in line.traffic]

    traffic: list[tuple[float, bytes]] = run(main)
    return traffic


def test_a_card_is_spoken_of_at_once_and_every_65_milliseconds_while_it_is_there() -> None:
    async def story(reader: VirtualRdm6300, line: VirtualSerialLine) -> None:
        await asyncio.sleep(1)
        reader.put(DECK[0])
        await asyncio.sleep(0.2)
        reader.take()
        assert reader.card is None
        await asyncio.sleep(1)

    frame = frame_of(DECK[0])
    assert traffic_of(story) == [(1, frame), (1.065, frame), (1.13, frame), (1.195, frame)]


def test_a_flickering_card_is_missed_half_the_time_but_never_for_over_a_quarter_of_a_second() -> None:
    async def story(reader: VirtualRdm6300, line: VirtualSerialLine) -> None:
        reader.flicker(True)
        reader.put(DECK[0])
        await asyncio.sleep(50)

    times = [t for t, _ in traffic_of(story)]
    gaps = [round(b - a, 3) for a, b in pairwise(times)]
    assert times[0] == 0
    assert set(gaps) == {0.065, 0.13, 0.195, 0.26}
    assert 300 < len(times) < 500, "of 770"
