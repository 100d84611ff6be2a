"""The interface of a text display's controller on the I²C bus, and of a kind of controller."""

from __future__ import annotations

import errno
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any, ClassVar, NamedTuple

from reboard.board import Devices, I2cBus
from reboard.config.kinds import Section, Whole, is_whole, text
from reboard.config.pins_and_ports import claim_i2c_pins
from reboard.config.reading import KeyPath, Reading
from reboard.devices.installed_kinds import EachKind, InstalledKinds
from reboard.languages import DISPLAY_ROWS, translatable
from reboard.record import Record

SWITCH_ON = "`sudo reboard setup boot`, then `sudo reboot`"


class Picture(NamedTuple):
    """The content of a display: two lines of at most 16 characters, lit or dark, and those in its event if others."""

    lines: tuple[str, ...] = ("",) * DISPLAY_ROWS
    lit: bool = True
    reported: tuple[str, ...] | None = None


class DisplayConfig(Record):
    """The setting ``bank.display``: the name of the kind of controller, its I²C bus and its address."""

    driver: Annotated[str, "its controller"]
    bus: Annotated[int, "number of the I²C bus, up to 255; bus 1 is on pins 2 and 3. Left out: `1`"]
    address: Annotated[int, "its I²C address. Left out: see below"]

    def __str__(self) -> str:
        return f"0x{self.address:02X} on I²C bus {self.bus}"


def _is_unwanted() -> bool:
    return False


class DisplayController(ABC):
    """The controller of a text display. Its methods block. Only one thread can use it.

    Each method can raise ``OSError``. After that, `open` must be called before the next `refresh`.
    """

    settle_s: ClassVar[float] = 0.0
    """The time that the controller needs after `refresh`, in seconds."""

    def __init__(self, kind: DisplayControllerKind, board: Devices, config: DisplayConfig) -> None:
        self._kind = kind
        self._board = board
        self._config = config
        self._bus: I2cBus | None = None

    def __str__(self) -> str:
        return f"{self._kind.title} at {self._config}"

    def open(self, lit: bool) -> None:
        """Open the bus and check that the controller answers. It may still be starting."""
        self._close()
        self._bus = self._board.open_i2c(self._config.bus)
        self._send([self._greeting(lit)])

    @abstractmethod
    def _greeting(self, lit: bool) -> bytes:
        """Return bytes that a controller that is starting answers, without an effect on its picture."""

    @abstractmethod
    def refresh(self, picture: Picture, is_wanted: Callable[[], bool] = _is_unwanted) -> None:
        """Initialise the controller and write all of *picture*, without clearing or flicker. No text if it is dark.

        Stop early if *is_wanted* returns true: `write` can follow. After the end, the controller needs `settle_s`.
        """

    @abstractmethod
    def write(self, picture: Picture) -> None:
        """Write the characters of *picture* that differ from those of the lit picture before it."""

    def turn_off(self) -> None:
        """Turn the display and its backlight off, and close the bus."""
        try:
            if self._bus is not None:
                self.refresh(Picture(lit=False))
        finally:
            self._close()

    def cause(self, error: OSError) -> str:
        """Return the cause of a fault after *error*, and what to do."""
        bus = self._config.bus
        match error.errno:
            case errno.ENOENT:
                return translatable(
                    f"there is no I²C bus {bus}: run {SWITCH_ON}, or correct the display's `bus` in the config"
                )
            case errno.EACCES:
                return translatable(
                    f"no permission to open I²C bus {bus}: `sudo reboard doctor` says which group or file is wrong"
                )
            case 121 | errno.ENXIO:  # 121 is EREMOTEIO, a name that only Linux has
                usual = " and ".join(f"0x{address:02X}" for address in self._kind.usual_addresses)
                return translatable(
                    f"nothing answers at {self._config}: check the display's power, SDA and SCL, and its address "
                    f"({usual} are usual)"
                )
            case errno.ETIMEDOUT:
                return translatable(f"I²C bus {bus} is stuck: check SDA and SCL for a short to each other or to ground")
            case _:
                return translatable(f"{self} failed: {error.strerror or error}")

    def _close(self) -> None:
        bus, self._bus = self._bus, None
        if bus is not None:
            bus.close()

    def _send(self, transfers: Iterable[bytes], is_wanted: Callable[[], bool] = _is_unwanted) -> None:
        """Send *transfers* of up to 33 bytes, until *is_wanted* returns true between two of them."""
        assert self._bus is not None, "open() must be called first"
        for place, (first, *others) in enumerate(transfers):
            if place and is_wanted():
                return
            self._bus.write_i2c_block_data(self._config.address, first, others)


