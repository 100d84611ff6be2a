"""The interface of virtual devices, and the function that creates one for a device of the config."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules
from random import Random
from typing import Any

from reboard.config.reading import Reader
from reboard.devices.device import FittedDevice
from reboard.errors import PLUG_IN_ERRORS, PLUG_IN_REMEDY, failure
from reboard_sim.board.i2c import VirtualI2cBus
from reboard_sim.board.input_device import VirtualInputDevice
from reboard_sim.board.pins import VirtualPins
from reboard_sim.board.serial_line import VirtualSerialLine
from reboard_sim.board.speech_program import VirtualSpeechProgram
from reboard_sim.board.spi import Transfer, VirtualSpiDevice
from reboard_sim.devices.opened import Opening
from reboard_sim.forms import Form

ENTRY_POINTS = "reboard_sim.devices"
log = logging.getLogger(__name__)


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

    def shows(self) -> Collection[str]:
        """Return the texts that ``expect DEVICE TEXT`` finds: by default ``on`` or ``off``, or the state as text."""
        state = self.state()
        return [("off", "on")[state] if isinstance(state, bool) else str(state)]

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


class VirtualBoard:
    """The pins, serial lines, input devices and buses of a virtual board, to which its virtual devices are connected.

    *clock* returns the time of the event loop, and *rng* is the random generator of the devices.
    """

    pins_class: type[VirtualPins] = VirtualPins

    def __init__(self, clock: Callable[[], float], rng: Random) -> None:
        self.pins = self.pins_class(clock)
        self.rng = rng
        self.serial_lines: dict[str, VirtualSerialLine] = {}
        self.input_devices: dict[str, VirtualInputDevice] = {}
        self.buses: dict[int, VirtualI2cBus] = {}
        self.spi_devices = self.pins.spi_devices
        self.devices: dict[str, VirtualDevice] = {}
        """The virtual devices, by label. They are complete when the power is on."""
        self.opened: dict[str, FittedDevice[Any, Any]] = {}
        """The devices that a program has opened, by label, in this order. They stay when the program ends."""
        self.speech_program = VirtualSpeechProgram()
        self._clock = clock

    async def synthesize(self, words: str, language: str) -> bytes:
        """Return *words* as the WAV file of the virtual program for speech."""
        return await self.speech_program.synthesize(words, language)

    def wiring_of(self, device: FittedDevice[Any, Any]) -> Any:
        """Return the wiring of *device*, from ``[wiring]`` or from the drawing."""
        return device.drawn_wiring()

    def open_device(self, device: FittedDevice[Any, Any]) -> VirtualDevice:
        """Connect a virtual device for *device*, and return it. If *device* was opened before, return that one.

        The config of *device* is an `Opening`, or that of a kind of the firmware, such as a `DisplayConfig`. Raises
        ``ValueError`` if another device has the label.
        """
        label = device.label
        if self.opened.get(label) != device:
            if label in self.devices:
                raise ValueError(f"there are two devices with the name {label}: give one of them another name")
            if isinstance(device.config, Opening):
                self.devices[label] = device_module(device.kind.name).opened(device.config, self)
            else:
                self.devices[label] = virtual_device(device, self)
            self.opened[label] = device
            if self.pins.supply.level:
                self.devices[label].power_on()
        return self.devices[label]

    def add_serial_line(self, port: str) -> VirtualSerialLine:
        """Add a serial line with the name *port*, and return it."""
        line = self.serial_lines[port] = VirtualSerialLine()
        return line

    def add_input_device(self, path: str) -> VirtualInputDevice:
        """Add an input device with the name *path*, and return it."""
        device = self.input_devices[path] = VirtualInputDevice()
        return device

    def add_spi_device(self, bus: int, chip_select: int, transfer: Transfer) -> VirtualSpiDevice:
        """Add a chip to SPI bus *bus*, and return its place there. *transfer* is that of the chip."""
        device = self.spi_devices.setdefault((bus, chip_select), VirtualSpiDevice())
        device.place(transfer)
        return device

    def i2c_bus(self, number: int) -> VirtualI2cBus:
        """Return the I²C bus *number*, which has power, and create it if it is missing."""
        if number not in self.buses:
            self.buses[number] = VirtualI2cBus(self._clock)
        return self.buses[number]


def _passive(*_: object) -> VirtualDevice:
    return VirtualDevice()


@dataclass(frozen=True)
class DeviceModule:
    """The simulation of a device kind: a module that is named after the kind, in this package or in a plug-in.

    A plug-in names its module with an entry point in the group ``reboard_sim.devices``. The module has ``wired`` or
    ``opened``, and can have ``FORMS``, ``FAULTS``, ``TERMINALS`` and ``widget``. Its folder ``static`` can have
    controls.
    """

    kind: str
    wired: Callable[[FittedDevice[Any, Any], VirtualBoard], VirtualDevice] = _passive
    """The function that creates the virtual device for a device with a config, connected to a board."""
    opened: Callable[[Opening, VirtualBoard], VirtualDevice] = _passive
    """The function that creates the virtual device for a device that a program opens."""
    FORMS: Sequence[Form] = ()
    """The lines in plays for devices of this kind, such as ``press DEVICE [SECONDS]``."""
    FAULTS: Mapping[str, str] = field(default_factory=dict)
    """The meaning of each fault in `VirtualDevice.faults` that a play can begin, keyed by its name."""
    widget: Callable[[FittedDevice[Any, Any]], str] = lambda device: device.kind.name
    """The function that returns the name of the control of a device on the bench, by default that of its kind."""
    TERMINALS: Collection[Collection[str]] = (("",),)
    """The terminals that `opened` needs: one of these sets, or none if it is empty."""
    static: Path | None = None

    def widget_file(self, device: FittedDevice[Any, Any]) -> Path | None:
        """Return the module with the control of *device* on the bench, or ``None`` if there is none."""
        file = self.static and self.static / f"{self.widget(device)}.js"
        return file if file and file.is_file() else None


@cache
def device_module(kind: str) -> DeviceModule:
    """Return the simulation of a device *kind*. A kind that has none, or that cannot be loaded, has passive devices."""
    try:
        if module := simulated(__package__ or "", kind, ENTRY_POINTS):
            known = {name: getattr(module, name) for name in KNOWN if hasattr(module, name)}
            if not known.keys() & {"wired", "opened"}:
                raise TypeError(f"{module.__name__} needs a function wired(device, board)")
            return DeviceModule(kind, static=Path(str(module.__file__)).parent / "static", **known)
    except PLUG_IN_ERRORS as error:
        log.warning("devices of the kind %s cannot be simulated: %s. %s", kind, failure(error), PLUG_IN_REMEDY)
    return DeviceModule(kind)


def simulated_kinds() -> frozenset[str]:
    """Return the kinds of devices of the modules in this package."""
    return frozenset(
        name for name, module in _modules().items() if hasattr(module, "opened") or hasattr(module, "wired")
    )


@cache
def openable_kinds() -> frozenset[str]:
    """Return the kinds of devices that a program can open: those of the modules in this package with ``opened``."""
    return frozenset(name for name, module in _modules().items() if hasattr(module, "opened"))


def kinds_with_settings() -> Mapping[str, tuple[Any, Reader[Any]]]:
    """Return the kinds that only a program's bench has, by name, each with the reader of its settings.

    They are the ``SETTINGS`` of the modules in this package.
    """
    return {name: module.SETTINGS for name, module in _modules().items() if hasattr(module, "SETTINGS")}


@cache
def _modules() -> Mapping[str, Any]:
    names = (module.name for module in iter_modules(import_module(__package__ or "").__path__) if not module.ispkg)
    return {name: import_module(f"{__package__}.{name}") for name in sorted(names)}


KNOWN = ("wired", "opened", "FORMS", "FAULTS", "TERMINALS", "widget")


@cache
def simulated(package: str, kind: str, group: str, attribute: str = "") -> Any:
    """Return the simulation of a *kind* of device, reader or display, or ``None`` if there is none that can be loaded.

    It is the module in *package* that is named after the kind, with ``_`` for each ``-``, or its *attribute*, or an
    entry point of a plug-in in *group*.
    """
    ours = f"{package}.{kind.replace('-', '_')}"
    if find_spec(ours):
        module = import_module(ours)
        return getattr(module, attribute) if attribute else module
    try:
        return next((entry.load() for entry in entry_points(group=group, name=kind)), None)
    except PLUG_IN_ERRORS as error:
        noun = group.rpartition(".")[2].removesuffix("s")
        log.warning("the %s %s cannot be simulated: %s. %s", noun, kind, failure(error), PLUG_IN_REMEDY)
        return None


def virtual_device(device: FittedDevice[Any, Any], board: VirtualBoard) -> VirtualDevice:
    """Return a virtual device for *device*, connected to *board*."""
    return device_module(device.kind.name).wired(device, board)
