"""The interface of a kind of card reader.

A kind that is neither on a serial port nor an input device derives from `FileReader` or `ReaderKind`, and opens a
`Slot` of its own. If it `answers`, such as the RC522 on the SPI bus, setup finds it on the files of its `pattern`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any, ClassVar, Generic, TypeVar

from reboard.board import Devices
from reboard.config.kinds import Number, Section, text
from reboard.config.pins_and_ports import serial_port
from reboard.config.reading import KeyPath, Reading
from reboard.devices.device import FittedDevice
from reboard.devices.examination import Prompts, TryOut
from reboard.devices.installed_kinds import EachKind, InstalledKinds
from reboard.devices.readers.presence import HOLD_S, Tap
from reboard.devices.readers.reader import CardType, Decoder, PortSlot, Slot
from reboard.devices.readers.reader_port import SerialPort
from reboard.events import Emit
from reboard.record import Record


class SlotConfig(Record):
    """The config of a slot (``bank.left`` or ``bank.right``): the name of the kind of reader, and its connection.

    A kind with other settings derives its config from this one, without ``@dataclass``.
    """

    reader: Annotated[str, text, "its [kind](readers.md)"]


class SerialConfig(SlotConfig):
    """The config of a reader on a serial port."""

    port: Annotated[str, serial_port, 'the slot\'s own serial port, such as `"/dev/reboard-left"`']


class RepeatingReaderConfig(SerialConfig):
    """The config of a reader on a serial port that reports a card repeatedly."""

    hold_s: Annotated[
        float,
        Number(0.1, 5.0, "seconds"),
        "if it repeats a card: the card is out after so long a silence; longer than the reader pauses between two "
        "reports (65 to 100 ms)",
    ] = HOLD_S


C = TypeVar("C", bound=SlotConfig)
S = TypeVar("S", bound=SerialConfig)


class ReaderKind(ABC, Generic[C]):
    """A kind of card reader. *C* is the class of its config."""

    name: ClassVar[str]
    """The value of the setting ``reader``."""

    title: ClassVar[str]
    """The name for users, such as ``RDM6300``."""

    order: ClassVar[int] = 100
    """The sort key in lists of kinds."""

    cards: ClassVar[CardType]
    """The cards that it reads."""

    config: type[C]
    """The class of its settings."""

    answers: ClassVar[bool] = False
    """Whether it answers without a card, so that setup and doctor can tell that it is there."""

    pattern: ClassVar[str] = ""
    """The glob pattern of the files on which setup looks for it. ``""``: serial ports, input devices, or no file."""

    if_no_file: ClassVar[str] = ""
    """The advice of setup if there is no file of its `pattern`, or ``""``."""

    is_exclusive: ClassVar[bool] = False
    """Whether no other program gets its data while it is open."""

    period_s: ClassVar[float] = 0.0
    """The time between two reports of a card that is there, in seconds, or 0 if the reader reports a card once."""

    if_not_repeated: ClassVar[str] = ""
    """The remedy if the reader sends a card once, although it must repeat it, or ``""``."""

    if_silent: ClassVar[str] = ""
    """The advice of setup if nothing at all came from a port on which the reader may be, or ``""``."""

    choice: ClassVar[tuple[str, str] | None] = None
    """The name and the description with which setup offers `try_out`, or ``None`` if setup finds the reader."""

    @cached_property
    def section(self) -> Section[C]:
        """The reader of its settings."""
        return Section(self.config, then=self.check_config)

    def check_config(self, reading: Reading, path: KeyPath, config: C) -> None:
        """Check the settings together, and claim pins that no setting names. *path* is that of the slot."""
        if isinstance(config, RepeatingReaderConfig) and config.hold_s <= self.period_s:
            allowed = f"more than {self.period_s:g} seconds, after which the {self.title} repeats a card"
            raise reading.must_be((*path, "hold_s"), allowed, config.hold_s)

    @abstractmethod
    def open(self, config: C, name: str, board: Any, emit: Emit) -> Slot:
        """Return a slot with the reader. *name* is the name of the slot in faults.

        *board* is a `Board`, or just its `Devices` for a kind with a device file. The caller starts and closes the
        slot. A missing reader causes a ``fault``. Raises `DeviceError` if a pin cannot be used.
        """

    groups: ClassVar[Mapping[str, str]] = {}
    """The groups of its device files, see `DeviceKind.groups`."""

    @abstractmethod
    def example(self, side: str) -> str:
        """Return the TOML value of the slot on the *side* ``left`` or ``right``, for the bench."""

    @abstractmethod
    def describe(self, config: C) -> str:
        """Return a description for ``reboard check``."""

    def pins(self, config: C) -> Mapping[str, int]:
        """Return its pins, see `DeviceKind.pins`."""
        return {}

    def files(self, config: C) -> Sequence[str]:
        """Return its device files, see `DeviceKind.files`."""
        return ()

    async def found(self, slot: Slot, prompts: Prompts) -> dict[str, object]:
        """Return the settings for a reader that setup found: its kind, and how it sends the card that is in *slot*."""
        return {"reader": self.name}

    async def try_out(self, device: FittedDevice[Any, Any], work: TryOut) -> dict[str, object] | None:
        """Ask for the connection of the reader, and return the slot's setting; see `choice`."""
        return None


