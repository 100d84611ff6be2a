"""Answers that go on: what each listening client has yet to be sent, and how all of them end at once."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Generic, TypeVar

T = TypeVar("T")

MOST_STREAMS = 24
"""How many streams may be open at a time; a page has three."""

HEARTBEAT_S = 15.0
"""After so much silence a client is told that the bench is still there."""


class Mailbox(Generic[T]):
    """What one client has yet to be sent, at most *size* items. It belongs to the loop that it was made on.

    A client that is too slow for it is cut off: it gets what is in the box and then its stream ends.
    """

    def __init__(self, size: int) -> None:
        self._loop = asyncio.get_running_loop()
        self._size = size
        self._items: deque[T] = deque()
        self._news = asyncio.Event()
        self.closed = False

    def put(self, item: T) -> None:
        """Add *item*, or close the box if it is full."""
        if len(self._items) >= self._size:
            self.close()
        if not self.closed:
            self._items.append(item)
            self._news.set()

    def put_from_thread(self, item: T) -> None:
        """`put`, from any thread. Nothing happens when the loop is gone."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self.put, item)

    def close(self) -> None:
        """Take nothing more."""
        self.closed = True
        self._news.set()

    async def items(self) -> AsyncIterator[T | None]:
        """Every item in turn until the box is closed and empty; ``None`` after each `HEARTBEAT_S` of silence."""
        while self._items or not self.closed:
            if self._items:
                yield self._items.popleft()
                continue
            self._news.clear()
            try:
                await asyncio.wait_for(self._news.wait(), HEARTBEAT_S)
            except asyncio.TimeoutError:
                yield None


class Streams:
    """All streams that are open. A server cannot stop while one is, so the bench ends them first."""

    def __init__(self) -> None:
        self._ends: set[Callable[[], None]] = set()
        self._ended = False

    @property
    def full(self) -> bool:
        """Whether no stream can be opened, because there are too many or because all were ended."""
        return self._ended or len(self._ends) >= MOST_STREAMS

    @contextmanager
    def open(self, end: Callable[[], None]) -> Iterator[None]:
        """One stream, for as long as the context lasts. *end* is called, on the loop, when it has to end."""
        self._ends.add(end)
        if self._ended:
            end()
        try:
            yield
        finally:
            self._ends.discard(end)

    def end_all(self) -> None:
        """End every stream, and open none again."""
        self._ended = True
        for end in tuple(self._ends):
            end()
