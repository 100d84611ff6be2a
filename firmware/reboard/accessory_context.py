"""What an accessory may do to its table: emit events, report faults and send requests, with limits."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any, Protocol, TypeVar

from reboard.accessories.accessory import BOOK, Accessory
from reboard.accessories.installed import accessories, problem_with
from reboard.board import Board
from reboard.devices.speaker import Speaker
from reboard.editions.edition import Edition
from reboard.errors import ReboardError, Repeats, RequestError, clean, in_brackets, running_place
from reboard.events import COMMON_EVENTS, Emit, Events
from reboard.strict_json import NotJsonError
from reboard.table_config import TableConfig

log = logging.getLogger(__name__)

T = TypeVar("T")


def serving(do: str) -> Accessory[Any]:
    """Return the accessory that serves the request *do*. Raises `RequestError` if there is none."""
    for accessory in accessories().values():
        if do in accessory.requests or do in accessory.internal_requests:
            return accessory
    raise RequestError(f"there is no request {do!r}{in_brackets(running_place())}")


def check_call(do: str, args: Mapping[str, Any]) -> None:
    """Check the *args* of a request from an accessory. Raises `RequestError`, which names the place of the call."""
    accessory = serving(do)
    kind = accessory.requests.get(do) or accessory.internal_requests[do]
    if problem := problem_with(do, args, kind.arguments):
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
            self._emit("fault", part=self._part, cause=self._cause)
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
            self._emit("recovered", part=self._part)


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

    async def request_of(self, do: str, args: Mapping[str, Any]) -> object:
        """Carry out the request *do* of an accessory. Raises `ReboardError`."""


class AccessoryContext:
    """The `reboard.accessories.accessory.TableContext` of one accessory."""

    def __init__(self, table: ContextTable, name: str) -> None:
        self._table = table
        self._name = name
        self._kept: dict[str, Any] = {}
        self._thread = threading.get_ident()
        accessory = table.config.accessory(name)
        self._events = {*accessory.events, *COMMON_EVENTS} - {"requested"}
        self._emitted_at: deque[float] = deque(maxlen=MOST_EVENTS)
        self._parts: set[str] = set()
        self.faults: set[str] = set()
        """The parts whose faults end when the accessory stops."""
        self.lapses = Lapses(name, table.faults, self._emit_lapse)
        self.board = table.board
        self.edition = table.edition
        self.state: Path = table.config.state.directory
        self.now = table.events.now
        self.randomness = table.randomness

    @property
    def speaker(self) -> Speaker:
        return self._table.speaker

    def emit(self, name: str, /, **fields: object) -> None:
        self.emit_kept(name, **fields)
        if name == "fault" and (part := clean(str(fields["part"]))) in self._parts:
            self.faults.add(part)

    def emit_kept(self, name: str, /, **fields: object) -> None:
        if threading.get_ident() != self._thread:
            raise RuntimeError(f"{self._name} emits {name!r} on another thread: use loop.call_soon_threadsafe(emit, …)")
        if name not in self._events:
            raise LookupError(f"{self._name} does not declare the event {name!r}: add it to `events` of its class")
        if name in ("fault", "recovered"):
            fields = {key: clean(value) if isinstance(value, str) else value for key, value in fields.items()}
        try:
            if name == "recovered":
                if (part := str(fields.get("part"))) in self._parts:
                    self._parts.remove(part)
                    self._table.events.emit(name, **fields)
                return
            now, at = self.now(), self._emitted_at
            if len(at) == MOST_EVENTS and now - at[0] < MOST_EVENTS_S:
                raise NotJsonError(f"it emits more than {MOST_EVENTS} events in {MOST_EVENTS_S:g} s: emit fewer")
            if name == "fault" and len(self._parts | {str(fields.get("part"))}) > MOST_FAULTS:
                raise NotJsonError(f"it has more than {MOST_FAULTS} faults at once: emit `recovered`, or fewer")
            self._table.events.emit(name, **fields)
            at.append(now)
            if name == "fault":
                self._parts.add(str(fields["part"]))
        except NotJsonError as error:
            self.lapses.add(str(error))

    def _emit_lapse(self, name: str, /, **fields: object) -> None:
        self.faults.add(self._name)
        self._table.events.emit(name, **fields)

    def keep(self, name: str, make: Callable[[], T]) -> T:
        if name not in self._kept:
            self._kept[name] = make()
        kept: T = self._kept[name]
        return kept

    async def request(self, name: str, /, **args: Any) -> object:
        return await self._table.request_of(name, args)

    async def book(self, outcome: str, times: int = 1) -> None:
        args = {"accessory": self._name, "outcome": outcome, "times": times}
        if not getattr(self._table.config.sections[self._name], "linked", False):
            return
        check_call(BOOK, args)
        try:
            await self.request(BOOK, **args)
        except ReboardError as error:
            log.warning("the banker unit did not confirm the transfer for %s of %s: %s", outcome, self._name, error)
