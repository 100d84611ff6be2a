"""What happens at the table, told once and in one vocabulary to whoever listens."""

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
"""Every event's name and its fields. ``t`` is in all of them and is not listed."""

PASSING = frozenset({"motor", "lamp", "display", "sound", "deal.tick"})
"""Events that come in swarms, and tell somebody who reads the latest ones nothing."""

REMEMBERED = 100
"""How many of the latest events, the passing ones left out, a newcomer can be told."""


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened, ``t`` seconds after the table was switched on."""

    name: str
    t: float
    fields: Mapping[str, object]

    def as_json(self) -> dict[str, object]:
        """The event as one flat object: ``t``, ``event`` and its fields."""
        return {"t": round(self.t, 6), "event": self.name, **self.fields}


class Emit(Protocol):
    """How a part or an accessory tells that something happened."""

    def __call__(self, name: str, /, **fields: object) -> None:
        """Tell it. The name and the names of the fields are those of `VOCABULARY`."""


def to_nobody(name: str, /, **fields: object) -> None:
    """An `Emit` that nobody listens to."""


class Events:
    """The table's events: emitted on the loop, handed to every listener in order.

    *clock* tells seconds; the table passes its loop's. A listener is called at once and must return at once;
    one that raises is logged and kept, and disturbs neither the table nor the other listeners.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._started = clock()
        self._listeners: list[Callable[[Event], None]] = []
        self.recent: deque[Event] = deque(maxlen=REMEMBERED)

    def emit(self, name: str, /, **fields: object) -> None:
        """Tell every listener. Raises ``LookupError`` for a name or fields outside `VOCABULARY`."""
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
        """Seconds since the table was switched on: the ``t`` of an event that happened now."""
        return self._clock() - self._started

    def listen(self, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Call *listener* with every event from now on; what is returned ends that."""
        self._listeners.append(listener)

        def stop() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return stop
