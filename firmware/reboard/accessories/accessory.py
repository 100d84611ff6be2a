"""The interface of an accessory, and functions that find the installed accessories.

A plug-in adds an accessory with an entry point in the group ``reboard.accessories``.
"""

from __future__ import annotations

import inspect
import logging
import re
import sysconfig
import traceback
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from random import Random
from typing import Any, Generic, Protocol, TypeVar

from reboard.accessories.chart import Chart
from reboard.accessories.entity import Entity
from reboard.board import LARGEST_VOLUME, Board
from reboard.config.reading import KeyPath, Reader, Reading
from reboard.devices.device import CheckContext, FittedDevice, SetupStep
from reboard.devices.speaker import Speaker
from reboard.editions.edition import Edition
from reboard.errors import ControlSocketError, NotInstalledError, ReboardError, RequestError
from reboard.events import COMMON_EVENTS, REMEMBERED, Emit, EventKind
from reboard.finding import Finding, sentence, wrong

C = TypeVar("C")
T = TypeVar("T")

ENTRY_POINTS = "reboard.accessories"
BOOK = "book_outcome"
"""The internal request that the bank serves, with ``accessory``, ``outcome`` and ``times``."""

SHOW = "show_lines"
"""The internal request for a notice on the bank's display, with its ``lines`` (one or two) and ``seconds``.

Both lines are shown while no card is in and nothing is typed. With one card or an amount, only the first line is shown,
and with two cards, or in a dialog, none is. The bank's own notices come first. A key or a card removes them.
"""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a request. *words* describes the allowed values, and *allows* checks a value."""

    words: str
    allows: Callable[[object], bool]
    may_be_left_out: bool = False


def whole(most: int, *, least: int = 0) -> Argument:
    """Return an argument for whole numbers from *least* to *most*."""

    def allows(value: object) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most

    return Argument(f"a whole number from {least} to {most}", allows)


def text(most: int, *, least: int = 1) -> Argument:
    """Return an argument for strings of *least* to *most* printable characters."""

    def allows(value: object) -> bool:
        return isinstance(value, str) and least <= len(value) <= most and value.isprintable()

    return Argument(f"a string of {least} to {most} printable characters", allows)


TRUE_OR_FALSE = Argument("true or false", lambda value: isinstance(value, bool))


def without_names(part: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of *part* of a snapshot or an event without the names of players: every key ``name``."""
    return {key: _without_names(value) for key, value in part.items() if key != "name"}


def _without_names(value: Any) -> Any:
    if isinstance(value, Mapping):
        return without_names(value)
    return [_without_names(each) for each in value] if isinstance(value, list | tuple) else value


def optional(argument: Argument) -> Argument:
    """Return a copy of *argument* that can be left out of a request."""
    return replace(argument, may_be_left_out=True)


@dataclass(frozen=True, slots=True)
class Json:
    """An answer that is already encoded as JSON, so that a long answer can be encoded on another thread."""

    text: str


@dataclass(frozen=True, slots=True)
class Request:
    """A request on the control socket. *changes* is whether the request changes the table.

    *is_for_players* is whether the table page can send the request without the host's PIN if ``[page]`` has
    ``pay = true``. Such a request has no effect on the game until it is confirmed on the accessory or by the host.
    """

    arguments: Mapping[str, Argument]
    changes: bool = True
    is_for_players: bool = False


COMMON_REQUESTS: Mapping[str, Request] = {
    "snapshot": Request({}, changes=False),
    "events": Request({"recent": optional(whole(REMEMBERED))}, changes=False),
    "watch_signals": Request({}, changes=False),
    "volume": Request({"level": whole(LARGEST_VOLUME)}),
}
"""The requests that every table serves, keyed by name. An accessory can add others."""

BY = optional(text(60))
"""The argument ``by`` of every request that changes the table: the sender, for the log and the events."""

LONGEST_SHOWN = 200


class RunningAccessory(ABC):
    """An accessory of a running table. Every method except `run` has a default."""

    @property
    def edition(self) -> Edition | None:
        """The edition of the current game, or ``None`` if the accessory always uses the edition of the config."""
        return None

    @abstractmethod
    async def run(self, started: Callable[[], None]) -> None:
        """Run until cancelled. Call *started* when the accessory accepts input, or shows why it cannot."""

    def snapshot(self) -> Mapping[str, object]:
        """Return the state of the accessory as a JSON object, whose keys are added to the snapshot of the table."""
        return {}

    async def request(self, name: str, args: Mapping[str, Any]) -> object:
        """Carry out the request *name* and return its answer: `Json`, or values that can be encoded as JSON.

        Raises `ReboardError`, such as `RequestError` or `Rejection`.
        """
        raise RequestError(f"there is no request {name!r}")

    def show_fault(self, part: str | None) -> None:
        """Show that *part*, such as a device or the ledger, has a fault. ``None`` means that nothing has a fault."""


