"""The answers to ``watch_signals``: the signals of a table since the previous answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from reboard.devices.signal_tap import SignalTap
from reboard.events import EmittedEvent, Events
from reboard.version import __version__

MOST_AT_ONCE = 500
"""The maximum number of signals in an answer. A Pi Zero encodes them in a few milliseconds."""


class SignalWatch:
    """A watch of the signals and events of a table, until `close`.

    *config* is the part of the config that describes the table's devices. Raises `RequestError` if there are too many
    watches.
    """

    def __init__(
        self,
        tap: SignalTap,
        events: Events,
        *,
        config: Mapping[str, Any],
        snapshot: Callable[[], Mapping[str, object]],
    ) -> None:
        self._tap = tap
        self._events = events
        self._config: Mapping[str, Any] | None = config
        self._snapshot = snapshot
        self._watch = tap.watch()
        self._stop_events = events.listen(self._hear)

    def take(self) -> dict[str, Any]:
        """Return the signals since the previous call as a JSON-serializable dictionary.

        The first call returns a description of the table and no signals.
        """
        if self._config is not None:
            config, self._config = self._config, None
            pins = {number: pin.now() for number, pin in self._tap.pins.items()}
            begin = {"version": __version__, "config": config, "pins": pins, "table": self._snapshot()}
            return {"t": self._now(), **begin, "signals": [], "dropped": 0}
        now = self._now()
        signals, dropped = self._watch.take(MOST_AT_ONCE)
        if len(signals) == MOST_AT_ONCE:
            now = signals[-1][1]  # there may be more
        answer: dict[str, Any] = {"t": now, "signals": signals, "dropped": dropped}
        if any(signal[0] == "event" for signal in signals):
            answer["table"] = self._snapshot()
        return answer

    def close(self) -> None:
        """End the watch. Can be called more than once."""
        self._stop_events()
        self._tap.end(self._watch)

    def _now(self) -> float:
        return round(self._events.now(), 6)

    def _hear(self, event: EmittedEvent) -> None:
        self._watch.put(("event", round(event.t, 6), event.as_json()))
