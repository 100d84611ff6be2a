"""A virtual I²C bus."""

from __future__ import annotations

import errno
import threading
from collections.abc import Callable
from typing import NamedTuple, Protocol

from reboard_sim.tape import Tape

BITS_PER_BYTE_WRITTEN = 20
"""Start, address, acknowledgement, byte, acknowledgement, stop."""

REMEMBERED = 20_000
"""How many of the latest bytes are kept: a hundred times both lines of a display."""

# EREMOTEIO, under which Linux reports a missing acknowledgement; other systems lack the name
REMOTE_IO = getattr(errno, "EREMOTEIO", 121)


class I2cDevice(Protocol):
    """Something that sits on the bus."""

    def receive(self, value: int) -> object:
        """The bus wrote the byte *value* to it. Returns what it has understood by that, if anything."""

    def send(self) -> int:
        """The bus reads a byte from it."""

    def power(self, on: bool) -> None:
        """Its supply came or went."""


class Written(NamedTuple):
    """One byte that was written at *t* seconds, whether it *was_answered*, and what the device *understood*."""

    t: float
    address: int
    value: int
    was_answered: bool
    understood: object


class VirtualI2cBus:
    """A `reboard.board.I2cBus` with devices at addresses. Any thread may write or read.

    `writes` counts the bytes written, answered or not; `wire_s` is the time they would have taken at 100 kHz.
    *clock* tells the seconds under which the latest ones are kept.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._devices: dict[int, I2cDevice] = {}
        self._unplugged: set[int] = set()
        self._tape: Tape[Written] = Tape(REMEMBERED)
        self._has_power = True

    @property
    def writes(self) -> int:
        """How many bytes were written so far."""
        return self._tape.end

    @property
    def wire_s(self) -> float:
        """Seconds that all writes so far take on a wire at 100 kHz."""
        return self.writes * BITS_PER_BYTE_WRITTEN / 100_000

    def news(self, place: int) -> tuple[list[Written], int]:
        """What was written from *place* on, as a `Tape` tells it. From any thread."""
        with self._lock:
            return self._tape.news(place)

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
            self._devices[address].power(self._has_power)

    def power_off(self) -> None:
        """The machine lost its power, and with it every device, for good: whoever still writes moves no wire."""
        with self._lock:
            self._has_power = False
            for device in self._devices.values():
                device.power(False)

    def read_byte(self, i2c_addr: int, force: bool | None = None) -> int:
        """Read one byte. Raises ``OSError`` 121 when nobody answers at the address."""
        with self._lock:
            device = self._answering(i2c_addr) if self._has_power else None
            if device is None:
                raise OSError(REMOTE_IO, "Remote I/O error")
            return device.send()

    def write_byte(self, i2c_addr: int, value: int, force: bool | None = None) -> None:
        """Write one byte. Raises ``OSError`` 121 when nobody answers at the address."""
        with self._lock:
            if not self._has_power:
                raise OSError(REMOTE_IO, "Remote I/O error")
            device = self._answering(i2c_addr)
            understood = device.receive(value) if device is not None else None
            self._tape.append(Written(self._clock(), i2c_addr, value, device is not None, understood))
        if device is None:
            raise OSError(REMOTE_IO, "Remote I/O error")

    def close(self) -> None:
        """Nothing to give back: the bus is there for whoever opens it next."""

    def _answering(self, address: int) -> I2cDevice | None:
        return None if address in self._unplugged else self._devices.get(address)
