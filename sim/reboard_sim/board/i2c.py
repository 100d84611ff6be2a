"""A virtual I²C bus, which keeps a history of the written bytes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol

from reboard_sim.board.line import Tape

TRANSFER_BITS, BYTE_BITS = 11, 9
"""The bits on the bus for each transfer (start, address, acknowledgement, stop), and for each of its bytes."""

REMEMBERED = 4_000
"""The maximum number of kept transfers, enough to write a display four hundred times."""

# Linux reports a missing acknowledgement as this number, EREMOTEIO. Other systems lack it, or give it another number
REMOTE_IO = 121


class I2cDevice(Protocol):
    """A device on the I²C bus."""

    def receive(self, values: bytes) -> Sequence[object]:
        """Receive the bytes of a transfer. Return the meaning that each completes for the device, or ``None``."""

    def send(self) -> int:
        """Return the byte that the bus reads from the device."""

    def power(self, on: bool) -> None:
        """Switch the power of the device on or off."""


class Written(NamedTuple):
    """A byte written to *address* at *t* seconds. *understood* is the result of `I2cDevice.receive`, if any."""

    t: float
    address: int
    value: int
    was_answered: bool
    understood: object


class I2cTransfer(NamedTuple):
    """Bytes written to *address* at *t* seconds. *understood* is what the device there makes of each."""

    t: float
    address: int
    values: bytes
    understood: Sequence[object] | None
    """``None`` if no device answered."""

    def bytes_written(self) -> Iterator[Written]:
        """Yield the bytes one by one."""
        for value, understood in zip(self.values, self.understood or (None,), strict=True):
            yield Written(self.t, self.address, value, self.understood is not None, understood)


class VirtualI2cBus:
    """A virtual `reboard.board.I2cBus`, which finds its devices by address. Thread-safe.

    *clock* returns the time of each byte, in seconds.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._devices: dict[int, I2cDevice] = {}
        self._unplugged: set[int] = set()
        self._tape: Tape[I2cTransfer] = Tape(REMEMBERED)
        self._has_power = True
        self.wire_s = 0.0
        """The time that all writes so far would take at a bus clock of 100 kHz, in seconds."""

    def news(self, place: int) -> tuple[list[Written], int]:
        """Return the bytes of the kept transfers from *place* on, and the place for the next call."""
        with self._lock:
            transfers, end = self._tape.news(place)
        return [written for transfer in transfers for written in transfer.bytes_written()], end

    def attach(self, address: int, device: I2cDevice) -> None:
        """Connect *device* to the bus at *address*, and switch its power on."""
        with self._lock:
            self._devices[address] = device
            device.power(True)

    def has_device(self, address: int) -> bool:
        """Return whether a device is connected at *address*, although its plug may be out."""
        return address in self._devices

    def unplug(self, address: int) -> None:
        """Unplug the device at *address*, and cut its power. Raises ``KeyError`` if there is no device."""
        with self._lock:
            self._devices[address].power(False)
            self._unplugged.add(address)

    def plug(self, address: int) -> None:
        """Plug the device at *address* back in. Raises ``KeyError`` if there is no device."""
        with self._lock:
            self._unplugged.discard(address)
            self._devices[address].power(self._has_power)

    def power_off(self) -> None:
        """Cut the power of the bus and its devices permanently."""
        with self._lock:
            self._has_power = False
            for device in self._devices.values():
                device.power(False)

    def read_byte(self, i2c_addr: int, force: bool | None = None) -> int:
        return self.transfer(i2c_addr, b"", 1)[0]

    def write_byte(self, i2c_addr: int, value: int, force: bool | None = None) -> None:
        """Write *value* to the device at *i2c_addr*, as RPLCD does. Raises ``OSError`` 121 if no device answers."""
        self.write_i2c_block_data(i2c_addr, value, ())

    def write_i2c_block_data(
        self, i2c_addr: int, register: int, data: Sequence[int], force: bool | None = None
    ) -> None:
        self.transfer(i2c_addr, bytes((register, *data)), 0)

    def transfer(self, address: int, sent: bytes, count: int) -> bytes:
        """Write the bytes *sent*, then read *count* bytes. Raises ``OSError`` 121 if no device answers at *address*."""
        with self._lock:
            device = self._answering(address) if self._has_power else None
            if device is None:
                if sent and self._has_power:
                    self._tape.append(I2cTransfer(self._clock(), address, sent[:1], None))
                raise OSError(REMOTE_IO, "Remote I/O error")
            if sent:
                self._tape.append(I2cTransfer(self._clock(), address, sent, device.receive(sent)))
                self.wire_s += (TRANSFER_BITS + BYTE_BITS * len(sent)) / 100_000
            return bytes(device.send() for _ in range(count))

    def follow(self, address: int, sent: bytes, was_answered: bool) -> None:
        """Keep a transfer on the bus of another machine, and pass it to the device if the real device answered."""
        understood: Sequence[object] | None = None
        with self._lock:
            if was_answered:
                device = self._answering(address)
                understood = device.receive(sent) if device else [None] * len(sent)
            self._tape.append(I2cTransfer(self._clock(), address, sent if was_answered else sent[:1], understood))

    def close(self) -> None:
        """Do nothing, because the next program to open the bus gets the same object."""

    def _answering(self, address: int) -> I2cDevice | None:
        return None if address in self._unplugged else self._devices.get(address)