class OtherSections(Protocol):
    """The parts of the config that an accessory can compare with its own section."""

    @property
    def edition(self) -> str:
        """The name of the edition."""

    @property
    def sections(self) -> Mapping[str, Any]:
        """The sections of all accessories, keyed by name."""


class TableContext(Protocol):
    """The services that a table provides to an accessory."""

    @property
    def board(self) -> Board:
        """The pins, ports and devices of the machine."""

    @property
    def speaker(self) -> Speaker:
        """The speaker of the table."""

    @property
    def emit(self) -> Emit:
        """The function that publishes events. If the accessory fails, the table clears the faults that it published."""

    @property
    def emit_kept(self) -> Emit:
        """The counterpart of `emit` for objects from `keep`. Their faults survive restarts of the accessory."""

    @property
    def edition(self) -> Edition:
        """The edition of the config."""

    @property
    def state(self) -> Path:
        """The state directory."""

    def now(self) -> float:
        """Return the time since the start of the table in seconds, as in the ``t`` of an event."""

    def randomness(self, use: str) -> Random:
        """Return the random number generator for the purpose *use*, such as ``"block"``."""

    def keep(self, name: str, make: Callable[[], T]) -> T:
        """Return the value *name*, which survives restarts of this accessory. The first call creates it with *make*."""

    async def request(self, name: str, **args: Any) -> object:
        """Send a request to another accessory, and return its answer.

        Raises `Rejection` if the accessory is not running, and `ReboardError` for any other failure.
        """

    async def book(self, outcome: str, times: int = 1) -> None:
        """Have the bank book *outcome*, one of `Accessory.outcomes`, *times* times, and wait until it is saved.

        The edition gives the amount. Nothing happens unless the accessory's section has ``linked = true``. If the
        booking fails, log a warning and continue.
        """


