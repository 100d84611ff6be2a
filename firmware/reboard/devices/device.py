"""The interface of a device kind, and a device with its config."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from reboard.board import Board
from reboard.config.reading import Reader, Reading
from reboard.devices.examination import CheckContext, TryOut
from reboard.errors import PLUG_IN_ERRORS, failure
from reboard.events import DeviceEvent, Emit
from reboard.finding import Finding
from reboard.record import Record, replace
from reboard.vocabulary.declared import Event


class Driver(Protocol):
    """The interface of every driver."""

    def close(self) -> None:
        """Switch the device off, and release its pins and files. Can be called more than once."""


def nothing(*_: Any, **__: Any) -> None:
    """Do nothing. This is a method of a stand-in."""


async def never(*_: Any, **__: Any) -> None:
    """Wait for ever. This is a method of a stand-in."""
    await asyncio.get_running_loop().create_future()


class Absent:
    """The base class of the stand-ins for devices that the config leaves out. A stand-in does nothing."""

    close = nothing


C = TypeVar("C")
D = TypeVar("D", bound=Driver)
T = TypeVar("T")


class DeviceKind(Generic[C, D]):
    """A kind of device: its config of type *C*, its driver of type *D*, and its pins and files.

    *C* is ``int``, the pin, for a device on one pin, and a dataclass for other devices.
    """

    name: str
    """The name of the kind. Its virtual device and its circuit have the same name."""

    absent: type[D]
    """The class of the stand-in for a device that the config leaves out. Its methods do nothing, or wait for ever."""

    area: str = ""
    """The area of ``reboard doctor`` in which `check` reports; ``""`` if the kind has no check."""

    is_output: bool = False
    """Whether the pins of the device are outputs. Setup skips them when it searches for another device's pin."""

    has_heading: bool = False
    """Whether setup prints the title of the device as a heading, because it asks several questions."""

    event: type[DeviceEvent] | None = None
    """The event that the device emits."""

    wiring: Reader[Any] | None = None
    """The function that reads ``[wiring.<device>]``, or ``None`` if devices of this kind have no such section."""

    wiring_name: str = ""
    """The name of that table in ``[wiring]``, by default `name`."""

    driver: Callable[..., D]
    """The class of a driver that is made with the config, *pins*, *emit* and *name*; see `open_driver`."""

    def pins(self, config: C) -> Mapping[str, int]:
        """Return the BCM pins of the device, keyed by terminal: ``{"row_1": 23}``. A single pin has the key ``""``."""
        return {}

    def files(self, config: C) -> Sequence[str]:
        """Return the device files that the device uses, such as ``/dev/serial0`` or ``/dev/i2c-1``."""
        return ()

    def groups(self, config: C) -> Mapping[str, str]:
        """Return the Linux groups that own the device files, each with a description: ``{"i2c": "the I²C buses"}``."""
        return {}

    def describe(self, config: C | None) -> str:
        """Return a description of the device for ``reboard check``."""
        return "none" if config is None else f"on {pin_list(tuple(self.pins(config).values()))}"

    def open_driver(self, config: C, name: str, board: Board, emit: Emit) -> D:
        """Return the driver. *name* is the device's name in faults.

        Raises `DeviceError` if a pin cannot be used. A missing port raises no exception: the driver emits a ``fault``
        event.
        """
        if not hasattr(self, "driver"):
            raise NotImplementedError(f"{type(self).__name__} needs a driver, or a method open_driver() or open()")
        return self.driver(config, pins=board.pins, emit=emit, name=name)

    @asynccontextmanager
    async def open(self, device: FittedDevice[C, D], board: Board, emit: Emit) -> AsyncIterator[D]:
        """Open the driver, or the stand-in `absent`, for the duration of an ``async with``. Raises `DeviceError`."""
        config = device.config
        if config is None and not hasattr(self, "absent"):
            raise NotImplementedError(f"{type(self).__name__} needs absent, the class of a stand-in")
        with closing(
            self.absent() if config is None else self.open_driver(config, device.title, board, emit)
        ) as driver:
            yield driver

    async def try_out(self, device: FittedDevice[C, D], work: TryOut) -> object | None:
        """Ask for the pins or port of the device, try it, and return its setting for ``table.toml``.

        ``None`` means that the setting stays unchanged.
        """
        return None

    async def check(self, device: FittedDevice[C, D], context: CheckContext) -> AsyncIterator[Finding]:
        """Yield the findings on the device, from a running table or from a test. By default, there are none."""
        return
        yield


