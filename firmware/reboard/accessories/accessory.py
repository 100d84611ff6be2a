"""The interface of an accessory."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, Generic, Protocol, TypeVar

from reboard.accessories.chart import Chart
from reboard.accessories.entity import Entity, entities_of
from reboard.accessories.table_vocabulary import PhonePay
from reboard.board import Board
from reboard.config.reading import Reader, Reading, did_you_mean
from reboard.devices.device import FittedDevice
from reboard.devices.examination import CheckContext, SetupStep
from reboard.devices.readers.reader import Reception
from reboard.devices.speaker import Speaker
from reboard.editions.edition import Edition
from reboard.errors import RequestError
from reboard.finding import Finding
from reboard.languages import Texts
from reboard.record import replace
from reboard.vocabulary.declared import Event, Request
from reboard.vocabulary.vocabulary import Vocabulary

C = TypeVar("C")
T = TypeVar("T")


Announcement = Callable[[Mapping[str, Any], Mapping[str, Any], Texts], str]
"""A function that returns what the voice says of an event, in whole sentences, or ``""``.

Its arguments are the fields of the event, the snapshot of the table after it, and the texts in a language."""


class Devices(SimpleNamespace):
    """The open devices of an accessory, as attributes with the names of their settings: ``devices.lamp``."""

    def __getattr__(self, name: str) -> Any:
        known = vars(self)
        hint = did_you_mean(name, known) or f": the devices are {', '.join(known) or 'none'}"
        raise AttributeError(f"the accessory has no device {name!r} in `fitted`{hint}")


class RunningAccessory(ABC):
    """An accessory of a running table. Every method except `run` has a default."""

    @property
    def edition(self) -> Edition | None:
        """The edition of the current game, or ``None`` if the accessory always uses the edition of the config."""
        return None

    @abstractmethod
    async def run(self, started: Callable[[], None]) -> None:
        """Run until cancelled. Call *started* when the accessory accepts input, or shows why it cannot."""

    async def close(self) -> None:
        """Close what the accessory has opened, after its devices were closed."""

    def snapshot(self) -> Mapping[str, object]:
        """Return the state of the accessory as a JSON object, whose keys are added to the snapshot of the table."""
        return {}

    async def request(self, request: Request) -> object:
        """Carry out a *request* of the vocabulary. Return `Json`, or an answer with values that JSON has.

        Raises `ReboardError`, such as `RequestError` or `Rejection`.
        """
        raise RequestError(f"no method of the accessory carries out the request {request.do!r}")

    @property
    def readers(self) -> Mapping[str, Reception]:
        """The counts of the accessory's card readers, keyed by the label of the slot, such as ``bank.left``."""
        return {}

    def show_fault(self, part: str | None) -> None:
        """Show that *part* has a fault, such as a device or the title of an accessory. ``None``: no part has."""


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

    board: Board
    """The pins, ports and devices of the machine."""

    edition: Edition
    """The edition of the config."""

    language: str
    """The code of the language in which the table speaks to its players."""

    pay: PhonePay
    """How players pay with their phones, by ``[page]``."""

    state: Path
    """The state directory."""

    @property
    def speaker(self) -> Speaker:
        """The speaker of the table."""

    def emit(self, event: Event) -> None:
        """Publish an event. If the accessory fails, the table clears the faults that it published."""

    def emit_kept(self, event: Event) -> None:
        """Publish an event of an object from `keep`, whose faults survive restarts of the accessory."""

    def now(self) -> float:
        """Return the time since the start of the table in seconds, as in the ``t`` of an event."""

    def randomness(self, use: str) -> Random:
        """Return the random number generator for the purpose *use*, such as ``"block"``."""

    def keep(self, name: str, make: Callable[[], T]) -> T:
        """Return the value *name*, which survives restarts of this accessory. The first call creates it with *make*."""

    async def request(self, request: Request) -> Any:
        """Send a *request* to another accessory, and return its answer: its ``TypedDict``, or ``None``.

        Raises `RequestError` for a wrong argument, `Rejection` if the accessory is not running, and `ReboardError` for
        any other failure.
        """

    async def book(self, outcome: str, times: int = 1) -> None:
        """Have the bank book *outcome*, one of its `vocabulary`, *times* times, and wait until it is saved.

        The edition gives the amount. Nothing happens unless the accessory's section has ``linked = true``. If the
        booking fails, log a warning and continue. Raises `RequestError` for an outcome that is not declared.
        """


