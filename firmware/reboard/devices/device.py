"""The interface of a device kind, a device with its config, and the services of setup and doctor for devices."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager, closing
from pathlib import Path
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from reboard.board import Board, Devices, MixerControl, Program
from reboard.config.reading import Reader, Reading
from reboard.errors import PLUG_IN_ERRORS, failure
from reboard.events import DeviceEvent, Emit
from reboard.finding import Finding, fine, note, sentence, wrong
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


class Space(NamedTuple):
    """The free space of a file system, and whether it is mounted read-only."""

    free_bytes: int
    is_read_only: bool


class Host(Protocol):
    """The machine that setup and doctor check. Paths are absolute."""

    @property
    def devices(self) -> Devices:
        """The ports, buses and sound cards of the machine."""

    @property
    def user(self) -> str:
        """The name of the user who runs the command."""

    def path(self, name: str | Path) -> Path:
        """Return the path at which the file *name* is stored. In a test, this can be below another root directory."""

    def has(self, name: str | Path) -> bool:
        """Return whether the file *name* exists."""

    def text(self, name: str | Path) -> str:
        """Return the text of the file *name*, or ``""`` if it cannot be read."""

    def named(self, pattern: str) -> list[str]:
        """Return the sorted paths of the files that match the glob *pattern*."""

    def real(self, name: str) -> str:
        """Return *name* with its symbolic links resolved, or *name* itself if that fails."""

    def may_use(self, name: str | Path) -> bool:
        """Return whether the user can read and write the file *name*; true if it does not exist."""

    def may_read(self, file: Path) -> bool:
        """Return whether the user can read *file*."""

    def holders(self, device: str) -> list[Program]:
        """Return the other programs that have *device* open. Only root sees the programs of other users."""

    def space(self, directory: Path) -> Space:
        """Return the free space of *directory*'s file system. Raises ``OSError``."""

    def serial_ports(self) -> dict[str, str]:
        """Return descriptions of the serial ports, keyed by device file."""

    def sound_cards(self) -> list[str]:
        """Return the names that ALSA gives the sound cards."""

    def mixer(self, device: str | None) -> list[MixerControl]:
        """Return the volume controls of the ALSA *device*'s sound card."""

    def i2c_addresses(self, bus: int, addresses: Iterable[int]) -> list[int]:
        """Return the *addresses* at which a device answers on I²C *bus*. Blocks. Raises ``OSError``."""

    def without_stderr(self) -> AbstractContextManager[None]:
        """Discard everything that is written to standard error during the ``with``."""

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Run *work* in a thread and return its result. If the caller is cancelled, the thread continues."""


class Prompts(Protocol):
    """The interface of `reboard.setup.prompts.Prompts`: questions and answers at a terminal."""

    def say(self, text: str = "") -> None:
        """Print *text* as a paragraph in lines that fit the terminal."""

    def show(self, text: str) -> None:
        """Print *text* without wrapping it."""

    async def ask(self, question: str, default: str = "") -> str:
        """Ask the user *question*, and return the answer, or *default* if the user only presses Enter."""

    async def yes(self, question: str, default: bool = True) -> bool:
        """Ask the user a yes-or-no question, and return whether the answer is yes."""

    async def choose(self, question: str, choices: Mapping[str, str], default: str) -> str:
        """Let the user choose from *choices*, descriptions keyed by name, and return the chosen name."""

    async def until(self, instruction: str, happens: Coroutine[Any, Any, T]) -> T | None:
        """Print *instruction*, await *happens* and return its result, or ``None`` if the user presses Enter first."""


async def advise(prompts: Prompts, question: str, mistakes: Mapping[str, tuple[str, str]]) -> None:
    """Ask what the user perceives, and print the remedy. *mistakes* has both for each possible answer."""
    chosen = await prompts.choose(question, {name: what for name, (what, _) in mistakes.items()}, next(iter(mistakes)))
    prompts.say(mistakes[chosen][1])


class TryOut(Protocol):
    """The services of setup for a device or an accessory: asking the user questions, and trying the hardware."""

    @property
    def prompts(self) -> Prompts:
        """The prompts at the terminal."""

    @property
    def board(self) -> Board:
        """The pins and ports on which devices are tried."""

    @property
    def host(self) -> Host:
        """The machine on which setup runs."""

    def setting(self, name: str) -> Any:
        """Return the value of the setting with the dotted *name*, or ``None`` if the config leaves it out."""

    def put(self, name: str, value: object) -> None:
        """Set the setting with the dotted *name* to *value*."""

    def free_pins(self, name: str) -> list[int]:
        """Return the pins that the device *name* can use: not those of the kernel, other devices or drawn outputs."""

    async def ask_input_pin(self, name: str, what: str, gesture: str, usual: int | None = None) -> int:
        """Ask for the pin of the contact *name*, or detect the pin during the user's *gesture*, and return the pin."""

    async def ask_output_pin(self, name: str, what: str, usual: int | None = None) -> int:
        """Ask for the output pin of the device *name*, and return the pin."""

    async def ask_pins(self, label: str, questions: Mapping[str, str], usual: Mapping[str, int]) -> dict[str, int]:
        """Ask for the pins of the device *label*, and return them, keyed by terminal as *questions* and *usual* are.

        *questions* has what is on each pin. Asked again, it proposes the answers before.
        """

    async def lasting_name(self, device: FittedDevice[Any, Any], file: str, subsystem: str) -> str:
        """Return a device file for *device* that does not depend on the order in which USB devices are plugged in."""

    def files_of_others(self, device: FittedDevice[Any, Any]) -> set[str]:
        """Return the device files that the other devices of the config use.

        Those of a later device of the same kind are left out until setup has found it: the two may be swapped.
        """


