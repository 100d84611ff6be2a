"""The event log of a virtual table, and the recording of the user's acts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

from reboard.strict_json import encoded
from reboard_sim.board.line import Tape

KEPT = 50_000
"""The maximum number of events that an `EventLog` keeps, enough for a long evening."""

LoggedEvent = Mapping[str, object]
"""An event as a flat object: ``t`` (the time in seconds), ``event`` (the name), and the fields of the event."""


class EventLog:
    """A log of the latest `KEPT` events.

    The place of an event is its index among all events that were ever added. The place of the first event is 0.
    """

    def __init__(self) -> None:
        self.tape: Tape[LoggedEvent] = Tape(KEPT)
        self._listeners: list[Callable[[LoggedEvent], None]] = []

    @property
    def end(self) -> int:
        """The place of the next event, which is the number of events that were ever added."""
        return self.tape.end

    def append(self, event: LoggedEvent) -> None:
        """Add *event* to the log and call every listener with it."""
        self.tape.append(event)
        for listener in tuple(self._listeners):
            listener(event)

    def listen(self, listener: Callable[[LoggedEvent], None]) -> Callable[[], None]:
        """Call *listener* with every later event. Return a function that stops the calls."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def since(self, place: int) -> Iterator[tuple[int, LoggedEvent]]:
        """Return an iterator over the kept events from *place* on, each as a pair of place and event."""
        latest = self.tape.since(place)
        return enumerate(latest, self.end - len(latest))


def as_line(event: LoggedEvent) -> str:
    """Return an event as one line of JSON, without a line break."""
    return encoded(event).decode()


class EventPrinter:
    """A listener that prints each event as JSON until printing fails. Create it on a running event loop."""

    def __init__(self) -> None:
        self._problem: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def __call__(self, event: LoggedEvent) -> None:
        """Print *event*. Store an ``OSError`` for `failed` instead of raising it in the firmware."""
        if not self._problem.done():
            try:
                print(as_line(event))
            except OSError as problem:
                self._problem.set_exception(problem)

    async def failed(self) -> None:
        """Wait until printing fails, and raise that ``OSError``."""
        await self._problem


MOST_LINES = 9_000
"""The number of lines up to which the recorded play accepts new acts. A play can have 10,000 lines in total."""

MOST_UNDER_WAY = 500
"""The maximum number of lines above `MOST_LINES`, for the effects of acts in progress."""

LINES_EACH = 2
"""The number of lines in the play for each act or effect: the line of the act, and a wait before it."""


@dataclass(slots=True)
class RecordedAct:
    """An act or check that has begun. All times are in virtual seconds.

    *number* counts the acts and checks at the table from 0. *ended_at* is ``None`` until the act ends. If *is_whole* is
    true, the act runs to completion even if the play is cancelled. *was_refused* means that the table rejected the act.
    """

    number: int
    text: str
    begun_at: float
    is_whole: bool = False
    is_check: bool = False
    ended_at: float | None = None
    was_refused: bool = False
    touches: list[tuple[float, str]] = field(default_factory=list)
    """The effects that the act has had so far: the time of each, and a line of a play that has only this effect."""


class Recording:
    """A recording of the acts at a table, in the order in which they began.

    *clock* returns the virtual time. The recording keeps every act until it is full, and ignores later acts.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self.acts: list[RecordedAct] = []
        self.state_checks: Callable[[], Sequence[str]] = tuple
        """The function that returns the checks that currently hold. It is called when the recording becomes full."""
        self.full_since: tuple[float, Sequence[str]] | None = None
        """The virtual time when the recording became full, and the checks that held then. ``None`` until it is full."""
        self._lines = 0
        self._clock = clock
        self._numbers = count()

    def begin(self, text: str, *, is_whole: bool = False, is_check: bool = False) -> RecordedAct:
        """Begin an act and return it. Record it unless the recording is full."""
        act = RecordedAct(next(self._numbers), text, self._clock(), is_whole, is_check)
        if self._has_room(MOST_LINES):
            self.acts.append(act)
        return act

    def touched(self, act: RecordedAct, text: str) -> None:
        """Record that *act* has just had the effect of the play line *text*, unless the recording is full."""
        if self._has_room(MOST_LINES + MOST_UNDER_WAY):
            act.touches.append((self._clock(), text))

    def end(self, act: RecordedAct) -> None:
        """Record that *act* ends now, unless the recording is full. Its effects no longer count as lines."""
        if self.full_since is None:
            act.ended_at = self._clock()
            self._lines -= LINES_EACH * len(act.touches)

    def _has_room(self, most_lines: int) -> bool:
        if self.full_since is None and self._lines + LINES_EACH > most_lines:
            self.full_since = (self._clock(), self.state_checks())
        self._lines += LINES_EACH
        return self.full_since is None
