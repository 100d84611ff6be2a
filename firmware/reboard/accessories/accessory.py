"""The interface of an accessory, and how the installed accessories are found.

A plug-in adds an accessory of its own with an entry point in the group ``reboard.accessories``.
"""

from __future__ import annotations

import inspect
import logging
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from random import Random
from typing import Any, Generic, Protocol, TypeVar

from reboard.accessories.chart import Chart
from reboard.board import LARGEST_VOLUME, Board
from reboard.config.reading import KeyPath, Reader, Reading
from reboard.devices.device import CheckContext, FittedDevice, SetupStep
from reboard.devices.speaker import Speaker
from reboard.editions.edition import Edition
from reboard.errors import ControlSocketError, NotInstalledError, ReboardError, RequestError
from reboard.events import COMMON_EVENTS, REMEMBERED, Emit, EventKind
from reboard.finding import Finding

C = TypeVar("C")
T = TypeVar("T")

ENTRY_POINTS = "reboard.accessories"
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a request: the allowed values, in words and as a function."""

    words: str
    allows: Callable[[object], bool]
    may_be_left_out: bool = False


def whole(most: int, *, least: int = 0) -> Argument:
    """Return an argument that is a whole number."""

    def allows(value: object) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most

    return Argument(f"a whole number from {least} to {most}", allows)


def text(most: int, *, least: int = 1) -> Argument:
    """Return an argument that is a string of one line."""

    def allows(value: object) -> bool:
        return isinstance(value, str) and least <= len(value) <= most and value.isprintable()

    return Argument(f"a text of {least} to {most} printable characters", allows)


TRUE_OR_FALSE = Argument("true or false", lambda value: isinstance(value, bool))


def optional(argument: Argument) -> Argument:
    """Return the same argument, as one that can be left out."""
    return replace(argument, may_be_left_out=True)


@dataclass(frozen=True, slots=True)
class Json:
    """An answer that is JSON already: a long one, made on another thread."""

    text: str


@dataclass(frozen=True, slots=True)
class Request:
    """A request on the control socket: its arguments, and whether it *changes* the table or only reads it."""

    arguments: Mapping[str, Argument]
    changes: bool = True


COMMON_REQUESTS: Mapping[str, Request] = {
    "snapshot": Request({}, changes=False),
    "events": Request({"recent": optional(whole(REMEMBERED))}, changes=False),
    "volume": Request({"level": whole(LARGEST_VOLUME)}),
}
"""The requests of every table, by name. Each accessory has its own as well."""

BY = optional(text(60))
"""The sender of a change, as the table's log and events name it. Every request that changes the table can have it."""

LONGEST_SHOWN = 200


class RunningAccessory(ABC):
    """An accessory of a running table. Every method but `run` has a default."""

    @property
    def edition(self) -> Edition | None:
        """The edition of its current game, if that can differ from the config's."""
        return None

    @abstractmethod
    async def run(self, started: Callable[[], None]) -> None:
        """Play the game until cancelled. Call *started* when it takes input, or shows why it cannot."""

    def snapshot(self) -> Mapping[str, object]:
        """Return its state as JSON, under its own keys of the table's snapshot."""
        return {}

    async def request(self, name: str, args: Mapping[str, Any]) -> object:
        """Carry out a request and return JSON. Raises `RequestError` or `Rejection`."""
        raise RequestError(f"there is no request {name!r}")

    def show_fault(self, part: str | None) -> None:
        """Show that the device *part* has a fault; ``None``: no device has one."""


class OtherSections(Protocol):
    """The parts of the config that an accessory can check its own section against."""

    @property
    def edition(self) -> str:
        """The name of the edition."""

    @property
    def sections(self) -> Mapping[str, Any]:
        """The sections of all accessories, by name."""


class TableContext(Protocol):
    """The services of a table for an accessory."""

    @property
    def board(self) -> Board:
        """The pins, ports and disk."""

    @property
    def speaker(self) -> Speaker:
        """The speaker of the table."""

    @property
    def emit(self) -> Emit:
        """Publishes an event. Faults end when this life of the accessory fails."""

    @property
    def emit_kept(self) -> Emit:
        """Publishes an event of a thing that `keep` keeps: its faults outlive this life."""

    @property
    def edition(self) -> Edition:
        """The edition of the config."""

    @property
    def state(self) -> Path:
        """The directory that outlives a power cut."""

    def now(self) -> float:
        """Return the time of the events, in seconds."""

    def randomness(self, use: str) -> Random:
        """Return a source of random numbers for a *use*."""

    def keep(self, name: str, make: Callable[[], T]) -> T:
        """Return a value that survives a restart of this accessory; *make* makes it the first time."""

    async def request(self, name: str, **args: Any) -> object:
        """Send a request to another accessory. Raises `RequestError` if none of the table serves it."""


