"""When the apple's motor may run, and when it must, as the design has it."""

from __future__ import annotations

from collections.abc import Iterable

LATE_S = 0.1
"""By so much the motor may outlast its time, and the pull of a lever."""

SOON_S = 0.3
"""So soon it is on after the lever was let go."""

PULL_S = 0.14
"""What is shorter may be no pull."""


class Lever:
    """The lever's contact as a hand and its mishaps leave it, and the dances that come of it."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.is_held = False
        self.is_stuck = False
        self._closed_at: float | None = None
        self._powered_at: float | None = None
        self._dances: list[tuple[float, float]] = []
        self._must: tuple[float, float] = (0.0, 0.0)

    def hold(self, held: bool, now: float) -> None:
        """A hand pulls it back or lets it go."""
        self.is_held = held
        self._move(now)

    def stick(self, stuck: bool, now: float) -> None:
        """It does not move any more, or catches up."""
        self.is_stuck = stuck
        self._move(now)

    def power(self, on: bool, now: float) -> None:
        """The table has power from now on, or has none."""
        self._powered_at = now if on else None
        if not on:
            self._end(now)

    def must_run(self, now: float) -> bool:
        """Whether the worms dance now, as everybody at the table expects."""
        return self._must[0] < now < self._must[1]

    def check(self, intervals: Iterable[tuple[float, float | None]], now: float) -> None:
        """The motor was on in these *intervals* of seconds; the last may last."""
        for began, ended in intervals:
            until = now if ended is None else ended
            assert any(start <= began and until <= end for start, end in self._dances[-20:]), (
                f"the motor ran from {began:.3f} to {until:.3f} s; it may have only in {self._dances[-3:]}"
            )

    def _move(self, now: float) -> None:
        if self.is_stuck or self.is_held is (self._closed_at is not None):
            return
        if self.is_held:
            self._closed_at = now
            self._end(now + LATE_S)
            return
        closed_at, self._closed_at = self._closed_at or 0.0, None
        if self._powered_at is None:
            return
        self._dances.append((now, now + self.seconds + LATE_S))
        if now - max(closed_at, self._powered_at) > PULL_S:
            self._must = (now + SOON_S, now + self.seconds - SOON_S)

    def _end(self, at: float) -> None:
        self._must = (0.0, 0.0)
        if self._dances and self._dances[-1][1] > at:
            self._dances[-1] = (self._dances[-1][0], at)
