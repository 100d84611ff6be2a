"""The clock of an event loop in virtual time."""

from __future__ import annotations

import threading
import time
from math import inf

LONGEST_LAG_S = 0.25
"""The maximum delay, in real seconds, that a paced loop makes up for."""

SAME_S = 1e-9
"""The maximum difference, in seconds, between virtual times that count as equal."""


class VirtualClock:
    """A clock that counts virtual seconds from 0. The loop advances it.

    *pace* is the maximum number of virtual seconds per real second: ``None`` for no limit, ``0`` to stop the clock.
    Any thread can set `pace`.
    """

    def __init__(self, pace: float | None = None) -> None:
        self._lock = threading.Lock()
        self._pace = pace
        self.seconds = 0.0
        """The virtual time. Only the loop changes it."""
        self._held_since = (time.monotonic(), 0.0)

    @property
    def pace(self) -> float | None:
        """The maximum number of virtual seconds per real second, or ``None`` for no limit."""
        return self._pace

    @pace.setter
    def pace(self, pace: float | None) -> None:
        with self._lock:
            self._pace = pace
            self._held_since = (time.monotonic(), self.seconds)

    def real_seconds_to(self, instant: float) -> float:
        """Return the real seconds until the pace allows the clock to reach *instant*, or infinity while paused."""
        with self._lock:
            if self._pace is None:
                return 0.0
            if self._pace == 0:
                return inf
            real, begin = self._held_since
            return max(0.0, real + (instant - begin) / self._pace - time.monotonic())

    def move_on(self, instant: float) -> None:
        """Advance the clock to *instant*, or as far as the pace currently allows."""
        if self._pace is not None:
            with self._lock:
                instant = self._allowed(instant)
        if instant > self.seconds:
            self.seconds = instant

    def reach(self, instant: float) -> None:
        """Advance the clock to *instant*, which is at most `SAME_S` away, at any pace."""
        if instant > self.seconds:
            self.seconds = instant

    def _allowed(self, instant: float) -> float:
        if self._pace is None:  # since a moment ago
            return instant
        now = time.monotonic()
        real, begin = self._held_since
        may_be = begin + (now - real) * self._pace
        if may_be < instant - SAME_S:
            return may_be
        if may_be - instant > LONGEST_LAG_S * self._pace:
            self._held_since = (now, instant)
        return instant
