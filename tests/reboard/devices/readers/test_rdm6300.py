from __future__ import annotations

import asyncio
from itertools import pairwise

from reboard.devices.readers.em4100 import CONFIRM_S, RDM6300_END
from reboard_sim.devices.readers.virtual_reader import DECK, frame_of
from tests.reboard.devices.readers.reader_bench import reader_bench
from tests.virtual import in_virtual_time


@in_virtual_time
async def test_a_card_is_in_after_its_second_frame_even_if_the_gaps_are_long() -> None:
    async with reader_bench("rdm6300") as bench:
        bench.left.put(DECK[0])
        await asyncio.sleep(1)
        assert bench.calls == [(0.065, "left in", DECK[0])]
        bench.left.flicker(True)
        await asyncio.sleep(120)
        assert bench.names == ["left in"]
        times = [sent.t for sent in bench.ports["left"].traffic]
        assert max(b - a for a, b in pairwise(times)) > 0.25


@in_virtual_time
async def test_a_single_frame_of_another_card_is_noise() -> None:
    async with reader_bench("rdm6300") as bench:
        bench.left.put(DECK[0])
        await asyncio.sleep(1)
        for card in (DECK[1], DECK[2], DECK[1]):
            bench.ports["left"].send(frame_of(card, RDM6300_END))
            await asyncio.sleep(0.01)
        bench.left.take()
        await asyncio.sleep(1)
        for _ in range(2):
            bench.ports["left"].send(frame_of(DECK[1], RDM6300_END))
            await asyncio.sleep(CONFIRM_S + 0.01)
        assert bench.names == ["left in", "left out"]
