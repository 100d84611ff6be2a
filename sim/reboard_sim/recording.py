"""What hands did at a virtual table, remembered as it was done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count

MOST_LINES = 9_000
"""When acts come to so many lines of a play, no other one is begun."""

MOST_UNDER_WAY = 500
"""So many lines more those may come to that are under way then: with what stands around them, it can be played."""

LINES_EACH = 2
"""What is done takes a line, and the wait before it."""


@dataclass(slots=True)
class Act:
    """A line that was begun, at an instant in s, as the *number*-th at its table.

    One that has not *ended*, or never will, did no more than *touches*. What `is_whole` is done to its end once it was
    begun, unless it was refused.
    """

    number: int
    text: str
    begun_at: float
    is_whole: bool = False
    is_check: bool = False
    ended_at: float | None = None
    was_refused: bool = False
    touches: list[tuple[float, str]] = field(default_factory=list)
    """What was done at once: when, and the line that does it alone."""


class Recording:
    """The first acts at a table, in the order in which they were begun. It forgets none of them: it is full one day."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.acts: list[Act] = []
        self.look: Callable[[], Sequence[str]] = tuple
        """Tells, as checks of a play, what is the case when something is first done that finds no room."""
        self.full_since: tuple[float, Sequence[str]] | None = None
        """When something was first done that found no room, and what was then the case."""
        self._lines = 0
        self._clock = clock
        self._numbers = count()

    def begin(self, text: str, *, is_whole: bool = False, is_check: bool = False) -> Act:
        """An act that begins now. Whoever does it tells the rest."""
        act = Act(next(self._numbers), text, self._clock(), is_whole, is_check)
        if self._has_room(MOST_LINES):
            self.acts.append(act)
        return act

    def touched(self, act: Act, text: str) -> None:
        """*act* has now done what the line *text* does alone."""
        if self._has_room(MOST_LINES + MOST_UNDER_WAY):
            act.touches.append((self._clock(), text))

    def end(self, act: Act) -> None:
        """*act* is done, now. Unless that comes too late for it, it is one line, whatever it touched."""
        if self.full_since is None:
            act.ended_at = self._clock()
            self._lines -= LINES_EACH * len(act.touches)

    def _has_room(self, most_lines: int) -> bool:
        if self.full_since is None and self._lines + LINES_EACH > most_lines:
            self.full_since = (self._clock(), self.look())
        self._lines += LINES_EACH
        return self.full_since is None
