"""The virtual Pi: a board with a virtual device for each device of the config."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from math import inf
from random import Random
from typing import Any, TypeVar

from reboard.board import SPI_HZ, I2cBus, InputLine, Program, ReportMotor, SerialLine, Sink, SpiDevice, unguarded
from reboard.devices.device import FittedDevice
from reboard.errors import ReboardError
from reboard.table_config import TableConfig
from reboard_sim.board.disk import VirtualDisk
from reboard_sim.board.line import Line, Timeline
from reboard_sim.board.sound_card import VirtualSoundCard
from reboard_sim.devices.device import VirtualBoard, virtual_device
from reboard_sim.forms import CONTACTS, SimulatedFault

K = TypeVar("K")
T = TypeVar("T")

MONDAY_MORNING = 1_767_600_000.0
"""The usual calendar time at 0 on the virtual clock, in seconds since 1970: Monday, 2026-01-05, 08:00 UTC."""

A_YEAR_S = 365 * 86_400.0

SYNC_S = 30.0
"""The time from the end of a fault of the calendar until a time server is heard, in seconds."""


class NotWiredError(ReboardError, LookupError):
    """An error for a device that is not in the config."""


class VirtualPi(VirtualBoard):
    """A virtual `reboard.board.Board`, with a virtual device for each device of *config*. Its power is off at first.

    Create it on a running event loop. *clock* returns the time of that loop. *rng* is the random generator of the
    devices and the disk. *calendar* is the calendar time at 0 on the clock, in seconds since 1970.
    """

    def __init__(
        self,
        config: TableConfig,
        clock: Callable[[], float],
        *,
        rng: Random,
        sound_card: VirtualSoundCard,
        calendar: float = MONDAY_MORNING,
    ) -> None:
        super().__init__(clock, rng)
        self.config = config
        self.is_on = False
        self.sound_card = sound_card
        self.disk = VirtualDisk(rng)
        self._calendar = self._right_calendar = calendar
        self._synced_at = inf
        self.devices |= {device.label: virtual_device(device, self) for device in config.devices()}
        self._faults: Mapping[str, Mapping[str, Callable[[bool], None]]] = {
            CONTACTS: {"bounce": self._bounce},
            "disk": self.disk.faults(),
            "calendar": {
                "back": partial(self._move_calendar, -A_YEAR_S),
                "ahead": partial(self._move_calendar, A_YEAR_S),
            },
            "sound card": sound_card.faults(),
            "speech": self.speech_program.faults(),
        }

    def __getitem__(self, label: str) -> Any:
        """Return the virtual device with *label*, such as ``bank.left``. Raises `NotWiredError` if there is none."""
        try:
            return self.devices[label]
        except KeyError:
            if self.opened:
                known = ", ".join(self.opened)
                raise NotWiredError(f"the program has opened no device {label}: its devices are {known}") from None
            raise NotWiredError(f"this table has no {label}: add it to the config, or use another device") from None

    @asynccontextmanager
    async def guard_motor(self, pin: int) -> AsyncIterator[ReportMotor]:
        """Yield a function that does nothing, because a virtual motor stops with this process."""
        yield unguarded

    def open_serial(self, port: str, baud_rate: int) -> SerialLine:
        return _found(self.serial_lines, port, port).open(baud_rate)

    def open_keyboard(self, device: str) -> InputLine:
        return _found(self.input_devices, device, device).open()

    def holders(self, file: str) -> list[Program]:
        """Return the virtual program that reads the virtual serial port *file*, too, if there is one."""
        line = self.serial_lines.get(file)
        return [line.other_program] if line and line.other_program else []

    def open_i2c(self, bus: int) -> I2cBus:
        return _found(self.buses, bus, f"/dev/i2c-{bus}")

    def open_spi(self, bus: int, chip_select: int, hz: int = SPI_HZ) -> SpiDevice:
        return _found(self.spi_devices, (bus, chip_select), f"/dev/spidev{bus}.{chip_select}").open()

    def open_sink(self, library: str | None, device: str | None, *, keep_awake: bool = False) -> Sink:
        """Return the virtual sound card. *library* and *device* have no effect."""
        self.sound_card.keep_awake = keep_awake
        return self.sound_card

    def open_database(self, uri: str) -> sqlite3.Connection:
        return self.disk.open_database(uri)

    def wall_time(self) -> float:
        """Return the calendar time in seconds since 1970. A fault sets it a year back or ahead."""
        return self._calendar + self._clock()

    def is_time_synced(self) -> bool:
        """Return whether a time server has set the clock, which it does `SYNC_S` after the end of a fault."""
        return self._clock() >= self._synced_at

    def wiring_of(self, device: FittedDevice[Any, Any]) -> Any:
        return self.config.wiring.of(device)

    def close(self) -> None:
        for device in self.devices.values():
            device.close()
        self.sound_card.close()
        self.pins.close()

    def power_on(self) -> None:
        """Switch on the power of the pins, disk and devices. Cards stay in slots, and held keys stay held."""
        self.is_on = True
        self.pins.power_on()
        self.disk.power_on()
        self.buses.clear()  # firmware from before a power cut keeps a bus without power
        for device in self.devices.values():
            device.power_on()

    def power_off(self) -> None:
        """Cut the power. The firmware can no longer change pins, devices or the disk, or play sounds."""
        self.is_on = False
        self.pins.power_off()
        self.disk.power_off()
        for device in self.devices.values():
            device.power_off()
        for bus in self.buses.values():
            bus.power_off()
        self.sound_card.close()

    @property
    def held(self) -> set[tuple[str, str]]:
        """The held devices and keys, as pairs of a device's label and a key (``""`` for a device without keys)."""
        return {(label, what) for label, device in self.devices.items() for what in device.held}

    def wires(self) -> dict[str, Line]:
        """Return the line of each GPIO pin that a device uses, keyed by pin name. Omit devices that are files."""
        devices = (*self.config.devices(), *self.opened.values())
        on_pins = (device for device in devices if not device.files())
        return {name: self.pins.line(pin) for device in on_pins for name, pin in device.pins().items()}

    def timelines(self) -> dict[str, Timeline]:
        """Return the kept history of each line in `wires`, keyed by name."""
        return {name: tuple(line.timeline) for name, line in self.wires().items()}

    @property
    def parts(self) -> frozenset[str]:
        """The parts that have faults: the devices, by label, and parts of the Pi such as ``disk``."""
        return frozenset({*self._faults, *self.devices})

    def misbehave(self, fault: SimulatedFault, on: bool) -> None:
        """Begin (*on* is true) or end the *fault*. Raises `NotWiredError` if its device is missing."""
        part, name = fault.part, fault.name_there
        its_faults = self._faults[part] if part in self._faults else self[part].faults()
        if name not in its_faults:
            remedy = f": use one of {', '.join(its_faults)}" if its_faults else ", and no other one"
            wired = "" if part in self.opened else ", as it is in the config,"
            raise NotWiredError(f"{part}{wired} cannot have the fault {name}{remedy}")
        its_faults[name](on)

    def _bounce(self, on: bool) -> None:
        for device in self.devices.values():
            if bounce := device.faults().get("bounce"):
                bounce(on)

    def _move_calendar(self, seconds: float, on: bool) -> None:
        self._calendar = self._right_calendar + (seconds if on else 0)
        self._synced_at = inf if on else self._clock() + SYNC_S


def _found(virtual: Mapping[K, T], key: K, file: str) -> T:
    if key not in virtual:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), file)
    return virtual[key]
