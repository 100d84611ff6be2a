"""All that a virtual table has told, over restarts, for whoever looks back."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping

KEPT = 50_000
"""How many of the latest events are kept: a long evening's."""

Told = Mapping[str, object]
"""One event as one flat object: ``t`` in seconds of the virtual clock, ``event``, and its fields."""


class EventLog:
    """The events in the order they came, each with a place that never changes: the first has 0."""

    def __init__(self) -> None:
        self._events: deque[Told] = deque(maxlen=KEPT)
        self._listeners: list[Callable[[Told], None]] = []
        self.end = 0

    def tell(self, told: Told) -> None:
        """Add one, and hand it to every listener."""
        self._events.append(told)
        self.end += 1
        for listener in tuple(self._listeners):
            listener(told)

    def listen(self, listener: Callable[[Told], None]) -> Callable[[], None]:
        """Hand every event from now on to *listener*; what is returned ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def since(self, place: int) -> Iterator[tuple[int, Told]]:
        """The events from *place* on that are still kept, each with its place."""
        first = self.end - len(self._events)
        for index in range(max(place - first, 0), len(self._events)):
            yield first + index, self._events[index]
