"""Tests that are coroutines, in virtual or in real time, and a recorder of events."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable, Coroutine
from random import Random
from types import SimpleNamespace
from typing import Any, cast

from reboard.accessories.accessory import TableContext
from reboard.accessories.installed import all_events
from reboard.devices.speaker import Speaker
from reboard.events import Emit
from reboard.vocabulary.declared import Event
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


def happened(name: str, /, **fields: object) -> Event:
    """The event *name*, whose sender may leave fields out that its hearers do not need."""
    declared = all_events()[name]
    event: Event = object.__new__(declared)
    vars(event)["as_json"] = fields.copy
    return event


def context(speaker: Speaker, emit: Emit, **others: object) -> TableContext:
    """The context of a game without a table. *others* replace its services."""

    async def book(outcome: str, times: int = 1) -> None: ...

    services = {"now": asyncio.get_running_loop().time, "keep": lambda _, make: make(), "book": book}
    made: Any = SimpleNamespace(speaker=speaker, emit=emit, randomness=lambda _: Random(7), **services | others)
    return cast(TableContext, made)


class Recorder:
    """An `Emit` that keeps events."""

    def __init__(self) -> None:
        self.events: list[tuple[str, dict[str, object]]] = []

    def __call__(self, event: Event) -> None:
        self.events.append((event.event, event.as_json()))

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.events]
