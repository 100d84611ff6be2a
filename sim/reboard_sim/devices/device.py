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


class VirtualDevice:
    """A simulated device, which the driver of the firmware uses. By default, it has no acts, faults or state."""

    def acts(self) -> Mapping[str, Callable[..., None]]:
        """Return the functions for the acts of a user on the device, by name, for example ``press``."""
        return {}

    def faults(self) -> Mapping[str, Callable[[bool], None]]:
        """Return the functions that begin (``True``) or end (``False``) a fault, by the name of the fault."""
        return {}

    def state(self) -> object:
        """Return the visible state of the device as a value for JSON, or ``None``."""
        return None

    @property
    def held(self) -> Collection[str]:
        """The parts that the user holds: keys of a keypad, or ``""`` for the whole device."""
        return ()

    def power_on(self) -> None:
        """Switch the power of the device on. The virtual Pi calls this when its power is switched on."""

    def power_off(self) -> None:
        """Cut the power of the device. The virtual Pi calls this when its power is cut."""

    def close(self) -> None:
        """Stop the device and release all resources. Safe to call twice."""


class VirtualBoard(Protocol):
    """A board whose pins, serial lines and buses virtual devices use."""

    @property
    def pins(self) -> VirtualPins:
        """The pins of the header."""

    @property
    def rng(self) -> Random:
        """The source of random numbers for bounce and noise."""

    @property
    def wiring(self) -> Mapping[str, Any]:
        """The tables of ``[wiring]`` in the config, by the name in the ``wiring`` of a device."""

    def add_serial_line(self, port: str) -> VirtualSerialLine:
        """Add a serial line with the name *port*, and return it."""

    def add_input_device(self, path: str) -> VirtualInputDevice:
        """Add an input device with the name *path*, and return it."""

    def i2c_bus(self, number: int) -> VirtualI2cBus:
        """Return the I²C bus *number* of the board, which has power."""


def virtual_device(device: FittedDevice[Any, Any], board: VirtualBoard) -> VirtualDevice:
    """Return a virtual device for *device*, connected to *board*.

    In this package, the module with the name of the kind has the function ``wired``, which creates the virtual device.
    """
    made: VirtualDevice = import_module(f"{__package__}.{device.kind.name}").wired(device, board)
    return made
