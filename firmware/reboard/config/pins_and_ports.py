"""Readers of settings: pins, serial ports, input devices, and I²C and network addresses."""

from __future__ import annotations

import ipaddress
import re
from typing import NamedTuple

from reboard.config.kinds import NO_PULL, PULL, is_whole, text
from reboard.config.reading import KeyPath, Reading

FIRST_PIN, LAST_PIN = 2, 27
PULLED_HIGH_AT_BOOT = range(9)
"""The pins, by BCM number, that every Pi pulls up from power-on until a program configures them."""

HEADER, BLUETOOTH = "/dev/serial0", "/dev/serial1"
"""The links of Raspberry Pi OS to the serial port of the header (except on a Pi 5) and to that of Bluetooth."""

HEADER_UARTS = ("/dev/serial0", "/dev/ttyAMA0", "/dev/ttyS0")
"""The device files of the serial port on GPIO14 and GPIO15 of the header."""

OTHER_UART = re.compile(r"/dev/(?:ttyAMA|ttyS|serial)\d+")
"""A pattern for the device files of all built-in serial ports. Overlays choose the pins of additional ports."""

DEBUG_SOCKET = "/dev/ttyAMA10"
"""The device file of a Pi 5's debug connector. ``serial0`` links to it by default. It is not on the header."""

BOOT_CONFIG = "/boot/firmware/config.txt"
"""The file with the settings of the Pi's firmware."""

_HOST_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")


class Listen(NamedTuple):
    """The address and port of an HTTP server."""

    host: str
    port: int

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the server."""
        return self.host in ("127.0.0.1", "localhost", "::1")

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def pin(reading: Reading, path: KeyPath, value: object, /) -> int:
    """Read the BCM number of a GPIO pin, and claim the pin for this setting."""
    if not is_whole(value, FIRST_PIN, LAST_PIN):
        reason = ": pins 0 and 1 are reserved for add-on boards (HATs)" if is_whole(value, 0, 1) else ""
        if isinstance(value, dict):
            reason = ": write only the number"
            reason += f". A key for a pull resistor has no use: {NO_PULL}" if any(map(PULL.search, value)) else ""
        raise reading.must_be(path, f"the BCM number of a pin, from {FIRST_PIN} to {LAST_PIN}", value, reason)
    reading.claim(f"pin {value}", path)
    return value


def motor_pin(reading: Reading, path: KeyPath, value: object, /) -> int:
    """Read the pin of a motor. Pins that are high while a Pi boots are not allowed."""
    number = pin(reading, path, value)
    if number in PULLED_HIGH_AT_BOOT:
        reason = "a Pi pulls pins 0 to 8 high while it boots, so the motor would run"
        raise reading.must_be(path, f"a pin from 9 to {LAST_PIN}", value, f": {reason}")
    return number


def serial_port(reading: Reading, path: KeyPath, value: object, /) -> str:
    """Read the device file of a serial port, and claim the port and its pins on the header."""
    port = _device_file(reading, path, value, "/dev/ttyUSB0", "the port")
    if port in HEADER_UARTS:
        for number in (14, 15):
            reading.claim(f"pin {number}", path, f"pins 14 and 15 are the serial port {port}")
    return port


def input_device(reading: Reading, path: KeyPath, value: object, /) -> str:
    """Read the device file of a card reader that acts as a keyboard, and claim it for this setting."""
    return _device_file(reading, path, value, "/dev/input/by-id/usb-…-event-kbd", "the device")


def _device_file(reading: Reading, path: KeyPath, value: object, example: str, what: str) -> str:
    file = text(reading, path, value)
    if not file.startswith("/"):
        raise reading.must_be(path, f'a device file like "{example}"', value)
    reading.claim(f"{what} {file}", path)
    return file


def claim_i2c_pins(reading: Reading, path: KeyPath, bus: int) -> None:
    """Claim the pins of I²C bus 1 for the setting at *path*. All settings with this bus share them."""
    if bus == 1:
        for number in (2, 3):
            reading.claim(f"pin {number}", path, "pins 2 and 3 are I²C bus 1", is_shared=True)


def listen(reading: Reading, path: KeyPath, value: object, /) -> Listen:
    """Read an address and port, such as ``127.0.0.1:8080`` or ``[::1]:8080``."""
    host, _, port = text(reading, path, value).rpartition(":")
    if not (port.isdecimal() and 1 <= int(port) <= 65_535 and is_host(host)):
        hint = '; with "0.0.0.0:8080", every device on your network can open the page'
        raise reading.must_be(path, 'an address and a port from 1 to 65535, like "127.0.0.1:8080"', value, hint)
    return Listen(host.strip("[]"), int(port))


def host_name(reading: Reading, path: KeyPath, value: object, /) -> str:
    """Read the host name of a page, without scheme and port."""
    name = text(reading, path, value).lower()
    if not _HOST_NAME.fullmatch(name):
        raise reading.must_be(path, 'a name like "table.example.org", without "https://" and port', value)
    return name


def ip_address(reading: Reading, path: KeyPath, value: object, /) -> str:
    """Read an IP address."""
    try:
        return str(ipaddress.ip_address(text(reading, path, value)))
    except ValueError:
        raise reading.must_be(path, 'an IP address, like "127.0.0.1"', value) from None


def is_host(host: str) -> bool:
    """Return whether *host* is a host name, an IPv4 address, or an IPv6 address in brackets."""
    if host.startswith("[") and host.endswith("]"):
        try:
            return bool(ipaddress.IPv6Address(host[1:-1]))
        except ValueError:
            return False
    return bool(_HOST_NAME.fullmatch(host))
