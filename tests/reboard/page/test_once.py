from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from reboard.page.once import Once
from reboard_sim.virtual_time import run


class Work:
    """Takes a second, counts how often it was done, and fails when told to."""

    def __init__(self) -> None:
        self.done: list[object] = []
        self.failure: Exception | None = None

    def on(self, key: object) -> Callable[[], Coroutine[Any, Any, object]]:
        async def work() -> object:
            self.done.append(key)
            await asyncio.sleep(1)
            if self.failure:
                raise self.failure
            return key

        return work


def test_what_many_want_is_done_once_and_kept() -> None:
    async def main() -> None:
        once, work = Once[object](2), Work()
        assert await asyncio.gather(*(once.get("a", work.on("a")) for _ in range(500))) == ["a"] * 500
        assert await once.get("a", work.on("a")) == "a"
        assert work.done == ["a"]

    run(main)


def test_only_so_many_results_are_kept() -> None:
    async def main() -> None:
        once, work = Once[object](2), Work()
        for key in ("a", "b", "c", "b", "c", "a"):
            await once.get(key, work.on(key))
        assert work.done == ["a", "b", "c", "a"]

    run(main)


def test_what_is_being_made_is_not_made_again_because_much_is_asked_for() -> None:
    async def main() -> None:
        once, work = Once[object](2), Work()
        asked = [once.get(key % 10, work.on(key % 10)) for key in range(100)]
        await asyncio.gather(*asked)
        assert work.done == list(range(10))
        for key in (8, 9):
            await once.get(key, work.on(key))
        assert work.done == list(range(10))

    run(main)


def test_a_failure_is_told_to_all_who_wait_and_not_kept() -> None:
    async def main() -> None:
        once, work = Once[object](2), Work()
        work.failure = ValueError("no ink")
        told = await asyncio.gather(*(once.get("a", work.on("a")) for _ in range(3)), return_exceptions=True)
        assert told == [work.failure] * 3
        work.failure = None
        assert await once.get("a", work.on("a")) == "a"

    run(main)


def test_who_goes_away_spoils_nothing_for_the_others() -> None:
    async def main() -> None:
        once, work = Once[object](2), Work()
        first, second = (asyncio.create_task(once.get("a", work.on("a"))) for _ in range(2))
        await asyncio.sleep(0.5)
        first.cancel()
        assert await second == "a"
        with pytest.raises(asyncio.CancelledError):
            await first
        assert work.done == ["a"]

    run(main)
