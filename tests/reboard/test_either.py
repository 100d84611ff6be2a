"""Waiting for the first of several things."""

import asyncio

import pytest

from reboard.either import either
from reboard_sim.virtual_time import run


def test_the_first_that_is_over_is_named_and_the_others_are_called_off() -> None:
    called_off: list[str] = []

    async def long() -> None:
        try:
            await asyncio.sleep(100)
        except asyncio.CancelledError:
            called_off.append("long")
            raise

    async def main() -> tuple[int, float]:
        return await either(long(), asyncio.sleep(1)), asyncio.get_running_loop().time()

    assert run(main) == (1, 1.0)
    assert called_off == ["long"]


def test_of_two_at_the_same_instant_the_earlier_in_the_list_counts() -> None:
    async def main() -> int:
        return await either(asyncio.sleep(0), asyncio.sleep(0))

    assert run(main) == 0


def test_what_the_first_raises_is_raised() -> None:
    async def fails() -> None:
        raise OSError("the wire is loose")

    async def main() -> int:
        return await either(asyncio.sleep(5), fails())

    with pytest.raises(OSError, match="loose"):
        run(main)


def test_being_called_off_calls_off_what_is_waited_for() -> None:
    ended: list[str] = []

    async def long() -> None:
        try:
            await asyncio.sleep(100)
        finally:
            ended.append("long")

    async def main() -> None:
        task = asyncio.ensure_future(either(long(), long()))
        await asyncio.sleep(1)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    run(main)
    assert ended == ["long", "long"]
