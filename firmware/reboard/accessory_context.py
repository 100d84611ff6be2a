"""What an accessory may do to its table: emit events, report faults and send requests, with limits."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from random import Random
from typing import Any, Protocol, TypeVar

from reboard.accessories.accessory import Accessory
from reboard.accessories.installed import accessories, events_of
from reboard.accessories.shared_requests import BookOutcome
from reboard.accessories.table_vocabulary import EVENTS
from reboard.board import Board
from reboard.devices.speaker import Speaker
from reboard.editions.edition import Edition
from reboard.errors import ReboardError, Repeats, RequestError, clean, in_brackets, running_place
from reboard.events import Emit, Events, Fault, Recovered
from reboard.record import wire_name
from reboard.strict_json import NotJsonError
from reboard.table_config import TableConfig
from reboard.vocabulary.checks import problem_with
from reboard.vocabulary.declared import Event, Request

log = logging.getLogger(__name__)

T = TypeVar("T")


def serving(do: str) -> Accessory[Any]:
    """Return the accessory that serves the request *do*. Raises `RequestError` if there is none."""
    for accessory in accessories().values():
        if do in accessory.vocabulary.requests:
            return accessory
    raise RequestError(f"there is no request {do!r}{in_brackets(running_place())}")


def check_call(request: Request) -> None:
    """Check the fields of a *request* from an accessory. Raises `RequestError`, which names the place of the call."""
    if not isinstance(request, Request):
        raise RequestError(f"{request!r:.200} is no request{in_brackets(running_place())}")
    # a default can be outside the limits, such as 0 for any game
    defaults = {wire_name(each.name): each.default for each in fields(request)}
    given = {name: value for name, value in request.as_json().items() if value is not defaults[name]}
    if problem := problem_with(type(request), given):
        raise RequestError(f"{problem}{in_brackets(running_place())}")


QUIET_S = 60.0
"""The time without another lapse after which an accessory has no fault any more, in seconds."""

MOST_FAULTS = 50
"""The maximum number of parts of an accessory that have a fault at once: more would make the snapshot too long."""

MOST_EVENTS = 1000
MOST_EVENTS_S = 10.0
"""The time in which an accessory can emit at most `MOST_EVENTS`, in seconds. A display of 50 pictures a second is fine.

