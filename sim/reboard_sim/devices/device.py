"""The interface of a virtual device, and the virtual device of each kind."""

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
    """A device below its driver. By default it has no acts, faults or state."""

    def acts(self) -> Mapping[str, Callable[..., None]]:
        """Return the acts of a user on it, by name: ``press``, ``insert``."""
        return {}

    def faults(self) -> Mapping[str, Callable[[bool], None]]:
        """Return its faults by name. Each is called with whether it begins or ends."""
        return {}

    def state(self) -> object:
        """Return its visible state as JSON."""
        return None

    @property
    def held(self) -> Collection[str]:
        """The parts that the user holds: the keys of a keypad, ``""`` for a device that is held as a whole."""
        return ()

    def power_on(self) -> None:
        """Give it power, with the Pi."""

    def power_off(self) -> None:
        """Take its power, with the Pi's."""

    def close(self) -> None:
        """Stop and release everything. Safe to call twice."""


class VirtualBoard(Protocol):
    """The board that virtual devices are wired to."""

    @property
    def pins(self) -> VirtualPins:
        """The pins of the header."""

    @property
    def rng(self) -> Random:
        """The source of random numbers for bounce and noise."""

    @property
    def wiring(self) -> Mapping[str, Any]:
        """The tables of the devices in ``[wiring]``."""

    def add_serial_line(self, port: str) -> VirtualSerialLine:
        """Return a new serial line with the name *port*."""

    def add_input_device(self, path: str) -> VirtualInputDevice:
        """Return a new input device with the name *path*."""

    def i2c_bus(self, number: int) -> VirtualI2cBus:
        """Return an I²C bus of the board, which has power."""


def virtual_device(device: FittedDevice[Any, Any], board: VirtualBoard) -> VirtualDevice:
    """Return the virtual device for a device of the config, wired to *board*.

    The module of its kind in this package has the function ``wired``, which makes it.
    """
    made: VirtualDevice = import_module(f"{__package__}.{device.kind.name}").wired(device, board)
    return made
