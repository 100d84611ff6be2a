"""All that a virtual table has told, over restarts, for whoever looks back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from reboard_sim.tape import Tape

KEPT = 50_000
"""How many of the latest events are kept: a long evening's."""

Told = Mapping[str, object]
"""One event as one flat object: ``t`` in seconds of the virtual clock, ``event``, and its fields."""


class EventLog:
    """The events in the order they came, each with a place that never changes: the first has 0."""

    def __init__(self) -> None:
        self.tape: Tape[Told] = Tape(KEPT)
        self._listeners: list[Callable[[Told], None]] = []

    @property
    def end(self) -> int:
        """The place that the next one will have."""
        return self.tape.end

    def tell(self, told: Told) -> None:
        """Add one, and hand it to every listener."""
        self.tape.append(told)
        for listener in tuple(self._listeners):
            listener(told)

    def listen(self, listener: Callable[[Told], None]) -> Callable[[], None]:
        """Hand every event from now on to *listener*; what is returned ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def since(self, place: int) -> Iterator[tuple[int, Told]]:
        """The events from *place* on that are still kept, each with its place."""
        latest = self.tape.since(place)
        return enumerate(latest, self.end - len(latest))
