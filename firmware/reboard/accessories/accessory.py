"""The interface of an accessory."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, Generic, Protocol, TypeVar

from reboard.accessories.chart import Chart
from reboard.accessories.entity import Entity
from reboard.accessories.request import Request
from reboard.board import Board
from reboard.config.reading import Reader, Reading, did_you_mean
from reboard.devices.device import CheckContext, FittedDevice, SetupStep
from reboard.devices.readers.reader import Reception
from reboard.devices.speaker import Speaker
from reboard.editions.edition import Edition
from reboard.errors import RequestError
from reboard.events import Emit, EventKind
from reboard.finding import Finding

C = TypeVar("C")
T = TypeVar("T")

BOOK = "book_outcome"
"""The internal request that the bank serves, with ``accessory``, ``outcome`` and ``times``."""

SHOW = "show_lines"
"""The internal request for a notice on the bank's display, with its ``lines`` (one or two) and ``seconds``.

Both lines are shown while no card is in and nothing is typed. With one card or an amount, only the first line is shown,
and with two cards, or in a dialog, none is. The bank's own notices come first. A key or a card removes them.
"""


def without_names(part: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of *part* of a snapshot or an event without the names of players: every key ``name``."""
    return {key: _without_names(value) for key, value in part.items() if key != "name"}


def _without_names(value: Any) -> Any:
    if isinstance(value, Mapping):
        return without_names(value)
    return [_without_names(each) for each in value] if isinstance(value, list | tuple) else value


def no_device(name: str, devices: Iterable[str]) -> str:
    """Return the error message for the unknown device *name* of an accessory, which has *devices*."""
    known = list(devices)
    hint = did_you_mean(name, known) or f": the devices are {', '.join(known) or 'none'}"
    return f"the accessory has no device {name!r} in `fitted`{hint}"


class _Devices(dict[str, Any]):
    def __missing__(self, name: str) -> Any:
        raise LookupError(no_device(name, self))


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

    @property
    def readers(self) -> Mapping[str, Reception]:
        """The counts of the accessory's card readers, keyed by the label of the slot, such as ``bank.left``."""
        return {}

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

    async def request(self, name: str, /, **args: Any) -> object:
        """Send a request to another accessory, and return its answer.

        Raises `RequestError` for a wrong argument, `Rejection` if the accessory is not running, and `ReboardError` for
        any other failure.
        """

    async def book(self, outcome: str, times: int = 1) -> None:
        """Have the bank book *outcome*, one of `Accessory.outcomes`, *times* times, and wait until it is saved.

        The edition gives the amount. Nothing happens unless the accessory's section has ``linked = true``. If the
        booking fails, log a warning and continue. Raises `RequestError` for an argument of a wrong type.
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

    internal_requests: Mapping[str, Request] = {}
    """The requests that only other accessories can send, keyed by name."""

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
            devices = _Devices()
            for device in self.devices(config):
                devices[device.noun] = await stack.enter_async_context(device.open(context.board, context.emit))
            yield self.running(config, devices, context)

    def running(self, config: C, devices: Mapping[str, Any], context: TableContext) -> RunningAccessory:
        """Return the running accessory. *devices* are its open devices, keyed by the last part of their labels."""
        raise NotImplementedError(f"{type(self).__name__} needs a method running() or open()")
