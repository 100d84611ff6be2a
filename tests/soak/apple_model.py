"""A model of the worm apple: when its motor may run, and when it must."""

from __future__ import annotations

from collections.abc import Iterable

LATE_S = 0.1
"""The motor may outlast its time, and the pull of the lever, by this."""

SOON_S = 0.3
"""The motor runs at the latest this long after the lever was released."""

PULL_S = 0.14
"""A shorter pull may not count."""


class Lever:
    """The lever's contact, and the times at which the motor may run because of it."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._is_held = False
        self._is_stuck = False
        self._closed_at: float | None = None
        self._powered_at: float | None = None
        self._may_run: list[tuple[float, float]] = []
        self._must_run = (0.0, 0.0)

    def move(self, now: float, *, held: bool | None = None, stuck: bool | None = None) -> None:
        """The user pulled or released it, or it got stuck or free."""
        self._is_held = self._is_held if held is None else held
        self._is_stuck = self._is_stuck if stuck is None else stuck
        if self._is_stuck or self._is_held is (self._closed_at is not None):
            return
        if self._is_held:
            self._closed_at = now
            self._end(now + LATE_S)
            return
        closed_at, self._closed_at = self._closed_at or 0.0, None
        if self._powered_at is not None:
            self._may_run.append((now, now + self.seconds + LATE_S))
            if now - max(closed_at, self._powered_at) > PULL_S:
                self._must_run = (now + SOON_S, now + self.seconds - SOON_S)

    def power(self, on: bool, now: float) -> None:
        self._powered_at = now if on else None
        if not on:
            self._end(now)

    def must_run(self, now: float) -> bool:
        return self._must_run[0] < now < self._must_run[1]

    def check(self, intervals: Iterable[tuple[float, float | None]], now: float) -> None:
        """The motor was on in these *intervals*; the last one may not have ended."""
        for began, ended in intervals:
            until = now if ended is None else ended
            assert any(start <= began and until <= end for start, end in self._may_run[-20:]), (
                f"the motor ran from {began:.3f} to {until:.3f} s; it may have only in {self._may_run[-3:]}"
            )

    def _end(self, at: float) -> None:
        self._must_run = (0.0, 0.0)
        if self._may_run and self._may_run[-1][1] > at:
            self._may_run[-1] = (self._may_run[-1][0], at)
