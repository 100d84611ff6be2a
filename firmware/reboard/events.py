"""The events of a table: their names and fields, their listeners, and the faults of its devices."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from reboard.errors import clean
from reboard.strict_json import plain

log = logging.getLogger(__name__)


class EventKind:
    """A kind of event: its fields besides ``t``, whether the event *is_passing*, and whether it *is_shared*.

    Passing events are frequent, so `Events.recent` does not keep them. Shared events leave the table over MQTT.
    """

    def __init__(self, *fields: str, is_passing: bool = False, is_shared: bool = False) -> None:
        self.fields = frozenset(fields)
        self.is_passing = is_passing
        self.is_shared = is_shared


DEVICE_EVENTS: Mapping[str, EventKind] = {
    "lamp": EventKind("device", "on", is_passing=True),
    "motor": EventKind("device", "level", is_passing=True),
    "display": EventKind("device", "lines", is_passing=True),
    "matrix": EventKind("device", "glyphs", is_passing=True),
    "ring": EventKind("device", "colours", is_passing=True),
    "rgb_led": EventKind("device", "colour", is_passing=True),
    "servo": EventKind("device", "degrees", is_passing=True),
    "buzzer": EventKind("device", "hz", is_passing=True),
}
"""The kinds of events of the devices of accessories. ``device`` is the label of the device, such as ``block.lamp``."""

COMMON_EVENTS: Mapping[str, EventKind] = {
    **DEVICE_EVENTS,
    "sound": EventKind("name", is_passing=True),
    "volume": EventKind("level"),
    "requested": EventKind("do", "by", "args"),
    "fault": EventKind("part", "cause", is_shared=True),
    "recovered": EventKind("part", is_shared=True),
}
"""The kinds of events that tables and devices emit, keyed by name. Each accessory adds further kinds."""

REMEMBERED = 100
"""The maximum number of events in `Events.recent`. Passing events do not count."""


@dataclass(frozen=True, slots=True)
class Event:
    """An event, ``t`` seconds after the start of the table."""

    name: str
    t: float
    fields: Mapping[str, object]

    def as_json(self) -> dict[str, object]:
        """Return the event as a flat JSON object: ``t``, ``event`` (the name) and the fields of the event."""
        return {"t": round(self.t, 6), "event": self.name, **self.fields}


class Emit(Protocol):
    """A function that publishes an event of a device or an accessory."""

    def __call__(self, name: str, /, **fields: object) -> None:
        """Publish the event *name* with *fields*."""


def ignore_event(name: str, /, **fields: object) -> None:
    """Ignore the event. This `Emit` is for code that runs without a table."""


class Events:
    """The events of a table: emitted on the event loop, passed to all listeners in order.

    *clock* returns seconds, and *began* is its time when the table began (``None``: now). *kinds* are the allowed
    events, keyed by name; ``None`` allows all. `emit` calls each listener directly, so a listener must not block. If a
    listener fails, `emit` logs the exception and continues.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        kinds: Mapping[str, EventKind] | None = None,
        *,
        began: float | None = None,
    ) -> None:
        self._clock = clock
        self._kinds = kinds
        self._started = clock() if began is None else began
        self._listeners: list[Callable[[Event], None]] = []
        self.recent: deque[Event] = deque(maxlen=REMEMBERED)

    def emit(self, name: str, /, **fields: object) -> None:
        """Publish an event to all listeners.

        Raises ``LookupError`` if *name* is unknown, or if *fields* are not the fields of this kind of event, and
        `reboard.strict_json.NotJsonError` if JSON does not have one of their values.
        """
        kind = EventKind(*fields) if self._kinds is None else self._kinds.get(name)
        if kind is None or kind.fields != fields.keys():
            raise LookupError(f"no accessory declares the event {name!r} with the fields {sorted(fields)}")
        if name in ("fault", "recovered"):  # a fault with a damaged text is still a fault
            fields = {key: clean(str(value)) for key, value in fields.items()}
        event = Event(name, self.now(), plain(fields, f"the event {name}"))
        if not kind.is_passing:
            self.recent.append(event)
        for listener in tuple(self._listeners):
            try:
                listener(event)
            except Exception:
                log.exception("a listener of the event %s failed", name)

    def now(self) -> float:
        """Return the seconds since the start of the table, as in the ``t`` of an event."""
        return self._clock() - self._started

    def listen(self, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Add a listener for future events, and return a function that removes it."""
        self._listeners.append(listener)

        def stop() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return stop


class FaultState:
    """The current fault, if any, of *part*: the name of a device, an accessory, or a component such as ``ledger``.

    A change emits ``fault`` or ``recovered``.
    """

    def __init__(self, part: str, emit: Emit) -> None:
        self.cause: str | None = None
        self._part = part
        self._emit = emit

    def set(self, cause: str | None) -> bool:
        """Set the cause of the fault, or ``None`` for no fault. Return whether the cause changed."""
        if cause == self.cause:
            return False
        self.cause = cause
        if cause is None:
            self._emit("recovered", part=self._part)
        else:
            self._emit("fault", part=self._part, cause=cause)
        return True
