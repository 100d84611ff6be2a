from __future__ import annotations

import asyncio

from reboard.devices.readers.rdm6300 import CONFIRM_S, FRAME_END
from reboard_sim.devices.readers.virtual_reader import DECK, frame_of
from tests.reboard.devices.readers.reader_bench import reader_bench


async def test_a_single_frame_of_another_card_is_noise() -> None:
    async with reader_bench("rdm6300") as bench:
        bench.left.put(DECK[0])
        await asyncio.sleep(1)
        for card in (DECK[1], DECK[2], DECK[1]):
            bench.ports["left"].send(frame_of(card, FRAME_END))
            await asyncio.sleep(0.01)
        bench.left.take()
        await asyncio.sleep(1)
        for _ in range(2):
            bench.ports["left"].send(frame_of(DECK[1], FRAME_END))
            await asyncio.sleep(CONFIRM_S + 0.01)
        assert bench.names == ["left in", "left out"]
