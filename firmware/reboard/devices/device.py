"""The interface of a device kind, and a device of a table as the config has it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from reboard.board import Board, Devices, MixerControl
from reboard.config.reading import Reader
from reboard.events import Emit
from reboard.finding import Finding, fine, note, sentence, wrong

C = TypeVar("C")
D = TypeVar("D")
T = TypeVar("T")


class Space(NamedTuple):
    """The space of a file system."""

    free_bytes: int
    is_read_only: bool


class Host(Protocol):
    """The machine that setup and doctor check. Paths are absolute."""

    @property
    def devices(self) -> Devices:
        """Its ports, buses and sound cards."""

    @property
    def user(self) -> str:
        """The user who runs the command."""

    def path(self, name: str | Path) -> Path:
        """Return where the file *name* is stored."""

    def has(self, name: str | Path) -> bool:
        """Return whether there is a file *name*."""

    def text(self, name: str | Path) -> str:
        """Return the text of a file; ``""`` if it cannot be read."""

    def named(self, pattern: str) -> list[str]:
        """Return the files whose path matches *pattern*."""

    def real(self, name: str) -> str:
        """Return *name* with its symbolic links resolved, or *name* itself if that fails."""

    def may_use(self, name: str | Path) -> bool:
        """Return whether the user may read and write a file; true if there is none."""

    def may_read(self, file: Path) -> bool:
        """Return whether the user may read *file*."""

    def holders(self, device: str) -> list[str]:
        """Return the processes that have *device* open."""

    def space(self, directory: Path) -> Space:
        """Return the space of a file system. Raises ``OSError``."""

    def serial_ports(self) -> dict[str, str]:
        """Return the serial ports, each with a description."""

    def sound_cards(self) -> list[str]:
        """Return the names that ALSA gives the sound cards."""

    def mixer(self, device: str | None) -> list[MixerControl]:
        """Return the volume controls of the sound card of an ALSA *device*."""

    def i2c_addresses(self, bus: int, addresses: Iterable[int]) -> list[int]:
        """Return which *addresses* answer on I²C *bus*. Blocks; raises ``OSError``."""

    def without_stderr(self) -> AbstractContextManager[None]:
        """Discard what libraries write to standard error."""

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Run *work* in a thread, which is left behind if the caller is cancelled."""


class Prompts(Protocol):
    """Questions and answers at a terminal, see `reboard.setup.prompts.Prompts`."""

    def say(self, text: str = "") -> None:
        """Print a paragraph."""

    def show(self, text: str) -> None:
        """Print *text* as it is."""

    async def ask(self, question: str, default: str = "") -> str:
        """Return the answer to *question*."""

    async def yes(self, question: str, default: bool = True) -> bool:
        """Return the answer to a yes-or-no question."""

    async def choose(self, question: str, choices: Mapping[str, str], default: str) -> str:
        """Return one of *choices*, each of which has a description."""

    async def until(self, instruction: str, happens: Coroutine[Any, Any, T]) -> T | None:
        """Print *instruction* and return what *happens* returns; ``None`` if the user presses Enter first."""


class TryOut(Protocol):
    """The services of setup for a device or an accessory: to ask about it and to try it."""

    @property
    def prompts(self) -> Prompts:
        """The terminal."""

    @property
    def board(self) -> Board:
        """The pins and ports on which devices are tried."""

    @property
    def host(self) -> Host:
        """The machine."""

    def setting(self, name: str) -> Any:
        """Return a setting of the config so far, by its dotted name; ``None`` if it is left out."""

    def put(self, name: str, value: object) -> None:
        """Change a setting."""

    def free_pins(self, name: str) -> list[int]:
        """Return the pins that neither the kernel nor a device other than *name* uses."""

    async def ask_input_pin(self, name: str, what: str, gesture: str, usual: int | None = None) -> int:
        """Ask for the pin of a contact, or find it. The user makes the *gesture* to try it."""

    async def ask_output_pin(self, name: str, what: str, usual: int | None = None) -> int:
        """Ask for an output pin."""

    async def lasting_name(self, device: FittedDevice[Any, Any], file: str, subsystem: str) -> str:
        """Return a device file that stays the same when USB devices are plugged in in another order."""

    def files_of_others(self, device: FittedDevice[Any, Any]) -> set[str]:
        """Return the device files that the other devices of the config use."""


SetupStep = Callable[[TryOut], Coroutine[Any, Any, None]]
"""A step of setup that belongs to no single device."""


class CheckContext(Protocol):
    """The services of doctor for a check of a device or an accessory."""

    @property
    def host(self) -> Host:
        """The machine."""

    @property
    def is_pi(self) -> bool:
        """Whether it is a Raspberry Pi."""

    @property
    def boot_config(self) -> str:
        """The file with the settings of a Pi's firmware."""

    @property
    def state(self) -> Path:
        """The directory that outlives a power cut."""

    @property
    def is_in_use(self) -> bool:
        """Whether a table uses the pins and ports, or may use them: a check must not open them."""

    @property
    def snapshot(self) -> Mapping[str, Any] | None:
        """The snapshot of the running table; ``None`` if no table answers."""

    @property
    def how_to_look_closer(self) -> str:
        """The instruction that lets doctor check a device of the running table."""

    def unwritable(self, path: Path) -> Finding | None:
        """Return a finding if the table's user may not write *path*."""