More would make the table disconnect its page, because a page that cannot follow is disconnected."""


class Lapses:
    """The values of an accessory that cannot be published: one fault, however many there are.

    The accessory continues to run. *faults* are those of the table, and *part* is the name of the accessory in them.
    """

    def __init__(self, part: str, faults: Mapping[str, str], emit: Emit) -> None:
        self._part = part
        self._faults = faults
        self._emit = emit
        self._cause = ""
        self._last = 0.0
        self._end: asyncio.TimerHandle | None = None
        self._counts = Repeats()

    def add(self, cause: str) -> None:
        """Report the *cause* as a fault, unless there is one already. Log the count now and then."""
        loop = asyncio.get_running_loop()
        self._last = loop.time()
        self._cause = self._cause or clean(f"{cause}{in_brackets(running_place())}")
        if self._faults.get(self._part) != self._cause:
            self._emit(Fault(self._part, self._cause))
        if (count := self._counts.count("")) > 1:
            log.warning("%s: %d of its values could not be sent so far", self._part, count)
        if self._end is None:
            self._end = loop.call_later(QUIET_S, self._check)

    def forget(self) -> None:
        """Begin again, because the accessory has stopped."""
        self._cause = ""
        if self._end:
            self._end.cancel()
            self._end = None

    def _check(self) -> None:
        loop = asyncio.get_running_loop()
        if loop.time() < self._last + QUIET_S:
            self._end = loop.call_at(self._last + QUIET_S, self._check)
            return
        cause = self._cause
        self.forget()
        if self._faults.get(self._part) == cause:
            self._emit(Recovered(self._part))


class ContextTable(Protocol):
    """The part of a table that its accessories use."""

    config: TableConfig
    board: Board
    edition: Edition
    events: Events
    faults: dict[str, str]
    randomness: Callable[[str], Random]

    @property
    def speaker(self) -> Speaker:
        """The speaker of the table."""

    async def request_of(self, request: Request) -> object:
        """Carry out a *request* of an accessory. Raises `ReboardError`."""


class AccessoryContext:
    """The `reboard.accessories.accessory.TableContext` of one accessory."""

    def __init__(self, table: ContextTable, name: str) -> None:
        self._table = table
        self._name = name
        self._kept: dict[str, Any] = {}
        self._thread = threading.get_ident()
        accessory = table.config.accessory(name)
        self._accessory = accessory
        self._events = {*events_of(accessory), *EVENTS} - {"requested"}
        self._emitted_at: deque[float] = deque(maxlen=MOST_EVENTS)
        self._parts: set[str] = set()
        self.faults: set[str] = set()
        """The parts whose faults end when the accessory stops."""
        self.lapses = Lapses(name, table.faults, self._emit_lapse)
        self.board = table.board
        self.edition = table.edition
        self.language = table.config.language
        self.pay = table.config.pay
        self.state: Path = table.config.state.directory
        self.now = table.events.now
        self.randomness = table.randomness

    @property
    def speaker(self) -> Speaker:
        return self._table.speaker

    def emit(self, event: Event) -> None:
        self.emit_kept(event)
        if isinstance(event, Fault) and (part := clean(str(event.part))) in self._parts:
            self.faults.add(part)

    def emit_kept(self, event: Event) -> None:
        if not isinstance(event, Event):
            raise TypeError(f"{event!r:.200} is no event: write `emit(Rung())`, with the class of a declared event")
        if threading.get_ident() != self._thread:
            remedy = "use loop.call_soon_threadsafe(emit, …)"
            raise RuntimeError(f"{self._name} emits {event.event!r} on another thread: {remedy}")
        if event.event not in self._events:
            raise LookupError(f"{self._name} does not declare the event {event.event!r} in its vocabulary")
        try:
            if isinstance(event, Recovered):
                if (part := clean(str(event.part))) in self._parts:
                    self._parts.remove(part)
                    self._table.events.emit(event)
                return
            now, at = self.now(), self._emitted_at
            if len(at) == MOST_EVENTS and now - at[0] < MOST_EVENTS_S:
                raise NotJsonError(f"it emits more than {MOST_EVENTS} events in {MOST_EVENTS_S:g} s: emit fewer")
            part = clean(str(event.part)) if isinstance(event, Fault) else ""
            if part and len(self._parts | {part}) > MOST_FAULTS:
                raise NotJsonError(f"it has more than {MOST_FAULTS} faults at once: emit `Recovered`, or fewer")
            self._table.events.emit(event)
            at.append(now)
            if part:
                self._parts.add(part)
        except NotJsonError as error:
            self.lapses.add(str(error))

    def _emit_lapse(self, event: Event) -> None:
        self.faults.add(self._name)
        self._table.events.emit(event)

    def keep(self, name: str, make: Callable[[], T]) -> T:
        if name not in self._kept:
            self._kept[name] = make()
        kept: T = self._kept[name]
        return kept

    async def request(self, request: Request) -> Any:
        return await self._table.request_of(request)

    async def book(self, outcome: str, times: int = 1) -> None:
        if outcome not in (outcomes := self._accessory.vocabulary.outcomes):
            why = f"{self._name} has no outcome {outcome!r}, but {', '.join(outcomes) or 'none'}"
            raise RequestError(f"{why}{in_brackets(running_place())}")
        booking = BookOutcome(self._name, outcome, times)
        if not getattr(self._table.config.sections[self._name], "linked", False):
            return
        check_call(booking)
        try:
            await self.request(booking)
        except ReboardError as error:
            log.warning("the banker unit did not confirm the transfer for %s of %s: %s", outcome, self._name, error)
