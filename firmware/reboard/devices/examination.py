"""What setup and doctor offer to the devices that they try and check."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from reboard.board import Board, Devices, MixerControl, Program
from reboard.finding import Finding, fine, note, sentence, wrong

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

    async def lasting_name(self, noun: str, file: str, subsystem: str) -> str:
        """Return a device file for the device *noun* that does not depend on the order in which USB devices come."""

    def files_of_others(self, label: str) -> set[str]:
        """Return the device files that the devices of the config besides *label* use.

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


def finding_in_use(name: str, title: str, context: CheckContext, do: str = "", *, accessory: str = "") -> Finding:
    """Return the finding *name* on the device *title*, from the snapshot of the running table.

    *do* is the remedy for a fault. The default is `CheckContext.how_to_look_closer`. While the device's *accessory* has
    a fault, as if it has not started, the table cannot know about the device.
    """
    if not context.snapshot:
        return note(name, f"The {title} was not tried: a table may be using it.")
    if fault := fault_in_use(title, context):
        what = f"The running table reports a fault in the {title}: {sentence(fault)}"
        return wrong(name, what, do or context.how_to_look_closer)
    if fault_in_use(accessory, context):
        what = f"The {title} was not tried, because the table reports a fault in its accessory, {accessory}."
        return note(name, what, f"Correct that fault first. To try the {title}: {context.how_to_look_closer}")
    return fine(name, f"The running table reports no fault in the {title}.")
