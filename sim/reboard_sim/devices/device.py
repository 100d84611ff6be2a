"""The interface of virtual devices, and the function that creates one for a device of the config."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from importlib import import_module
from random import Random
from typing import TYPE_CHECKING, Any, Protocol

from reboard.devices.device import FittedDevice

if TYPE_CHECKING:
    from reboard_sim.board.i2c import VirtualI2cBus
    from reboard_sim.board.input_device import VirtualInputDevice
    from reboard_sim.board.pins import VirtualPins
    from reboard_sim.board.serial_line import VirtualSerialLine
    from reboard_sim.board.spi import VirtualSpiDevice


class VirtualDevice:
    """A simulated device below a driver of the firmware. By default, it has no acts, faults or state."""

    def acts(self) -> Mapping[str, Callable[..., None]]:
        """Return the functions for a user's acts on the device, keyed by name, such as ``press``."""
        return {}

    def faults(self) -> Mapping[str, Callable[[bool], None]]:
        """Return a function for each fault, keyed by name, that begins (``True``) or ends (``False``) the fault."""
        return {}

    def state(self) -> object:
        """Return the visible state of the device as a JSON-serializable value, or ``None``."""
        return None

    @property
    def held(self) -> Collection[str]:
        """The parts that the user holds: keys of a keypad, or ``""`` for the whole device."""
        return ()

    def follow(self, kind: str, *values: Any) -> None:
        """Update the state of the device from a signal of the real device, as in `reboard.devices.signal_tap`.

        The virtual pins and buses have already been updated. By default, do nothing.
        """

    def power_on(self) -> None:
        """Switch the power of the device on. The virtual Pi calls this when its power is switched on."""

    def power_off(self) -> None:
        """Cut the power of the device. The virtual Pi calls this when its power is cut."""

    def close(self) -> None:
        """Stop the device and release all resources. Can be called more than once."""


class VirtualBoard(Protocol):
    """The interface of a board for its virtual devices: pins, serial lines, input devices and buses."""

    @property
    def pins(self) -> VirtualPins:
        """The pins of the header."""

    @property
    def rng(self) -> Random:
        """The random generator of the devices."""

    @property
    def wiring(self) -> Mapping[str, Any]:
        """The tables of ``[wiring]`` in the config, keyed by `FittedDevice.wiring`."""

    def add_serial_line(self, port: str) -> VirtualSerialLine:
        """Add a serial line with the name *port*, and return it."""

    def add_input_device(self, path: str) -> VirtualInputDevice:
        """Add an input device with the name *path*, and return it."""

    def add_spi_device(self, bus: int, chip_select: int, receive: Callable[[bytes], None]) -> VirtualSpiDevice:
        """Add a chip to SPI bus *bus*, and return the firmware's end. *receive* takes the bytes of each selection."""

    def i2c_bus(self, number: int) -> VirtualI2cBus:
        """Return the I²C bus *number* of the board. The bus has power."""


def virtual_device(device: FittedDevice[Any, Any], board: VirtualBoard) -> VirtualDevice:
    """Return a virtual device for *device*, connected to *board*.

    The module of this package that is named after the kind has a function ``wired``, which creates the device.
    """
    made: VirtualDevice = import_module(f"{__package__}.{device.kind.name}").wired(device, board)
    return made
