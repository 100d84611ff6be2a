"""The interface of virtual devices, and the function that makes one for each device of the config."""

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
    """A virtual device, which is below the driver. By default it has no acts, faults or state."""

    def acts(self) -> Mapping[str, Callable[..., None]]:
        """Return the acts of a user on the device by name: ``press``, ``insert``."""
        return {}

    def faults(self) -> Mapping[str, Callable[[bool], None]]:
        """Return the functions for the faults by name. The argument is true to begin the fault."""
        return {}

    def state(self) -> object:
        """Return the visible state of the device as JSON."""
        return None

    @property
    def held(self) -> Collection[str]:
        """The parts that the user holds: keys of a keypad, or ``""`` for the whole device."""
        return ()

    def power_on(self) -> None:
        """Switch the power on, together with that of the Pi."""

    def power_off(self) -> None:
        """Cut the power, together with that of the Pi."""

    def close(self) -> None:
        """Stop the device and release all resources. Safe to call twice."""


class VirtualBoard(Protocol):
    """A board that virtual devices are wired to."""

    @property
    def pins(self) -> VirtualPins:
        """The pins of the header."""

    @property
    def rng(self) -> Random:
        """The source of random numbers for bounce and noise."""

    @property
    def wiring(self) -> Mapping[str, Any]:
        """The table of each device in ``[wiring]``."""

    def add_serial_line(self, port: str) -> VirtualSerialLine:
        """Return a new serial line with the name *port*."""

    def add_input_device(self, path: str) -> VirtualInputDevice:
        """Return a new input device with the name *path*."""

    def i2c_bus(self, number: int) -> VirtualI2cBus:
        """Return an I²C bus of the board, which has power."""


def virtual_device(device: FittedDevice[Any, Any], board: VirtualBoard) -> VirtualDevice:
    """Return the virtual device for a device of the config, wired to *board*.

    The module of a kind in this package has the function ``wired``, which makes the virtual device.
    """
    made: VirtualDevice = import_module(f"{__package__}.{device.kind.name}").wired(device, board)
    return made