def fault_in_use(title: str, context: CheckContext) -> str:
    """Return the fault that the running table reports of a device; ``""`` if there is none."""
    return str(context.snapshot["faults"].get(title, "")) if context.snapshot else ""


def finding_in_use(name: str, title: str, context: CheckContext, do: str = "") -> Finding:
    """Return the running table's report on a device."""
    if not context.snapshot:
        return note(name, f"The {title} was not tried: a table may be using it.")
    if fault := fault_in_use(title, context):
        what = f"The running table reports a fault of the {title}: {sentence(fault)}"
        return wrong(name, what, do or context.how_to_look_closer)
    return fine(name, f"The running table reports no fault of the {title}.")


class DeviceKind(ABC, Generic[C, D]):
    """A kind of device: its config, its driver of type *D*, and its pins and files.

    *C* is the type of its config: an ``int`` for a device on one pin, otherwise a dataclass.
    """

    name: str
    """The name of its module, its virtual device and its circuit."""

    area: str = ""
    """The area of ``reboard doctor`` in which `check` reports; ``""``: there is no check."""

    is_output: bool = False
    """Whether its pins switch something on. Setup leaves them alone while it searches for another pin."""

    has_heading: bool = False
    """Whether setup prints its title as a heading, because it asks much."""

    wiring: Reader[Any] | None = None
    """Reads its table in ``[wiring]``, which says how it differs from the drawing. ``None``: there is no such table."""

    def pins(self, config: C) -> Mapping[str, int]:
        """Return its BCM pins by terminal: ``{"row_1": 23}``. The terminal of a device on one pin is ``""``."""
        return {}

    def files(self, config: C) -> Sequence[str]:
        """Return the device files that it uses: ``/dev/serial0``, ``/dev/i2c-1``."""
        return ()

    def groups(self, config: C) -> Mapping[str, str]:
        """Return the Linux groups that own its device files, each with what belongs to it."""
        return {}

    def describe(self, config: C | None) -> str:
        """Return it in words for ``reboard check``."""
        return "none" if config is None else f"on {pin_list(tuple(self.pins(config).values()))}"

    @abstractmethod
    def open(self, device: FittedDevice[C, D], board: Board, emit: Emit) -> AbstractAsyncContextManager[D]:
        """Open the driver until the end of an ``async with``, or a stand-in that does nothing for a device left out.

        Raises `DeviceError` if a pin cannot be used. A missing port is a fault, which may end.
        """

    async def try_out(self, device: FittedDevice[C, D], work: TryOut) -> object | None:
        """Ask for its pins or port, try it, and return its setting for ``table.toml``.

        ``None`` leaves the setting as it is.
        """
        return None

    async def check(self, device: FittedDevice[C, D], context: CheckContext) -> AsyncIterator[Finding]:
        """Yield the running table's report on it, or else the result of a try without a game."""
        return
        yield


@dataclass(frozen=True, slots=True)
class FittedDevice(Generic[C, D]):
    """A device of an accessory as the config has it.

    *config* is ``None`` for a device that the accessory could have but does not.
    """

    label: str
    """The dotted name of its setting in ``table.toml``: section and key."""

    title: str
    """Its name in messages and faults: ``keypad``."""

    kind: DeviceKind[C, D]
    config: C | None

    wiring: str = ""
    """The name of its table in ``[wiring]``."""

    line: str = ""
    """The prefix of its lines in a VCD file; by default the label, with ``_``."""

    question: str = ""
    """The question of setup whether there is one; by default "Is there a …?" with the title."""

    gesture: str = ""
    """The instruction to the user when setup tries it: ``Press the button``."""

    usual: C | None = None
    """Its setting in our drawing, which setup proposes."""

    is_required: bool = False
    """Whether the accessory cannot be without it: setup does not ask whether there is one."""

    @property
    def noun(self) -> str:
        """The last part of its label: ``button``."""
        return self.label.rpartition(".")[2]

    def pins(self) -> Mapping[str, int]:
        """Return its BCM pins by the name of the line."""
        if self.config is None:
            return {}
        prefix = self.line or self.label.replace(".", "_")
        return {
            f"{prefix}_{terminal}" if terminal else prefix: pin for terminal, pin in self.kind.pins(self.config).items()
        }

    def files(self) -> Sequence[str]:
        """Return the device files that it uses."""
        return () if self.config is None else self.kind.files(self.config)

    def describe(self) -> str:
        """Return it in words for ``reboard check``."""
        return self.kind.describe(self.config)

    def open(self, board: Board, emit: Emit) -> AbstractAsyncContextManager[D]:
        """Open its driver until the end of an ``async with``. Raises `DeviceError` if a pin cannot be used."""
        return self.kind.open(self, board, emit)


def pin_list(pins: Sequence[int]) -> str:
    """Return pins in words."""
    return f"pin {pins[0]}" if len(pins) == 1 else f"pins {', '.join(map(str, pins))}"