class Accessory(ABC, Generic[C]):
    """A kind of accessory. *C* is the type of its section in ``table.toml``."""

    name: str
    """The name of the accessory's section, such as ``block``."""

    title: str
    """The name for users, such as ``Question block``."""

    order: int = 100
    """The sort key in lists of accessories, in ascending order."""

    section: Reader[C]
    """The reader of the accessory's section."""

    fitted: Sequence[FittedDevice[Any, Any]] = ()
    """The devices that the accessory can have, without their configs.

    The label of each is ``<name>.<key>``, where the section has its config under *key*.
    """

    vocabulary: Vocabulary = Vocabulary()
    """The events, requests, states and outcomes of the accessory, by default those that its own module declares.

    An accessory with outcomes has ``linked: Annotated[bool, flag] = False`` in its section, and calls
    `TableContext.book`.
    """

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "name" in vars(cls) and "vocabulary" not in vars(cls):
            cls.vocabulary = Vocabulary(cls.__module__)

    charts: Mapping[str, Chart] = {}
    """The charts of the accessory for the table page, keyed by name."""

    def entities(self, state: Mapping[str, Any], language: str) -> Iterable[Entity]:
        """Return the entities for a smart home: each `Sensor` of the vocabulary, with its name in a *language*.

        *state* is what the table shares of its snapshot.
        """
        return entities_of(self.vocabulary, language)

    def announcements(self) -> Mapping[str, Announcement]:
        """Return what the table's voice says of the accessory's events, keyed by their names."""
        return {}

    def spoken_texts(self, say: Texts) -> Iterable[str]:
        """Return the texts of which announcements are made, for users who record the words. A value is in braces."""
        return ()

    def validate(self, reading: Reading, config: C, table: OtherSections) -> None:
        """Record in *reading* each setting in *config* that contradicts the edition or another section in *table*."""

    def describe(self, config: C) -> Iterator[tuple[str, str]]:
        """Yield pairs of name and description for ``reboard check``, by default one pair for each device."""
        for device in devices_of(self, config):
            yield device.title, device.describe()

    def findings(self, config: C | None, context: CheckContext | None) -> Iterator[Finding]:
        """Yield findings for ``reboard check``, and with the *context* of a machine also those for ``reboard doctor``.

        *config* is ``None`` if the accessory has no section in the config file. It runs on a thread of its own.
        """
        return iter(())

    def setup_steps(self) -> Sequence[FittedDevice[Any, Any] | SetupStep]:
        """Return the steps of the setup wizard after the question, by default one for each optional device."""
        return [device for device in self.fitted if not device.is_required]

    @asynccontextmanager
    async def open(self, config: C, context: TableContext) -> AsyncIterator[RunningAccessory]:
        """Open the devices, and yield the running accessory. Raises `DeviceError` if a pin cannot be used.

        By default, yield what `running` makes of them.
        """
        running: RunningAccessory | None = None

        async def close() -> None:
            if running:
                await running.close()

        async with AsyncExitStack() as stack:
            stack.push_async_callback(close)
            devices = Devices()
            for device in devices_of(self, config):
                driver = await stack.enter_async_context(device.open(context.board, context.emit))
                setattr(devices, device.noun, driver)
            running = self.running(config, devices, context)
            yield running

    def running(self, config: C, devices: Devices, context: TableContext) -> RunningAccessory:
        """Return the running accessory, which uses its open *devices*."""
        raise NotImplementedError(f"{type(self).__name__} needs a method running() or open()")


def devices_of(accessory: Accessory[C], config: C | None) -> Sequence[FittedDevice[Any, Any]]:
    """Return all devices that *accessory* can have, with their configs in its section *config*, if it has one."""
    return [replace(each, config=None if config is None else getattr(config, each.noun)) for each in accessory.fitted]


def absent_of(accessory: Accessory[Any]) -> Mapping[str, object]:
    """Return the keys of *accessory* in the snapshot of a table, with their values where it is not running."""
    absent = accessory.vocabulary.absent
    return {accessory.name: None} if absent is None else absent


def folder_of(accessory: Accessory[Any], name: str) -> Path | None:
    """Return the folder *name* beside the module of *accessory*, or ``None`` if it is missing.

    ``panel`` has the panel for the table page. ``sounds`` has WAV files, whose stems are the names of sounds. Another
    sound with the same name is not replaced. ``languages`` has catalogues.
    """
    folder = Path(inspect.getfile(type(accessory))).parent / name
    return folder if folder.is_dir() else None