class FileReader(ReaderKind[C]):
    """The base class of kinds with a device file in *folder*, which *setting* names. *subsystem* is the kernel's."""

    setting: ClassVar[str]
    folder: ClassVar[str]
    subsystem: ClassVar[str]

    def at(self, file: str) -> C:
        """Return the config of a reader on the device *file*."""
        return self.config(self.name, **{self.setting: file})

    async def setting_at(self, file: str, device: FittedDevice[Any, Any], work: TryOut) -> dict[str, object]:
        """Return the settings that name the device *file* on which setup found the reader of *device*."""
        return {self.setting: await work.lasting_name(device.noun, file, self.subsystem)}

    def files(self, config: C) -> Sequence[str]:
        return (getattr(config, self.setting),)

    def describe(self, config: C) -> str:
        removal = "a tap inserts or removes a card"
        if isinstance(config, RepeatingReaderConfig):
            removal = f"a card is removed after {config.hold_s:g} s"
        return f"{config.reader} on {getattr(config, self.setting)}, {removal}"

    def example(self, side: str) -> str:
        return f'{{ reader = "{self.name}", {self.setting} = "{self.folder}/reboard-{side}" }}'


class SerialReader(FileReader[S]):
    """The base class of kinds on a serial port."""

    setting, folder, subsystem = "port", "/dev", "tty"
    groups: ClassVar = {"dialout": "the serial ports"}
    baud_rate: ClassVar[int] = 9600


class UnaskedReader(SerialReader[S]):
    """The base class of kinds on a serial port that send a tag unasked. By default they send it once."""

    @abstractmethod
    def decoder(self) -> Decoder:
        """Return a decoder that finds the tags in the bytes of the reader."""

    def is_sender(self, decoder: Any) -> bool:
        """Return whether the latest tag of *decoder*, one of its own, is from this kind, and not from a similar one."""
        return True

    def open(self, config: S, name: str, board: Devices, emit: Emit) -> Slot:
        port = SerialPort(config.port, self.baud_rate, board)
        return PortSlot(self.title, port, self.decoder(), Tap(), emit, name)


class InputReader(FileReader[C]):
    """The base class of kinds that are input devices. They are grabbed, and send a card once."""

    setting, folder, subsystem = "device", "/dev/input", "input"
    groups: ClassVar = {"input": "the USB readers that type"}
    is_exclusive = True


READER_KINDS: Mapping[str, ReaderKind[Any]] = InstalledKinds(ReaderKind, f"{__package__}.kinds", "reboard.readers")
"""All kinds of reader, over which config, check, doctor, setup, wiring, the bench and the tests iterate.

A kind is the `KIND` of a module in ``kinds/``, which is named after it, or an entry point of a plug-in. Its parts and
connections are in ``netlist/readers/``.
"""

SLOT_KINDS: Mapping[str, Section[SlotConfig]] = EachKind(READER_KINDS, lambda kind: kind.section)
"""The section of the config for each kind of reader."""


def kind_of(config: SlotConfig) -> ReaderKind[Any]:
    """Return the kind of the reader of *config*."""
    return READER_KINDS[config.reader]
