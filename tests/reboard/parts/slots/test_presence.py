from __future__ import annotations

import asyncio

from reboard.parts.slots.presence import Presence
from reboard_sim.virtual_time import run


class Slip:
    """A slot's two callbacks, noted with their time."""

    def __init__(self) -> None:
        self.notes: list[tuple[float, str, str]] = []

    def inserted(self, tag: str) -> None:
        self.notes.append((asyncio.get_running_loop().time(), "in", tag))

    def removed(self, tag: str) -> None:
        self.notes.append((asyncio.get_running_loop().time(), "out", tag))


def told(*seen: tuple[float, str], until: float) -> list[tuple[float, str, str]]:
    slip = Slip()

    async def main() -> None:
        presence = Presence(0.5)
        presence.start(slip.inserted, slip.removed)
        for at, tag in seen:
            await asyncio.sleep(at - asyncio.get_running_loop().time())
            presence.seen(tag)
        await asyncio.sleep(until - asyncio.get_running_loop().time())

    run(main)
    return [(round(t, 6), what, tag) for t, what, tag in slip.notes]


def test_a_card_that_is_seen_once_is_in_at_once_and_out_after_the_hold_time() -> None:
    assert told((1, "A"), until=5) == [(1, "in", "A"), (1.5, "out", "A")]


def test_a_card_that_is_seen_again_in_time_stays_in() -> None:
    assert told((0, "A"), (0.4, "A"), (0.85, "A"), until=5) == [(0, "in", "A"), (1.35, "out", "A")]


def test_another_card_takes_the_place_of_the_first_at_once() -> None:
    assert told((0, "A"), (0.2, "B"), until=5) == [
        (0, "in", "A"),
        (0.2, "out", "A"),
        (0.2, "in", "B"),
        (0.7, "out", "B"),
    ]


def test_a_card_can_come_back() -> None:
    assert [what for _, what, _ in told((0, "A"), (1, "A"), until=5)] == ["in", "out", "in", "out"]


def test_nobody_is_called_after_closing() -> None:
    slip = Slip()

    async def main() -> None:
        presence = Presence(0.5)
        presence.start(slip.inserted, slip.removed)
        presence.seen("A")
        presence.close()
        presence.close()
        assert presence.tag is None
        await asyncio.sleep(2)

    run(main)
    assert [what for _, what, _ in slip.notes] == ["in"]


def test_a_card_that_lies_still_rings_one_timer_per_hold_time() -> None:
    async def main() -> int:
        loop = asyncio.get_running_loop()
        presence = Presence(0.5)
        rings = 0
        call_at = loop.call_at

        def counted(*args: object, **kwargs: object) -> asyncio.TimerHandle:
            nonlocal rings
            rings += 1
            return call_at(*args, **kwargs)  # type: ignore[arg-type]

        loop.call_at = counted  # type: ignore[method-assign]
        for _ in range(1000):
            presence.seen("A")
            await asyncio.sleep(0.01)  # a timer each
        loop.call_at = call_at  # type: ignore[method-assign]
        presence.close()
        return rings - 1000

    assert run(main) <= 21
