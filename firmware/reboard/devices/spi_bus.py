"""SPI bus 0: its pins and files, and whether it can be used. LEDs on it do not answer, card readers do."""

from __future__ import annotations

import errno
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, TypeVar

from reboard.board import Devices, SpiDevice
from reboard.config.kinds import Whole, flag
from reboard.config.reading import KeyPath, Reading
from reboard.devices.device import DeviceKind, Driver, FittedDevice
from reboard.devices.examination import CheckContext, finding_in_use
from reboard.events import Emit, FaultState
from reboard.finding import Finding, fine, note, wrong
from reboard.languages import translatable
from reboard.record import Record

CHIP_SELECT_PINS = (8, 7)
"""The pins that select a chip on SPI bus 0, in the order of their numbers."""

CHIP_SELECT = "cs"
"""The name of the pin that selects a chip."""

GIVE_ANOTHER = "change one of them; two readers on the bus need `chip_select = 0` and `chip_select = 1`"

SWITCH_ON = translatable("add the line `dtparam=spi=on` to /boot/firmware/config.txt, then `sudo reboot`")


class SpiConfig(Record, kw_only=True):
    """The settings of a device on the SPI bus."""

    bus: Annotated[int, Whole(0, 0), "SPI bus 0, on pins 9 to 11"] = 0
    chip_select: Annotated[int, Whole(0, 1), "0 is pin 8, 1 is pin 7"] = 0

    @property
    def pins(self) -> Mapping[str, int]:
        """The pins of the bus."""
        return {"din": 10, "clk": 11, CHIP_SELECT: CHIP_SELECT_PINS[self.chip_select]}

    @property
    def file(self) -> str:
        """The device file of the chip."""
        return f"/dev/spidev{self.bus}.{self.chip_select}"


class BufferWiring(Record):
    """The wiring of LEDs: whether a buffer raises the Pi's signals to their 5 V."""

    buffer: Annotated[bool, flag, "`false`: nothing raises the Pi's signals to the 5 V of the LEDs"] = True


C = TypeVar("C", bound=SpiConfig)
D = TypeVar("D", bound=Driver)


def claim_spi_pins(reading: Reading, path: KeyPath, config: SpiConfig, *, is_shared: bool = False) -> None:
    """Claim the SPI bus, and the pins of the bus and of the chip select, for the setting at *path*.

    Settings with *is_shared* share the bus, and have a chip select each. A ring of WS2812 has no chip select, so it
    would show the data of every other chip on its bus.
    """
    why = "an LED matrix or LED ring has this bus to itself: a ring takes all data on pin 10 for its own"
    reading.claim(f"SPI bus {config.bus}", path, why, remedy="leave one of them out", is_shared=is_shared)
    for name, number in config.pins.items():
        is_select = name == CHIP_SELECT
        reading.claim(
            f"pin {number}",
            path,
            "the SPI bus has pins 9 to 11, and 8 or 7",
            remedy=GIVE_ANOTHER if is_shared and is_select else "change one of them",
            is_shared=is_shared and not is_select,
        )


def cause_of(error: OSError, config: SpiConfig) -> str:
    """Return the cause of a fault for an *error* of the bus."""
    match error.errno:
        case errno.ENOENT:
            return translatable(f"{config.file} does not exist: {SWITCH_ON}")
        case errno.EACCES:
            return translatable(
                f"no permission to open {config.file}: `sudo reboard doctor` says which group or file is wrong"
            )
        case _:
            return translatable(f"{config.file} cannot be used: {error.strerror or error}")


class SpiLink:
    """The connection of a driver to its chip on the SPI bus, opened by the first `send` with a clock of *hz*.

    An ``OSError`` is the fault *name* until a later `send` succeeds.
    """

    def __init__(self, board: Devices, config: SpiConfig, hz: int, *, emit: Emit, name: str) -> None:
        self._board, self._config, self._hz = board, config, hz
        self._fault = FaultState(name, emit)
        self._spi: SpiDevice | None = None

    @property
    def is_open(self) -> bool:
        """Whether the latest `send` succeeded and the link has not been closed."""
        return self._spi is not None

    def send(self, write: Callable[[SpiDevice], None]) -> bool:
        """Call *write* with the chip, and return whether that succeeded."""
        try:
            self._spi = self._spi or self._board.open_spi(self._config.bus, self._config.chip_select, self._hz)
            write(self._spi)
        except OSError as error:
            self.close()
            self._fault.set(cause_of(error, self._config))
            return False
        self._fault.set(None)
        return True

    def close(self) -> None:
        """Release the bus. Can be called more than once."""
        if self._spi:
            self._spi.close()
            self._spi = None


class SpiKind(DeviceKind[C, D]):
    """A device kind on the SPI bus, whose `check` reports on the bus."""

    def pins(self, config: C) -> Mapping[str, int]:
        return config.pins

    def files(self, config: C) -> Sequence[str]:
        return (config.file,)

    def groups(self, config: C) -> Mapping[str, str]:
        return {"spi": "the SPI buses"}

    def finding(self, device: FittedDevice[C, D], context: CheckContext, name: str) -> Finding:
        """Return the finding *name* on the bus of *device*."""
        host, config = context.host, device.config
        assert config is not None
        if context.is_in_use:
            return finding_in_use(name, device.title, context, accessory=device.accessory)
        if not host.has(config.file):
            how = f"To switch it on, {SWITCH_ON}." if context.is_pi else ""
            return wrong(name, f"{config.file}, the bus of the {device.title}, does not exist.", how)
        if not host.may_use(config.file):
            what = f"The {device.title} was not tried: {host.user} has no permission to use {config.file}."
            return note(name, what, "Run `sudo reboard doctor` to try it.")
        return fine(name, f"The {device.title} has its bus, {config.file}. Nothing answers on it.")
