import asyncio
from threading import Thread

import pytest
from gpiozero.pins.mock import MockFactory

from reboard.parts.wire import MOST_EDGES, InputWire

PIN = 17


def chatter(pins: MockFactory, times: int) -> None:
    """Close and open the wire so often, from a thread of its own and while the loop has no time."""

    def close_and_open() -> None:
        for _ in range(times):
            pins.pin(PIN).drive_low()
            pins.pin(PIN).drive_high()

    thread = Thread(target=close_and_open)
    thread.start()
    thread.join()


def told_of(times: int, monkeypatch: pytest.MonkeyPatch) -> tuple[list[bool], int]:
    """Every edge of a wire that chatters, and how often the loop was called for it."""
    told: list[bool] = []
    calls = 0

    async def main() -> None:
        nonlocal calls
        loop = asyncio.get_running_loop()
        call = loop.call_soon_threadsafe

        def count(*arguments: object) -> asyncio.Handle:
            nonlocal calls
            calls += 1
            return call(*arguments)  # type: ignore[arg-type]

        monkeypatch.setattr(loop, "call_soon_threadsafe", count)
        pins = MockFactory()
        wire = InputWire(PIN, pins=pins, part="button", edge=told.append)
        chatter(pins, times)
        await asyncio.sleep(0)
        chatter(pins, 1)
        await asyncio.sleep(0)
        wire.close()
        chatter(pins, 1)
        await asyncio.sleep(0)

    asyncio.run(main())
    return told, calls


def test_edges_that_came_while_the_loop_had_no_time_are_told_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    told, _ = told_of(5, monkeypatch)
    assert told == [True, False] * 6


def test_a_wire_that_chatters_takes_no_more_memory_than_its_last_edges(monkeypatch: pytest.MonkeyPatch) -> None:
    told, calls = told_of(10_000, monkeypatch)
    assert told == [True, False] * (MOST_EDGES // 2 + 1)
    assert calls == 2