class Accessory(ABC, Generic[C]):
    """A kind of accessory. *C* is the type of its section in ``table.toml``."""

    name: str
    """The name of the accessory's section, such as ``block``."""

    title: str
    """The name for users, such as ``Question block``."""

    order: int = 100
    """The sort key in lists of accessories, in ascending order."""

    question: str = ""
    """The question with which the setup wizard asks whether the table has the accessory.

    With the default ``""``, the wizard asks "Is there a …?" with the title.
    """

    can_be_set_up: bool = True
    """Whether the setup wizard asks about the accessory."""

    section: Reader[C]
    """The reader of the accessory's section."""

    fitted: Sequence[FittedDevice[Any, Any]] = ()
    """The devices that the accessory can have, without their configs.

    The label of each is ``<name>.<key>``, where the section has its config under *key*.
    """

    absent_snapshot: Mapping[str, object] = {}
    """The keys and values in the snapshot of a table where the accessory is not running."""

    requests: Mapping[str, Request] = {}
    """The requests that the accessory serves on the control socket, keyed by name."""

    internal_requests: Sequence[str] = ()
    """The names of the requests that only other accessories can send."""

    events: Mapping[str, EventKind] = {}
    """The kinds of events that the accessory emits, keyed by name, except those of its devices."""

    outcomes: Sequence[str] = ()
    """The outcomes that the bank can book, by the amounts in ``[outcomes.<name>]`` of the edition.

    An accessory with outcomes has ``linked: Annotated[bool, flag] = False`` in its section, and calls
    `TableContext.book`.
    """

    charts: Mapping[str, Chart] = {}
    """The charts of the accessory for the table page, keyed by name."""

    def entities(self, state: Mapping[str, Any], language: str) -> Iterable[Entity]:
        """Return the entities for a smart home, with names in the *language* of the table.

        *state* is what the table shares of its snapshot.
        """
        return ()

    def language(self, config: C) -> str | None:
        """Return the code of the language in which the accessory speaks to the players, or ``None`` if it has none."""
        return None

    def shared(self, snapshot: Mapping[str, Any], *, names: bool) -> Mapping[str, object]:
        """Return what leaves the table over MQTT of the accessory's *snapshot*, by default all of it.

        *snapshot* has the keys of `absent_snapshot`, and those that every table shares, such as ``units``. Without
        *names*, no name of a player may leave.
        """
        return snapshot if names else without_names(snapshot)

    def panel(self) -> Path | None:
        """Return the folder with the panel for the table page: ``panel/`` beside the module, or ``None`` if missing."""
        return self._folder("panel")

    def sounds(self) -> Path | None:
        """Return the folder with the accessory's sounds: ``sounds/`` beside the module, or ``None`` if missing.

        The stem of each WAV file is the name of a sound. Another sound with the same name is not replaced.
        """
        return self._folder("sounds")

    def _folder(self, name: str) -> Path | None:
        folder = Path(inspect.getfile(type(self))).parent / name
        return folder if folder.is_dir() else None

    def devices(self, config: C | None) -> Sequence[FittedDevice[Any, Any]]:
        """Return all devices that the accessory can have, by default `fitted` with their configs.

        *config* is ``None`` if the accessory has no section.
        """
        return [replace(each, config=None if config is None else getattr(config, each.noun)) for each in self.fitted]

    def validate(self, reading: Reading, config: C, table: OtherSections) -> None:
        """Record in *reading* each setting in *config* that contradicts the edition or another section in *table*."""

    def describe(self, config: C) -> Iterator[tuple[str, str]]:
        """Yield pairs of name and description for ``reboard check``, by default one pair for each device."""
        for device in self.devices(config):
            yield device.title, device.describe()

    def findings(self, config: C) -> Iterator[Finding]:
        """Yield findings on the section *config* for ``reboard check`` and ``reboard doctor``."""
        return iter(())

    def setup_steps(self) -> Sequence[FittedDevice[Any, Any] | SetupStep]:
        """Return the steps of the setup wizard after the question, by default one for each optional device."""
        return [device for device in self.devices(None) if not device.is_required]

    async def checks(self, config: C | None, context: CheckContext) -> AsyncIterator[Finding]:
        """Yield findings for ``reboard doctor`` in addition to those on devices.

        *config* is ``None`` if the accessory has no section in the config file.
        """
        return
        yield

    @asynccontextmanager
    async def open(self, config: C, context: TableContext) -> AsyncIterator[RunningAccessory]:
        """Open the devices, and yield the running accessory. Raises `DeviceError` if a pin cannot be used.

        By default, yield what `running` makes of them.
        """
        async with AsyncExitStack() as stack:
            devices = {
                device.noun: await stack.enter_async_context(device.open(context.board, context.emit))
                for device in self.devices(config)
            }
            yield self.running(config, devices, context)

    def running(self, config: C, devices: Mapping[str, Any], context: TableContext) -> RunningAccessory:
        """Return the running accessory. *devices* are its open devices, keyed by the last part of their labels."""
        raise NotImplementedError(f"{type(self).__name__} needs a method running() or open()")


class BrokenAccessory(Accessory[object]):
    """A stand-in for a plug-in that fails. If the config has a section for it, the table reports a fault.

    It also replaces the config of that section, see `reboard.table_config.TableConfig.accessory`.
    """

    can_be_set_up = False

    def __init__(self, name: str, cause: str) -> None:
        self.name = name
        self.title = name
        self.section = self._broken
        self.cause = cause

    def describe(self, config: object) -> Iterator[tuple[str, str]]:
        yield self.name, "cannot be used"

    def findings(self, config: object) -> Iterator[Finding]:
        do = f"Correct the code of {self.name}, or update or uninstall its package."
        yield wrong(f"{self.name}.plug-in", sentence(self.cause), do)

    @asynccontextmanager
    async def open(self, config: object, context: TableContext) -> AsyncIterator[RunningAccessory]:
        """Raise `ReboardError` with the cause."""
        raise ReboardError(self.cause)
        yield

    def _broken(self, reading: Reading, path: KeyPath, value: object, /) -> object:
        return self


@cache
def accessories() -> Mapping[str, Accessory[Any]]:
    """Return all installed accessories, keyed by section name. Raises `NotInstalledError` if there are none."""
    entries = list(entry_points(group=ENTRY_POINTS))
    if not entries:
        raise NotInstalledError
    found: dict[str, Accessory[Any]] = {}
    # ours first, so that a plug-in cannot replace one of them
    for entry in sorted(entries, key=lambda each: (not each.value.startswith("reboard."), each.name)):
        accessory = _loaded(entry, found)
        found.setdefault(accessory.name, accessory)
    return {each.name: each for each in sorted(found.values(), key=lambda each: (each.order, each.name))}


@cache
def event_kinds() -> Mapping[str, EventKind]:
    """Return the kinds of events of tables, devices and installed accessories, keyed by name."""
    kinds = dict(COMMON_EVENTS)
    for accessory in accessories().values():
        kinds |= accessory.events
    return kinds