class DisplayControllerKind(ABC):
    """A kind of controller."""

    name: ClassVar[str]
    """The value of the setting ``driver``."""

    title: ClassVar[str]
    """The name for users, such as ``HD44780``."""

    order: ClassVar[int] = 100
    """The sort key in lists of kinds."""

    addresses: ClassVar[Mapping[range, str]]
    """The I²C addresses that it can have, with the name of the chip that has them, or ``""``."""

    usual_addresses: ClassVar[Sequence[int]]
    """The addresses that most displays have. The first is that of a config without an address."""

    before_reading: ClassVar[str] = ""
    """The advice of setup before it asks whether the display can be read."""

    mistakes: ClassVar[Mapping[str, tuple[str, str]]]
    """What a display shows that answers but cannot be read, and the remedy, keyed by a name for the answer in setup."""

    remedy: ClassVar[str]
    """The remedy of doctor for such a display, as part of a sentence."""

    def has_address(self, address: int) -> bool:
        """Return whether the controller can have *address*."""
        return any(address in some for some in self.addresses)

    controller: ClassVar[type[DisplayController]]
    """The class of its driver."""

    def open(self, board: Devices, config: DisplayConfig) -> DisplayController:
        """Return the driver of the controller. It does not use the bus yet."""
        return self.controller(self, board, config)

    @cached_property
    def section(self) -> Section[DisplayConfig]:
        """The reader of its settings."""
        return _ControllerSection(self)


class _ControllerSection(Section[DisplayConfig]):
    def __init__(self, kind: DisplayControllerKind) -> None:
        self._kind = kind
        super().__init__(
            DisplayConfig, {"driver": text, "bus": Whole(0, 255), "address": self._address}, then=self._claim
        )

    def __call__(self, reading: Reading, path: KeyPath, value: object, /) -> DisplayConfig:
        defaults = {"bus": 1, "address": self._kind.usual_addresses[0]}
        return super().__call__(reading, path, defaults | value if isinstance(value, dict) else value)

    def _address(self, reading: Reading, path: KeyPath, value: object, /) -> int:
        if is_whole(value, 0, 0xFF) and self._kind.has_address(value):
            return value
        hint = ""
        if is_whole(value, 0, 99) and self._kind.has_address(int(str(value), 16)):
            hint = f"; did you mean 0x{value}?"
        elif is_whole(value, 0, 0xFF):
            hint = f", which is 0x{value:02X}"
        allowed = " or ".join(
            f"0x{some[0]:02X} to 0x{some[-1]:02X}{f' ({chip})' if chip else ''}"
            for some, chip in self._kind.addresses.items()
        )
        raise reading.must_be(path, allowed, value, hint)

    def _claim(self, reading: Reading, path: KeyPath, display: DisplayConfig) -> None:
        claim_i2c_pins(reading, path, display.bus)
        reading.claim(f"the address 0x{display.address:02X} of I²C bus {display.bus}", path)


DISPLAY_KINDS: Mapping[str, DisplayControllerKind] = InstalledKinds(
    DisplayControllerKind, f"{__package__}.kinds", "reboard.displays"
)
"""All kinds of controller, over which config, check, doctor, setup, wiring, the bench and the tests iterate.

A kind is the `KIND` of a module in ``kinds/``, which is named after it, or an entry point of a plug-in. Its parts and
connections are in ``netlist/displays/``.
"""

DISPLAY_SECTIONS: Mapping[str, Section[Any]] = EachKind(DISPLAY_KINDS, lambda kind: kind.section)
"""The section of the config for each kind of controller."""
