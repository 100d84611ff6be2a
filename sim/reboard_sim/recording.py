"""The record of a run: events and acts of the user."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

from reboard_sim.board.line import Tape

KEPT = 50_000
"""The maximum number of kept events, enough for a long evening."""

LoggedEvent = Mapping[str, object]
"""An event as a flat object: ``t`` in seconds of the virtual clock, ``event``, and its fields."""


class EventLog:
    """The events in their order. Each has a place that never changes. The place of the first event is 0."""

    def __init__(self) -> None:
        self.tape: Tape[LoggedEvent] = Tape(KEPT)
        self._listeners: list[Callable[[LoggedEvent], None]] = []

    @property
    def end(self) -> int:
        """The place of the next event."""
        return self.tape.end

    def append(self, event: LoggedEvent) -> None:
        """Add an event and pass it to every listener."""
        self.tape.append(event)
        for listener in tuple(self._listeners):
            listener(event)

    def listen(self, listener: Callable[[LoggedEvent], None]) -> Callable[[], None]:
        """Call *listener* with every event from now on. Call the returned function to stop that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def since(self, place: int) -> Iterator[tuple[int, LoggedEvent]]:
        """Return the kept events from *place* on, each with its place."""
        latest = self.tape.since(place)
        return enumerate(latest, self.end - len(latest))


def as_line(event: LoggedEvent) -> str:
    """Return an event as one line of JSON, without the line end."""
    return json.dumps(event)


class EventPrinter:
    """A printer for every event until printing fails. `failed` then raises the reason."""

    def __init__(self) -> None:
        self._problem: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def __call__(self, event: LoggedEvent) -> None:
        """Print an event. Never raises, because the firmware calls it."""
        if not self._problem.done():
            try:
                print(as_line(event))
            except OSError as problem:
                self._problem.set_exception(problem)

    async def failed(self) -> None:
        """Wait until printing fails, and raise the ``OSError``."""
        await self._problem


MOST_LINES = 9_000
"""The number of lines of a play at which the recording is full."""

MOST_UNDER_WAY = 500
"""The maximum number of further lines, for acts in progress when the recording is full. The play stays valid."""

LINES_EACH = 2
"""The number of lines of an act: its own line and a wait before it."""


@dataclass(slots=True)
class Act:
    """An act that has begun, with its *number* at this table.

    An act that has not ended has only had the effects in *touches*. An act that *is_whole* always runs to its end,
    unless it *was_refused*.
    """

    number: int
    text: str
    begun_at: float
    is_whole: bool = False
    is_check: bool = False
    ended_at: float | None = None
    was_refused: bool = False
    touches: list[tuple[float, str]] = field(default_factory=list)
    """The immediate effects of the act: the time of each, and a line of a play that has only this effect."""


class Recording:
    """The acts at a table, in the order of their beginning. All are kept, so the recording can become full."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.acts: list[Act] = []
        self.state_checks: Callable[[], Sequence[str]] = tuple
        """The function that returns the checks that hold when the recording becomes full."""
        self.full_since: tuple[float, Sequence[str]] | None = None
        """The time when the recording became full, and the checks that held then."""
        self._lines = 0
        self._clock = clock
        self._numbers = count()

    def begin(self, text: str, *, is_whole: bool = False, is_check: bool = False) -> Act:
        """Return an act that begins now. The caller records its effects and its end."""
        act = Act(next(self._numbers), text, self._clock(), is_whole, is_check)
        if self._has_room(MOST_LINES):
            self.acts.append(act)
        return act

    def touched(self, act: Act, text: str) -> None:
        """Record that *act* has now done the work of the line *text*."""
        if self._has_room(MOST_LINES + MOST_UNDER_WAY):
            act.touches.append((self._clock(), text))

    def end(self, act: Act) -> None:
        """Record that *act* has ended. It is one line from now on, unless the recording is full."""
        if self.full_since is None:
            act.ended_at = self._clock()
            self._lines -= LINES_EACH * len(act.touches)

    def _has_room(self, most_lines: int) -> bool:
        if self.full_since is None and self._lines + LINES_EACH > most_lines:
            self.full_since = (self._clock(), self.state_checks())
        self._lines += LINES_EACH
        return self.full_since is None
