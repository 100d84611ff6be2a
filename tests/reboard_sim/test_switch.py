import asyncio
from random import Random

import pytest

from reboard_sim import virtual_time
from reboard_sim.board.pins import VirtualPins
from reboard_sim.devices.contact import VirtualContact


def wired(seed: int = 1, bounce_s: float = 0.002) -> tuple[VirtualPins, VirtualContact]:
    """A switch from a pulled-up pin to ground."""
    pins = VirtualPins(asyncio.get_running_loop().time)
    pins.pin(17).input_with_pull("up")
    return pins, VirtualContact(pins.line(17), pins.ground, rng=Random(seed), bounce_s=bounce_s)


@pytest.mark.parametrize("seed", range(20))
def test_it_moves_at_once_bounces_and_comes_to_rest(seed: int) -> None:
    async def main() -> None:
        pins, switch = wired(seed)
        line = pins.line(17)
        await asyncio.sleep(1)
        switch.close()
        assert switch.is_closed
        assert not line.level
        await asyncio.sleep(1)
        assert not line.level
        switch.open()
        assert line.level
        await asyncio.sleep(1)
        assert line.level
        times = [t for t, _ in line.timeline if t > 0]
        assert len(times) >= 2 + 2
        assert all(1 <= t <= 1.002 or 2 <= t <= 2.002 for t in times)

    virtual_time.run(main)


def test_a_chattering_contact_slips_only_while_it_is_held() -> None:
    async def main() -> None:
        pins, switch = wired()
        line = pins.line(17)
        switch.chatter = True
        await asyncio.sleep(5)
        assert line.level
        switch.close()
        await asyncio.sleep(10)
        slips = sum(duty > 0 for t, duty in line.timeline if t > 5.1)
        assert 15 <= slips <= 200
        switch.chatter = False
        await asyncio.sleep(1)
        quiet = len(line.timeline)
        await asyncio.sleep(10)
        assert not line.level
        assert len(line.timeline) == quiet
        switch.chatter = True
        switch.open()
        await asyncio.sleep(10)
        assert line.level
        assert line.timeline[-1][0] < 26.1

    virtual_time.run(main)
