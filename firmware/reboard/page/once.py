"""Work that many want at the same time and that is done once for all of them."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Once(Generic[T]):
    """Results by key, of which the *most_kept* that were made last are kept.

    Whoever goes away while waiting spoils nothing for the others; what fails, fails for all who wait and is not kept.
    """

    def __init__(self, most_kept: int) -> None:
        self._most_kept = most_kept
        self._results: OrderedDict[Hashable, asyncio.Task[T]] = OrderedDict()

    async def get(self, key: Hashable, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The result for *key*, made now unless it is known or being made."""
        result = self._results.get(key)
        if result is None:
            result = self._results[key] = asyncio.create_task(make())
            result.add_done_callback(lambda done: self._made(key, done))
        return await asyncio.shield(result)

    def _made(self, key: Hashable, result: asyncio.Task[T]) -> None:
        if result.cancelled() or result.exception():
            self._results.pop(key, None)
        while len(self._results) > self._most_kept:
            oldest = next((key for key, task in self._results.items() if task.done()), None)
            if oldest is None:
                break
            del self._results[oldest]
