"""What a program opens without a device of gpiozero, as devices for the bench."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from gpiozero.spi_devices import MCP3xxx

from reboard.config.pins_and_ports import HEADER_UARTS
from reboard.devices.device import FittedDevice
from reboard.devices.display import DISPLAY
from reboard.devices.displays.display_controller import DisplayConfig
from reboard_sim.devices.analog_input import ANALOG, AnalogConfig, SpiPins, hardware_pins
from reboard_sim.devices.device import VirtualBoard
from reboard_sim.devices.opened import opened_device
from reboard_sim.script.modules.gpio_channel import Channel
from reboard_sim.script.modules.machine import I2cAddress, SerialPort, SpiPlace
from reboard_sim.script.modules.processor import Processor

BACKPACKS = {*range(0x20, 0x28), *range(0x38, 0x3C), 0x3E, 0x3F}
"""The addresses of a PCF8574 and a PCF8574A, at which a program usually has an HD44780."""

OLEDS = {0x3C, 0x3D}
"""The addresses of an SSD1306."""


def library_devices(opened: object, label: str, board: VirtualBoard) -> Iterator[FittedDevice[Any, Any]]:
    """Return the devices on the bench for what a library reports as *opened*. *label* is a name for it, or ``""``."""
    match opened:
        case [Channel() as channel]:
            yield _channel(channel, label or f"gpio{channel.gpio}")
        case [Channel(), *_]:
            for number, each in enumerate(cast(list[Channel], opened), start=1):
                yield _channel(each, f"{label}_{number}" if label else f"gpio{each.gpio}")
        case I2cAddress(bus, address) if not board.i2c_bus(bus).has_device(address):
            if driver := "hd44780-i2c" if address in BACKPACKS else "ssd1306" if address in OLEDS else "":
                label = label or f"display_{address:x}"
                yield FittedDevice(label, label, DISPLAY, DisplayConfig(driver, bus, address))
        case Processor():
            yield opened_device(Processor.LABEL, "slider", value=45.0, most=100.0, step=0.5)
        case MCP3xxx():
            label = label or f"channel_{opened.channel}"
            config = AnalogConfig(type(opened).__name__, opened.channel, _pins_of(opened._spi))
            if all(config != device.config for device in board.opened.values()):
                yield FittedDevice(label, label, ANALOG, config)


def _channel(channel: Channel, label: str) -> FittedDevice[Any, Any]:
    kind = "lamp" if channel.is_output else "switch" if channel.pull == "floating" else "contact"
    is_high = channel.is_output or channel.pull != "up"
    return opened_device(label, kind, {"": channel.gpio}, active_high=is_high)


def missing(opened: object, board: VirtualBoard) -> str:
    """Return what the user should know if nothing is at the place that a program has *opened*, or ``""``."""
    place = reaction = ""
    match opened:
        case I2cAddress(bus, address) if not board.i2c_bus(bus).has_device(address):
            place, reaction = f"at address 0x{address:02X} of I2C bus {bus}", "so the program gets an error"
        case SpiPlace(bus, chip_select) if board.spi_devices.get((bus, chip_select)) is None:
            place, reaction = f"at chip select {chip_select} of SPI bus {bus}", "so the program reads zeros"
        case SerialPort(path) if not board.serial_lines.keys() & ({path} | _same_port(path)):
            place, reaction = f"at the serial port {path}", "so the program gets an error"
    return f"There is nothing {place}, {reaction}. Name what is there in bench.toml." if place else ""


def _same_port(path: str) -> set[str]:
    return {*HEADER_UARTS} if path in HEADER_UARTS else set()


def _pins_of(spi: Any) -> SpiPins:
    if hasattr(spi, "_device"):
        return hardware_pins(spi._device)
    bus = spi._bus
    pins = {"clock": bus.clock, "mosi": bus.mosi, "miso": bus.miso, "select": spi._select}
    return SpiPins(**{name: int(device.pin.info.name.removeprefix("GPIO")) for name, device in pins.items()})
