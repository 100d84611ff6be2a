"""The real board: a Raspberry Pi's header, serial lines, I²C buses and sound device."""

from __future__ import annotations

import importlib
import os
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from gpiozero import Factory

from reboard.board import I2cBus, InputLine, ReportMotor, SerialLine, Sink, unguarded
from reboard.database import open_database
from reboard.errors import PartError
from reboard.header import header_chip, load_lgpio
from reboard.motor_guard import guarded

OTHER_FACTORIES = {
    "rpigpio": "gpiozero.pins.rpigpio:RPiGPIOFactory",
    "pigpio": "gpiozero.pins.pigpio:PiGPIOFactory",
    "native": "gpiozero.pins.native:NativeFactory",
}


class LinuxDevices:
    """What any Linux machine has besides pins, as `reboard.board.Devices`."""

    def open_serial(self, port: str, baud_rate: int) -> SerialLine:
        """Open a serial port, exclusively and never blocking. Raises ``OSError``."""
        from serial import Serial

        line: SerialLine = Serial(port, baud_rate, timeout=0, write_timeout=0, exclusive=True)
        return line

    def open_keyboard(self, device: str) -> InputLine:
        """Open a reader that types, and take it from everybody else. Raises ``OSError``."""
        from reboard.parts.slots.input_device import InputDevice

        return InputDevice(device)

    def open_i2c(self, bus: int) -> I2cBus:
        """Open ``/dev/i2c-<bus>``. Raises ``OSError``."""
        from smbus2 import SMBus

        return SMBus(bus)

    def open_sink(self, library: str | None, device: str | None) -> Sink:
        """The sink for *library* and *device*, see `reboard.parts.sinks`."""
        from reboard.parts.sinks.choose import open_sink

        return open_sink(library, device)

    def open_database(self, uri: str) -> sqlite3.Connection:
        """Open a database. Raises ``sqlite3.Error``."""
        return open_database(uri)

    def wall_time(self) -> float:
        """Seconds since 1970."""
        return time.time()


class RaspberryPi(LinuxDevices):
    """A Raspberry Pi as a `reboard.board.Board`.

    The pins are driven through lgpio, or through what ``GPIOZERO_PIN_FACTORY`` names; never through another silently.
    ``mock`` has pins that lead nowhere: a table starts with it on any machine. Raises `PartError` when the pins
    cannot be had.

    *guards_motor* is false where systemd guards the motor, with the watchdog and ``motor-off``.
    """

    def __init__(self, *, guards_motor: bool = True) -> None:
        factory = os.environ.get("GPIOZERO_PIN_FACTORY", "lgpio")
        self.pins = open_pins(factory)
        self._guards_motor = guards_motor and factory.lower() != "mock"

    @asynccontextmanager
    async def guard_motor(self, pin: int) -> AsyncIterator[ReportMotor]:
        """Have a process of its own ready to turn the motor on *pin* off, see `reboard.motor_guard`."""
        if not self._guards_motor:
            yield unguarded
            return
        async with guarded(pin) as report:
            yield report

    def close(self) -> None:
        """Give the pins back. May be called twice."""
        self.pins.close()


def open_pins(name: str) -> Factory:
    """gpiozero's pin factory called *name*. Raises `PartError` telling why it cannot be had."""
    try:
        match name.lower():
            case "lgpio":
                return _lgpio_pins()
            case "mock":
                from gpiozero.pins.mock import MockFactory, MockPWMPin

                return MockFactory(pin_class=MockPWMPin)
            case other if other in OTHER_FACTORIES:
                module, _, factory = OTHER_FACTORIES[other].partition(":")
                return getattr(importlib.import_module(module), factory)()
    except PartError:
        raise
    except Exception as error:  # each library fails in its own way, with exceptions of its own
        raise PartError(f"the Pi's pins cannot be used through {name}: {error or type(error).__name__}") from error
    known = ", ".join(["lgpio", "mock", *OTHER_FACTORIES])
    raise PartError(f"GPIOZERO_PIN_FACTORY is {name!r}; it can be {known}")


def _lgpio_pins() -> Factory:
    lgpio = load_lgpio()
    from reboard.lgpio_pins import LgpioPins

    return LgpioPins(header_chip(lgpio))