class Accessory(ABC, Generic[C]):
    """A kind of accessory. *C* is the type of its section in ``table.toml``."""

    name: str
    """The name of its section: ``block``."""

    title: str
    """Its name for people: ``Question block``."""

    order: int = 100
    """Accessories are listed in this order."""

    question: str = ""
    """The question of setup whether there is one; by default "Is there a …?" with the title."""

    can_be_set_up: bool = True
    """Whether setup asks about it."""

    section: Reader[C]
    """Reads its section."""

    absent_snapshot: Mapping[str, object] = {}
    """Its part of the snapshot if a table does not have it."""

    requests: Mapping[str, Request] = {}
    """The requests that it serves on the control socket, by name."""

    internal_requests: Sequence[str] = ()
    """The names of further requests, which only other accessories can make."""

    events: Mapping[str, EventKind] = {}
    """The events that it emits, by name, besides those of its devices."""

    charts: Mapping[str, Chart] = {}
    """The charts that it draws for the table page, by name."""

    def panel(self) -> Path | None:
        """Return the folder with its panel for the table page: ``panel/`` beside its module, if there is one."""
        folder = Path(inspect.getfile(type(self))).parent / "panel"
        return folder if folder.is_dir() else None

    def devices(self, config: C | None) -> Sequence[FittedDevice[Any, Any]]:
        """Return all devices that it has or could have. *config* ``None``: the section is left out."""
        return ()

    def validate(self, reading: Reading, config: C, table: OtherSections) -> None:
        """Report what is wrong between its section and others."""

    def describe(self, config: C) -> Iterator[tuple[str, str]]:
        """Yield names and their descriptions for ``reboard check``."""
        for device in self.devices(config):
            yield device.title, device.describe()

    def findings(self, config: C) -> Iterator[Finding]:
        """Yield findings about its section for ``reboard check``."""
        return iter(())

    def setup_steps(self) -> Sequence[FittedDevice[Any, Any] | SetupStep]:
        """Return what setup asks after its question: by default its devices, without those that are required."""
        return [device for device in self.devices(None) if not device.is_required]

    async def checks(self, config: C | None, context: CheckContext) -> AsyncIterator[Finding]:
        """Yield what ``reboard doctor`` finds beyond its devices. ``None``: the section is left out."""
        return
        yield

    @abstractmethod
    def open(self, config: C, context: TableContext) -> AbstractAsyncContextManager[RunningAccessory]:
        """Open its devices. Raises `DeviceError` if a pin cannot be used."""


class BrokenAccessory(Accessory[object]):
    """A plug-in that cannot be loaded. It is a fault if the config has its section."""

    can_be_set_up = False

    def __init__(self, name: str, cause: str) -> None:
        self.name = name
        self.title = name
        self.section = _anything
        self._cause = cause

    @asynccontextmanager
    async def open(self, config: object, context: TableContext) -> AsyncIterator[RunningAccessory]:
        """Raise `ReboardError` with the cause."""
        raise ReboardError(self._cause)
        yield


def _anything(reading: Reading, path: KeyPath, value: object, /) -> object:
    return value


@cache
def accessories() -> Mapping[str, Accessory[Any]]:
    """Return all installed accessories by the name of their section. Raises `NotInstalledError` if there are none."""
    found = [_loaded(entry) for entry in entry_points(group=ENTRY_POINTS)]
    if not found:
        raise NotInstalledError
    return {accessory.name: accessory for accessory in sorted(found, key=lambda each: (each.order, each.name))}


@cache
def event_kinds() -> Mapping[str, EventKind]:
    """Return all events of tables, devices and installed accessories, by name."""
    kinds = dict(COMMON_EVENTS)
    for accessory in accessories().values():
        kinds |= accessory.events
    return kinds


@cache
def all_requests() -> Mapping[str, Request]:
    """Return all requests on the control socket, of tables and installed accessories, by name."""
    return {
        **COMMON_REQUESTS,
        **{do: each for accessory in accessories().values() for do, each in accessory.requests.items()},
    }


def check_request(request: Mapping[str, Any]) -> None:
    """Raise `ControlSocketError` unless *request* is one of `all_requests`, with its arguments."""
    do = request.get("do")
    if not isinstance(do, str) or do not in all_requests():
        raise ControlSocketError(f'"do" must be one of {", ".join(all_requests())}')
    kind = all_requests()[do]
    arguments = {**kind.arguments, **({"by": BY} if kind.changes else {})}
    for name, argument in arguments.items():
        left_out = argument.may_be_left_out and name not in request
        if not left_out and not argument.allows(request.get(name)):
            raise ControlSocketError(f'{do}: "{name}" must be {argument.words}')
    if strange := request.keys() - arguments.keys() - {"id", "do"}:
        raise ControlSocketError(f"{do} takes no argument {min(strange)[:LONGEST_SHOWN]!r}")


def _loaded(entry: Any) -> Accessory[Any]:
    try:
        accessory = entry.load()
        if not isinstance(accessory, Accessory):
            raise TypeError(f"{entry.value} is not an Accessory")
        _try(accessory)
    except Exception as error:  # one broken plug-in must not stop the others
        cause = f"the accessory {entry.name} ({entry.value}) cannot be loaded: {type(error).__name__}: {error}"
        log.warning("%s", cause)
        return BrokenAccessory(entry.name, cause)
    return accessory


def _try(accessory: Accessory[Any]) -> None:
    """Raise what would fail with every config, also one that does not have *accessory*."""
    if not (isinstance(accessory.name, str) and isinstance(accessory.title, str) and callable(accessory.section)):
        raise TypeError("its name and title must be texts, and its section a reader")
    if not isinstance(accessory.order, int):
        raise TypeError("its order must be a whole number")
    for mapping in (accessory.absent_snapshot, accessory.requests, accessory.events, accessory.charts):
        dict(mapping)
    tuple(accessory.internal_requests)
    tuple(accessory.setup_steps())
    accessory.panel()
    for device in accessory.devices(None):
        if device.wiring and device.kind.wiring:
            device.kind.wiring(Reading(Path()), (), {})
