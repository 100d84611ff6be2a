"""One accessory that fails spoils nothing else."""

import asyncio
import itertools
import logging
from collections.abc import Awaitable, Callable

import pytest

from reboard.errors import PartError
from reboard.supervise import supervised
from reboard_sim.virtual_time import run

Told = list[tuple[float, str, object]]


def watched(story: Callable[[int], Awaitable[None]], seconds: float) -> tuple[list[float], Told]:
    """Supervise *story* (called with its number) for so long; when it was started, and what was told."""
    starts: list[float] = []
    told: Told = []

    async def main() -> None:
        loop = asyncio.get_running_loop()

        def emit(name: str, /, **fields: object) -> None:
            told.append((loop.time(), name, fields.get("cause")))

        async def numbered() -> None:
            starts.append(loop.time())
            await story(len(starts))

        task = asyncio.ensure_future(supervised("apple", numbered, emit))
        await asyncio.sleep(seconds)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    run(main)
    return starts, told


async def _fails(_: int) -> None:
    raise PartError("pin 13 does not answer")


def test_pauses_between_tries_grow_up_to_a_minute() -> None:
    starts, _ = watched(_fails, 300)
    pauses = [later - earlier for earlier, later in itertools.pairwise(starts)]
    assert pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60]


def test_a_failure_is_told_once_with_its_cause() -> None:
    _, told = watched(_fails, 300)
    assert told == [(0.0, "fault", "pin 13 does not answer")]


def test_a_story_that_runs_again_is_told_as_recovered() -> None:
    async def fails_twice(number: int) -> None:
        if number <= 2:
            raise PartError("loose")
        await asyncio.sleep(1000)

    _, told = watched(fails_twice, 100)
    assert [(name, cause) for _, name, cause in told] == [("fault", "loose"), ("recovered", None)]


def test_another_cause_is_told_anew() -> None:
    async def fails_in_turn(number: int) -> None:
        raise PartError(f"cause {number}")

    _, told = watched(fails_in_turn, 2)
    assert [cause for _, _, cause in told] == ["cause 1", "cause 2"]


def test_a_story_that_ends_is_started_again() -> None:
    async def ends(_: int) -> None:
        await asyncio.sleep(0.5)

    starts, told = watched(ends, 2)
    assert starts == [0, 1.5]
    assert told == [(0.5, "fault", "its story ended")]


def test_a_story_that_is_called_off_from_inside_is_a_fault_and_started_again() -> None:
    async def called_off(_: int) -> None:
        connection = asyncio.get_running_loop().create_future()
        connection.cancel()
        await connection

    starts, told = watched(called_off, 10)
    assert starts == [0, 1, 3, 7]
    assert told == [(0.0, "fault", "it was called off")]


def test_a_defect_of_ours_is_logged_once_with_its_trace_and_a_loose_wire_needs_none(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def bug(_: int) -> None:
        raise ZeroDivisionError

    with caplog.at_level(logging.ERROR):
        watched(_fails, 10)
        watched(bug, 10)
    [ours] = caplog.records
    assert ours.exc_info
    assert "apple" in ours.getMessage()
