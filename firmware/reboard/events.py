"""The events of a table: their listeners, and the faults of its devices."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Annotated

from reboard.errors import clean
from reboard.record import Record
from reboard.strict_json import plain
from reboard.vocabulary.declared import Event

log = logging.getLogger(__name__)


class Fault(Event, name="fault", is_shared=True):
    """A device or a file does not work."""

    part: str
    cause: Annotated[str, "why"]


class Recovered(Event, name="recovered", is_shared=True):
    """It works again."""

    part: str


class DeviceEvent(Event, name=""):
    """The base class of the events of devices of accessories. *device* is the label of the device: ``block.lamp``."""

    device: str = field(default="", kw_only=True)

    def __init_subclass__(cls, *, name: str) -> None:
        super().__init_subclass__(name=name, is_passing=True)


REMEMBERED = 100
"""The maximum number of events in `Events.recent`. Passing events do not count."""


class EmittedEvent(Record):
    """An event, ``t`` seconds after the start of the table."""

    name: str
    t: float
    fields: Mapping[str, object]

    def as_json(self) -> dict[str, object]:
        """Return the event as a flat JSON object: ``t``, ``event`` (the name) and the fields of the event."""
        return {"t": round(self.t, 6), "event": self.name, **self.fields}


Emit = Callable[[Event], None]
"""A function that publishes an event of a device or an accessory."""


def ignore_event(_: Event) -> None:
    """Ignore the event. This `Emit` is for code that runs without a table."""


class Events:
    """The events of a table: emitted on the event loop, passed to all listeners in order.

    *clock* returns seconds, and *began* is its time when the table began (``None``: now). *declared* are the allowed
    events, keyed by name; ``None`` allows all. `emit` calls each listener directly, so a listener must not block. If a
    listener fails, `emit` logs the exception and continues.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        declared: Mapping[str, type[Event]] | None = None,
        *,
        began: float | None = None,
    ) -> None:
        self._clock = clock
        self._declared = declared
        self._started = clock() if began is None else began
        self._listeners: list[Callable[[EmittedEvent], None]] = []
        self.recent: deque[EmittedEvent] = deque(maxlen=REMEMBERED)

    def emit(self, event: Event) -> None:
        """Publish *event* to all listeners.

        Raises ``LookupError`` if no accessory declares the event, and `reboard.strict_json.NotJsonError` if a field has
        a value that JSON cannot express, such as infinity.
        """
        name = event.event
        if self._declared is not None and self._declared.get(name) is not type(event):
            raise LookupError(f"no accessory declares the event {event!r}")
        fields = event.as_json()
        if isinstance(event, Fault | Recovered):  # a fault with a damaged text is still a fault
            fields = {key: clean(str(value)) for key, value in fields.items()}
        emitted = EmittedEvent(name, self.now(), plain(fields, f"the event {name}"))
        if not event.is_passing:
            self.recent.append(emitted)
        for listener in tuple(self._listeners):
            try:
                listener(emitted)
            except Exception:
                log.exception("a listener of the event %s failed", name)

    def now(self) -> float:
        """Return the seconds since the start of the table, as in the ``t`` of an event."""
        return self._clock() - self._started

    def listen(self, listener: Callable[[EmittedEvent], None]) -> Callable[[], None]:
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
            self._emit(Recovered(self._part))
        else:
            self._emit(Fault(self._part, cause))
        return True