SetupStep = Callable[[TryOut], Coroutine[Any, Any, None]]
"""The type of a setup step that does not belong to a single device."""


class CheckContext(Protocol):
    """The services of doctor for the checks of devices and accessories."""

    @property
    def host(self) -> Host:
        """The machine that doctor checks."""

    @property
    def is_pi(self) -> bool:
        """Whether the machine is a Raspberry Pi."""

    @property
    def boot_config(self) -> str:
        """The path of the file with the settings of the Pi's firmware (``config.txt``)."""

    @property
    def state(self) -> Path:
        """The directory for data that must survive a power cut."""

    @property
    def is_in_use(self) -> bool:
        """Whether a table is or might be using the pins and ports. If so, a check must not open them."""

    @property
    def snapshot(self) -> Mapping[str, Any] | None:
        """The snapshot of the running table, or ``None`` if no table answered."""

    @property
    def readers(self) -> Mapping[str, Any]:
        """What each card reader of the running table has sent, keyed by the label of its slot."""

    def other_holders(self, file: str) -> list[Program]:
        """Return the programs besides the table that have *file* open. Only root sees those of other users."""

    @property
    def how_to_look_closer(self) -> str:
        """The instructions to stop the table, so that doctor can try the device itself."""

    def unwritable(self, path: Path) -> Finding | None:
        """Return a finding if the table's user has no permission to write to *path*, and ``None`` otherwise."""


def fault_in_use(title: str, context: CheckContext) -> str:
    """Return the fault that the running table reports for the device *title*; ``""`` if there is none."""
    return str(context.snapshot["faults"].get(title, "")) if context.snapshot else ""


def finding_in_use(name: str, title: str, context: CheckContext, do: str = "") -> Finding:
    """Return the finding *name* on the device *title*, from the snapshot of the running table.

    *do* is the remedy for a fault. The default is `CheckContext.how_to_look_closer`.
    """
    if not context.snapshot:
        return note(name, f"The {title} was not tried: a table may be using it.")
    if fault := fault_in_use(title, context):
        what = f"The running table reports a fault in the {title}: {sentence(fault)}"
        return wrong(name, what, do or context.how_to_look_closer)
    return fine(name, f"The running table reports no fault in the {title}.")


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
