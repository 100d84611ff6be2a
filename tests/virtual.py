"""Tests that are coroutines, in virtual or in real time, and a recorder of events."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from reboard_sim.virtual_time import run


def in_virtual_time(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """Make a test of a coroutine. It fails as well if a callback raises, up to ten seconds after its end."""

    @functools.wraps(test)
    def run_test(*args: Any, **kwargs: Any) -> None:
        failures: list[dict[str, Any]] = []

        async def main() -> None:
            asyncio.get_running_loop().set_exception_handler(lambda _, context: failures.append(context))
            await test(*args, **kwargs)
            await asyncio.sleep(10)

        run(main)
        assert not failures, f"a callback raised: {failures}"

    return run_test


def in_real_time(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Make a test of a coroutine that waits for threads, processes or sockets."""
    return functools.wraps(test)(lambda *args, **kwargs: asyncio.run(test(*args, **kwargs)))


def now() -> float:
    """Return the virtual time, in seconds since the start of the test."""
    return round(asyncio.get_running_loop().time(), 6)


class Recorder:
    """An `Emit` that keeps events."""

    def __init__(self) -> None:
        self.events: list[tuple[str, dict[str, object]]] = []

    def __call__(self, name: str, /, **fields: object) -> None:
        self.events.append((name, fields))

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.events]
