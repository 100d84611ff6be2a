"""The latest of what passed over something, for whoever looks later."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import Generic, TypeVar

T = TypeVar("T")


class Tape(Generic[T]):
    """What was put on it, in order. Only the latest *length* are kept; `end` counts all that ever were.

    So each has a place that never changes: the first has 0. Costs next to nothing while nobody looks.
    """

    def __init__(self, length: int) -> None:
        self._kept: deque[T] = deque(maxlen=length)
        self.end = 0

    def append(self, one: T) -> None:
        """Put one more on it."""
        self._kept.append(one)
        self.end += 1

    def since(self, place: int) -> list[T]:
        """Those from *place* on that are still kept, the oldest first."""
        latest = list(islice(reversed(self._kept), max(0, self.end - place)))
        latest.reverse()
        return latest

    def news(self, place: int) -> tuple[list[T], int]:
        """Those `since` *place*, and the place to ask from the next time."""
        return self.since(place), self.end

    def __iter__(self) -> Iterator[T]:
        return iter(self._kept)

    def __len__(self) -> int:
        return len(self._kept)

    def __getitem__(self, index: int) -> T:
        return self._kept[index]
