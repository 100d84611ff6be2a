"""What hands did at a virtual table, remembered as it was done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count

MOST_ACTS = 4_500
"""An act has at most two lines, and a play with all of them is still one that can be played."""


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
        """Tells, as checks of a play, what is the case when the first act comes that finds no room."""
        self.full_since: tuple[float, Sequence[str]] | None = None
        """When the first act came that found no room, and what was then the case."""
        self._clock = clock
        self._numbers = count()

    def begin(self, text: str, *, is_whole: bool = False, is_check: bool = False) -> Act:
        """An act that begins now. Whoever does it tells the rest."""
        act = Act(next(self._numbers), text, self._clock(), is_whole, is_check)
        if len(self.acts) < MOST_ACTS:
            self.acts.append(act)
        elif self.full_since is None:
            self.full_since = (self._clock(), self.look())
        return act

    def touched(self, act: Act, text: str) -> None:
        """*act* has now done what the line *text* does alone."""
        act.touches.append((self._clock(), text))

    def end(self, act: Act) -> None:
        """*act* is done, now."""
        act.ended_at = self._clock()
