"""A virtual I²C bus."""

from __future__ import annotations

import errno
import threading
from typing import Protocol

BITS_PER_BYTE_WRITTEN = 20
"""Start, address, acknowledgement, byte, acknowledgement, stop."""

# EREMOTEIO, under which Linux reports a missing acknowledgement; other systems lack the name
REMOTE_IO = getattr(errno, "EREMOTEIO", 121)


class I2cDevice(Protocol):
    """Something that sits on the bus."""

    def receive(self, value: int) -> None:
        """The bus wrote the byte *value* to it."""

    def power(self, on: bool) -> None:
        """Its supply came or went."""


class VirtualI2cBus:
    """A `reboard.board.I2cBus` with devices at addresses. Any thread may write.

    `writes` counts the bytes written, answered or not; `wire_s` is the time they would have taken at 100 kHz.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._devices: dict[int, I2cDevice] = {}
        self._unplugged: set[int] = set()
        self.writes = 0

    @property
    def wire_s(self) -> float:
        """Seconds that all writes so far take on a wire at 100 kHz."""
        return self.writes * BITS_PER_BYTE_WRITTEN / 100_000

    def attach(self, address: int, device: I2cDevice) -> None:
        """Wire *device* to the bus and give it power."""
        with self._lock:
            self._devices[address] = device
            device.power(True)

    def unplug(self, address: int) -> None:
        """Pull the device's plug: it neither answers nor has power. ``KeyError`` when there never was one."""
        with self._lock:
            self._devices[address].power(False)
            self._unplugged.add(address)

    def plug(self, address: int) -> None:
        """Put the plug back."""
        with self._lock:
            self._unplugged.discard(address)
            self._devices[address].power(True)

    def write_byte(self, i2c_addr: int, value: int, force: bool | None = None) -> None:
        """Write one byte. Raises ``OSError`` 121 when nobody answers at the address."""
        with self._lock:
            self.writes += 1
            device = self._devices.get(i2c_addr)
            if device is None or i2c_addr in self._unplugged:
                raise OSError(REMOTE_IO, "Remote I/O error")
            device.receive(value)

    def close(self) -> None:
        """Nothing to give back: the bus is there for whoever opens it next."""
