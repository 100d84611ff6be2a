"""The real board: the pins, serial ports, I²C buses, sound device and database of a Raspberry Pi."""

from __future__ import annotations

import importlib
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from gpiozero import Factory

from reboard.board import (
    SPI_HZ,
    TIME_IS_SYNCED,
    I2cBus,
    InputLine,
    Program,
    ReportMotor,
    SerialLine,
    Sink,
    SpiDevice,
    holders_of,
    open_database,
    unguarded,
)
from reboard.devices.gpio.chip import USUAL_FACTORY, load_gpiod, pin_factory_name
from reboard.devices.gpio.motor_guard import guarded
from reboard.errors import DeviceError, MissingExtraError

OTHER_FACTORIES = {
    "lgpio": "gpiozero.pins.lgpio:LGPIOFactory",
    "rpigpio": "gpiozero.pins.rpigpio:RPiGPIOFactory",
    "pigpio": "gpiozero.pins.pigpio:PiGPIOFactory",
}


class LinuxDevices:
    """The devices of a Linux machine: an implementation of `reboard.board.Devices`."""

    def open_serial(self, port: str, baud_rate: int) -> SerialLine:
        from serial import Serial

        line: SerialLine = Serial(port, baud_rate, timeout=0, write_timeout=0, exclusive=True)
        return line

    def open_keyboard(self, device: str) -> InputLine:
        from reboard.devices.readers.input_device import InputDevice

        return InputDevice(device)

    def holders(self, file: str) -> list[Program]:
        return holders_of(file)

    def open_i2c(self, bus: int) -> I2cBus:
        from smbus2 import SMBus

        return SMBus(bus)

    def open_spi(self, bus: int, chip_select: int, hz: int = SPI_HZ) -> SpiDevice:
        try:
            from spidev import SpiDev
        except ModuleNotFoundError as missing:
            raise MissingExtraError("the SPI bus", "pi", missing, package="python3-spidev") from None
        device = SpiDev()
        device.open(bus, chip_select)
        device.max_speed_hz = hz
        opened: SpiDevice = device
        return opened

    def open_sink(self, library: str | None, device: str | None, *, keep_awake: bool = False) -> Sink:
        from reboard.devices.audio.libraries import open_sink

        return open_sink(library, device, keep_awake=keep_awake)

    async def synthesize(self, words: str, language: str) -> bytes:
        from reboard.devices.audio.espeak import synthesize

        return await synthesize(words, language)

    def open_database(self, uri: str) -> sqlite3.Connection:
        return open_database(uri)

    def wall_time(self) -> float:
        return time.time()

    def is_time_synced(self) -> bool:
        return TIME_IS_SYNCED.exists()


class RaspberryPi(LinuxDevices):
    """A Raspberry Pi: an implementation of `reboard.board.Board`.

    The environment variable ``GPIOZERO_PIN_FACTORY`` names the library that drives the pins, by default gpiod. With
    ``mock``, the pins are simulated, so a table starts on any machine. Raises `DeviceError` if the pins cannot be used.

    *guards_motor* is false if systemd guards the motor, with its watchdog and ``reboard motor-off``.
    """

    def __init__(self, *, guards_motor: bool = True) -> None:
        factory = pin_factory_name()
        self.pins = open_pins(factory)
        self._guards_motor = guards_motor and factory.lower() != "mock"

    @asynccontextmanager
    async def guard_motor(self, pin: int) -> AsyncIterator[ReportMotor]:
        """Guard the motor on *pin* with `guarded`, unless systemd guards the motor or the pins are simulated."""
        if not self._guards_motor:
            yield unguarded
            return
        async with guarded(pin) as report:
            yield report

    def close(self) -> None:
        self.pins.close()


def open_pins(name: str) -> Factory:
    """Return the gpiozero pin factory *name*, such as ``gpiod``. Raises `DeviceError` if it cannot be used."""
    try:
        match name.lower():
            case "gpiod":
                return _gpiod_pins()
            case "mock":
                from gpiozero.pins.mock import MockFactory, MockPWMPin

                return MockFactory(pin_class=MockPWMPin)
            case other if other in OTHER_FACTORIES:
                module, _, factory = OTHER_FACTORIES[other].partition(":")
                return getattr(importlib.import_module(module), factory)()
    except DeviceError:
        raise
    except Exception as error:  # each library has exceptions of its own
        raise DeviceError(f"the Pi's pins cannot be used through {name}: {error or type(error).__name__}") from error
    known = ", ".join([USUAL_FACTORY, "mock", *OTHER_FACTORIES])
    raise DeviceError(f"the environment variable GPIOZERO_PIN_FACTORY is {name!r}: set it to one of {known}")


def _gpiod_pins() -> Factory:
    load_gpiod()
    from reboard.devices.gpio.pin_factory import GpiodFactory

    return GpiodFactory()
