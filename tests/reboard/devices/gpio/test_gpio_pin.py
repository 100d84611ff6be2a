import asyncio
from threading import Thread
from typing import Any

import pytest
from gpiozero.pins.mock import MockFactory

from reboard.devices.gpio.gpio_pin import MOST_EDGES, InputPin

PIN = 17


def chatter(pins: MockFactory, times: int) -> None:
    """Close and open the switch on another thread, while the event loop is busy."""

    def close_and_open() -> None:
        for _ in range(times):
            pins.pin(PIN).drive_low()
            pins.pin(PIN).drive_high()

    thread = Thread(target=close_and_open)
    thread.start()
    thread.join()


@pytest.mark.parametrize(("times", "reported"), [(5, 5), (10_000, MOST_EDGES // 2)])
def test_edges_are_reported_in_order_and_a_loose_wire_uses_little_memory(
    times: int, reported: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    edges: list[bool] = []
    calls: list[object] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        call = loop.call_soon_threadsafe

        def count(*args: Any) -> asyncio.Handle:
            calls.append(args)
            return call(*args)

        monkeypatch.setattr(loop, "call_soon_threadsafe", count)
        pins = MockFactory()
        pin = InputPin(PIN, pins=pins, device="button", edge=edges.append)
        chatter(pins, times)
        await asyncio.sleep(0)
        chatter(pins, 1)
        await asyncio.sleep(0)
        pin.close()
        chatter(pins, 1)
        await asyncio.sleep(0)

    asyncio.run(main())
    assert edges == [True, False] * (reported + 1)
    assert len(calls) == 2, "the loop is not flooded with calls"