def sound_folders() -> Sequence[Path]:
    """Return the folders with the sounds of the installed accessories."""
    return [folder for accessory in accessories().values() if (folder := accessory.sounds())]


@cache
def all_requests() -> Mapping[str, Request]:
    """Return all requests on the control socket, of tables and installed accessories, keyed by name."""
    return {
        **COMMON_REQUESTS,
        **{do: each for accessory in accessories().values() for do, each in accessory.requests.items()},
    }


def check_request(request: Mapping[str, Any]) -> None:
    """Check a request from the control socket. Raises `ControlSocketError` for an unknown request or argument."""
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


PLUG_IN_ERRORS = (Exception, SystemExit)
"""The exceptions of a plug-in that must not stop the others."""


def failure(error: BaseException) -> str:
    """Return *error* of a plug-in as text, such as ``KeyError: 'left' (accessory.py, line 33)``."""
    frames = reversed(traceback.extract_tb(error.__traceback__))
    places = (f" ({Path(each.filename).name}, line {each.lineno})" for each in frames if _is_of_plug_in(each.filename))
    return f"{type(error).__name__}: {error}{next(places, '')}"


def _is_of_plug_in(file: str) -> bool:
    if file.startswith(("<", str(Path(__file__).parents[1]))):
        return False
    return "-packages" in file or not file.startswith(sysconfig.get_path("stdlib"))


def _loaded(entry: Any, others: Mapping[str, Accessory[Any]]) -> Accessory[Any]:
    try:
        accessory = entry.load()
        if not isinstance(accessory, Accessory):
            raise TypeError(f"{entry.value} is not an instance of Accessory")
        _try(accessory, others)
    except PLUG_IN_ERRORS as error:
        cause = f"the accessory {entry.name} ({entry.value}) cannot be loaded: {failure(error)}"
        log.warning("%s", cause)
        return BrokenAccessory(entry.name, cause)
    return accessory


OTHER_SECTIONS = ("edition", "speaker", "page", "mqtt", "wiring", "state")
"""The keys of ``table.toml`` that are not the name of an accessory."""


TABLE_KEYS = ("t", "title", "titles", "language", "edition", "units", "rules", "volume", "faults", "counts_from")
"""The keys of a snapshot that belong to the table."""


def _try(accessory: Accessory[Any], others: Mapping[str, Accessory[Any]]) -> None:
    """Check the attributes and methods of *accessory* that every table uses. Raises an exception if one is broken."""
    if not (isinstance(accessory.name, str) and isinstance(accessory.title, str) and callable(accessory.section)):
        raise TypeError("name and title must be strings, and section must be a reader")
    if not re.fullmatch("[a-z][a-z0-9_]*", accessory.name) or accessory.name in OTHER_SECTIONS:
        taken = f"{', '.join(OTHER_SECTIONS[:-1])} and {OTHER_SECTIONS[-1]} are taken"
        raise ValueError(f"{accessory.name!r} is not a valid name: use a-z, 0-9 and _; {taken}")
    for names, taken_names in (
        ({accessory.name}, others.keys()),
        (accessory.requests, {*COMMON_REQUESTS}.union(*(other.requests for other in others.values()))),
        (accessory.events, {*COMMON_EVENTS}.union(*(other.events for other in others.values()))),
        (accessory.absent_snapshot, {*TABLE_KEYS}.union(*(other.absent_snapshot for other in others.values()))),
    ):
        if twice := set(names) & set(taken_names):
            raise ValueError(f"another accessory uses the name {min(twice)!r}, too")
    if not isinstance(accessory.order, int):
        raise TypeError("order must be a whole number")
    dict(accessory.absent_snapshot)
    for mapping, kind in ((accessory.requests, Request), (accessory.events, EventKind), (accessory.charts, Chart)):
        if strange := [key for key, value in dict(mapping).items() if not isinstance(value, kind)]:
            raise TypeError(f"{strange[0]!r} must be a {kind.__name__}")
    for device in accessory.fitted:
        section, _, key = device.label.rpartition(".")
        if section != accessory.name or key not in getattr(accessory.section, "keys", {key}):
            keys = ", ".join(getattr(accessory.section, "keys", ())) or "none"
            needed = f"must be {accessory.name}.KEY, with a key of the section {accessory.name}: {keys}"
            raise ValueError(f"the label {device.label!r} in fitted {needed}")
    tuple(accessory.internal_requests)
    tuple(accessory.setup_steps())
    accessory.panel()
    accessory.sounds()
    for device in accessory.devices(None):
        device.drawn_wiring()
