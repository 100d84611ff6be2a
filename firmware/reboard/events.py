"""The events of a table: their names and fields, their listeners, and the faults of its devices."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

log = logging.getLogger(__name__)

VOCABULARY: Mapping[str, frozenset[str]] = {
    name: frozenset(fields.split())
    for name, fields in {
        "block.pressed": "",
        "block.outcome": "outcome coins",
        "sound": "name",
        "lamp": "on",
        "card.inserted": "slot number",
        "card.removed": "slot number",
        "transfer": "id game from to amount reason undoes",
        "refused": "why",
        "game.started": "game edition",
        "game.resumed": "game edition",
        "game.ended": "game ranking",
        "game.clock": "minutes",
        "named": "number name",
        "requested": "do by args",
        "deal.started": "",
        "deal.tick": "",
        "deal.ended": "",
        "deal.cancelled": "",
        "apple.wound": "",
        "apple.started": "seconds",
        "apple.stopped": "",
        "motor": "level",
        "display": "lines",
        "volume": "level",
        "quiet": "on",
        "fault": "part cause",
        "recovered": "part",
    }.items()
}
"""All events: their names and their fields. Each has ``t`` as well."""

PASSING = frozenset({"motor", "lamp", "display", "sound", "deal.tick"})
"""Frequent events that are left out of the latest events."""

REMEMBERED = 100
"""The number of latest events that are kept, without the transient ones."""


@dataclass(frozen=True, slots=True)
class Event:
    """An event, ``t`` seconds after the start of the table."""

    name: str
    t: float
    fields: Mapping[str, object]

    def as_json(self) -> dict[str, object]:
        """Return it as one flat object: ``t``, ``event`` and its fields."""
        return {"t": round(self.t, 6), "event": self.name, **self.fields}


class Emit(Protocol):
    """The function with which a device or an accessory publishes an event."""

    def __call__(self, name: str, /, **fields: object) -> None:
        """Publish an event. Its name and fields are those of `VOCABULARY`."""


def ignore_event(name: str, /, **fields: object) -> None:
    """Publish nothing."""


class Events:
    """The events of a table: emitted on the event loop, passed to all listeners in order.

    *clock* returns seconds. A listener is called at once and must not block. If it raises, that is logged, and the
    table and the other listeners continue.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._started = clock()
        self._listeners: list[Callable[[Event], None]] = []
        self.recent: deque[Event] = deque(maxlen=REMEMBERED)

    def emit(self, name: str, /, **fields: object) -> None:
        """Call all listeners. Raises ``LookupError`` for a name or fields that are not in `VOCABULARY`."""
        if VOCABULARY.get(name) != fields.keys():
            raise LookupError(f"no event {name!r} with fields {sorted(fields)}")
        event = Event(name, self.now(), fields)
        if name not in PASSING:
            self.recent.append(event)
        for listener in tuple(self._listeners):
            try:
                listener(event)
            except Exception:
                log.exception("a listener failed on %s", name)

    def now(self) -> float:
        """Return the seconds since the start of the table: the ``t`` of an event now."""
        return self._clock() - self._started

    def listen(self, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Call *listener* with each event from now on. Call the returned function to stop that."""
        self._listeners.append(listener)

        def stop() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return stop


class FaultState:
    """The fault of a device, *part*, or none. It emits ``fault`` and ``recovered`` when that changes."""

    def __init__(self, part: str, emit: Emit) -> None:
        self.cause: str | None = None
        self._part = part
        self._emit = emit

    def set(self, cause: str | None) -> bool:
        """Set the cause of the fault, ``None`` for no fault, and return whether it changed."""
        if cause == self.cause:
            return False
        self.cause = cause
        if cause is None:
            self._emit("recovered", part=self._part)
        else:
            self._emit("fault", part=self._part, cause=cause)
        return True