class PinKind(DeviceKind[int, D]):
    """A kind of devices on one pin."""

    def pins(self, config: int) -> Mapping[str, int]:
        return {"": config}


class FittedDevice(Record, Generic[C, D]):
    """A device of an accessory or of the table, with its config.

    *config* is ``None`` for a device that the config leaves out.
    """

    label: str
    """The dotted name of the device's setting in ``table.toml``: ``block.button``."""

    title: str
    """The name of the device in messages and faults: ``keypad``."""

    kind: DeviceKind[C, D]
    config: C | None = None

    wiring: str = ""
    """The name of the device's table in ``[wiring]``, by default that of its kind, such as ``lamp``."""

    line: str = ""
    """The prefix of the device's signal names in a VCD file. ``""`` means the label with ``_`` for each dot."""

    question: str = ""
    """The question with which setup asks whether the device exists. ``""`` means "Is there a …?" with the title."""

    gesture: str = ""
    """The instruction to the user when setup tries the device. The default for a button is ``Press the button``."""

    usual: C | None = None
    """The config of the device in the drawing, which setup proposes, or ``None`` if there is none."""

    is_required: bool = False
    """Whether the accessory needs the device. Setup does not ask whether a required device exists."""

    def __post_init__(self) -> None:
        if not isinstance(self.kind, DeviceKind):
            raise TypeError(f"the kind of {self.label} must be a device kind such as BUTTON, not {self.kind!r}")
        if not self.wiring:
            object.__setattr__(self, "wiring", self.kind.wiring_name or self.kind.name)

    @property
    def accessory(self) -> str:
        """The first part of the label, the section of ``table.toml``: ``block``."""
        return self.label.partition(".")[0]

    @property
    def noun(self) -> str:
        """The last part of the label: ``button``."""
        return self.label.rpartition(".")[2]

    def pins(self) -> Mapping[str, int]:
        """Return the BCM pins of the device, keyed by signal name: ``{"block_button": 17}``."""
        if self.config is None:
            return {}
        prefix = self.line or self.label.replace(".", "_")
        return {
            f"{prefix}_{terminal}" if terminal else prefix: pin for terminal, pin in self.kind.pins(self.config).items()
        }

    def files(self) -> Sequence[str]:
        """Return the device files that the device uses."""
        return () if self.config is None else self.kind.files(self.config)

    def describe(self) -> str:
        """Return a description of the device for ``reboard check``."""
        return self.kind.describe(self.config)

    def drawn_wiring(self) -> Any:
        """Return the wiring of the device in the drawing, or ``None`` if its kind has no settings for it."""
        return self.kind.wiring(Reading(Path()), (), {}) if self.kind.wiring else None

    def check_config(self, config: object, what: str) -> None:
        """Raise ``TypeError`` if *config*, the value of *what*, is not a config for the kind of the device."""
        problem = ""
        kind: DeviceKind[Any, Any] = self.kind
        try:
            pins: list[object] = [*kind.pins(config).values()]
            kind.files(config)
        except PLUG_IN_ERRORS as error:
            problem, pins = f": {failure(error)}", [None]
        if not all(isinstance(pin, int) for pin in pins):
            returned = f"what the reader of the device kind {kind.name} returns{problem}"
            raise TypeError(f"{what} is {config!r}, which is not {returned}")

    def open(self, board: Board, emit: Emit) -> AbstractAsyncContextManager[D]:
        """Open the driver for the duration of an ``async with``. Raises `DeviceError` if a pin cannot be used.

        The events of the device have its label in the field ``device``.
        """

        def emit_labelled(event: Event) -> None:
            emit(replace(event, device=self.label) if isinstance(event, DeviceEvent) else event)

        return self.kind.open(self, board, emit_labelled)


def pin_list(pins: Sequence[int]) -> str:
    """Return *pins* in words: ``GPIO4`` or ``GPIO4, 17``."""
    return f"GPIO{', '.join(map(str, pins))}"
