"""A virtual serial line: a pseudo-terminal between a virtual card reader and pyserial in the firmware.

Virtual time must not pass before bytes arrive. Therefore, the sender waits in real time until the receiver can read
the bytes.
"""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import select
import struct
import termios
import time
import tty
from collections.abc import Callable
from functools import partial
from typing import Literal, NamedTuple

import serial

from reboard.board import Program, SerialLine
from reboard_sim.board.line import Tape

REMEMBERED = 4000
"""The maximum number of kept transmissions, enough for two minutes of an RDM6300 with a card and noise."""

BUFFER_BYTES = 2048
"""The size of the receive buffer, in bytes. A transmission that does not fit is lost, as with a UART."""

SHORTEST_DELIVERY_S = 0.001
LONGEST_DELIVERY_S = 1.0
"""The longest real time to wait for a delivery by the kernel, in seconds. A delivery usually takes microseconds."""


class Transmission(NamedTuple):
    """The bytes that *by* sent at *t* seconds of the loop's clock. The bytes are lost if the receive buffer is full."""

    t: float
    data: bytes
    by: Literal["reader", "firmware"]
    is_lost: bool = False


MODEM_MANAGER = Program("ModemManager", 612, "ModemManager.service")


class VirtualSerialLine:
    """A serial line between the firmware and a virtual card reader.

    `path` is the file of the pseudo-terminal. `plug` creates a new pseudo-terminal after `unplug`. `traffic` has the
    latest transmissions in both directions, and `overruns` is the number of lost transmissions. `other_program` takes
    every second byte from the firmware. `baud_rate` is that of the reader, or 0 for any. At another one, the firmware
    receives garbage.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._ends: tuple[int, int] | None = None
        self.traffic: Tape[Transmission] = Tape(REMEMBERED)
        self.overruns = 0
        self.path = ""
        self.baud_rate = self._opened_at = 0
        self.other_program: Program | None = None
        self._heard: Callable[[bytes], None] | None = None
        self._read_by_firmware = self._read_by_reader = 0
        """The number of bytes that were ever read. A thread may read while another one waits for the delivery."""
        self.plug()

    @property
    def is_plugged(self) -> bool:
        """Whether the line is plugged in."""
        return self._ends is not None

    def plug(self) -> None:
        """Plug the line in, unless it is plugged in already."""
        if self._ends is None:
            _, firmwares = self._ends = os.openpty()
            tty.setraw(firmwares)
            self.path = os.ttyname(firmwares)
            self._listen()

    def unplug(self) -> None:
        """Unplug the line. A program that has the terminal open gets a hang-up. Can be called more than once."""
        ends, self._ends = self._ends, None
        if ends:
            self._loop.remove_reader(ends[0])
        for end in ends or ():
            os.close(end)

    close = unplug

    def open(self, baud_rate: int) -> SerialLine:
        """Open and return the firmware's end.

        Raises ``FileNotFoundError`` while the line is unplugged, and ``OSError`` while another program has it open.
        """
        if self._ends is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), self.path)
        self._opened_at = baud_rate
        line: SerialLine = FirmwaresEnd(
            self.path, baud_rate, delivered=partial(self._delivered, self._ends), read=self._firmware_has_read
        )
        return line

    def share(self, on: bool) -> None:
        """Begin or end that another program reads the line, too."""
        self.other_program = MODEM_MANAGER if on else None

    def listen(self, heard: Callable[[bytes], None]) -> None:
        """Register *heard* as the function that gets the bytes from the firmware."""
        self._heard = heard
        self._listen()

    def send(self, data: bytes) -> None:
        """Send *data* to the firmware, and wait until the firmware can read it. An unplugged line loses *data*."""
        if self._ends is None:
            return
        readers, firmwares = self._ends
        if self.other_program:
            data = data[1::2]
        had_read = self._read_by_firmware
        unread = _readable(firmwares) + len(data)
        is_lost = unread > BUFFER_BYTES
        self.traffic.append(Transmission(self._loop.time(), data, "reader", is_lost))
        if is_lost:
            self.overruns += 1
            return
        is_garbage = self.baud_rate and self._opened_at not in (0, self.baud_rate)
        os.write(readers, bytes(byte ^ 0xFF for byte in data) if is_garbage else data)
        _wait_until_readable(firmwares, lambda: unread - (self._read_by_firmware - had_read))

    def _delivered(self, ends: tuple[int, int], data: bytes, write: Callable[[bytes], int]) -> int:
        if self._ends is not ends:
            return write(data)
        self.traffic.append(Transmission(self._loop.time(), data, "firmware"))
        had_read = self._read_by_reader
        unread = _readable(ends[0])
        written = write(data)
        _wait_until_readable(ends[0], lambda: unread + written - (self._read_by_reader - had_read))
        return written

    def _firmware_has_read(self, count: int) -> None:
        self._read_by_firmware += count

    def _listen(self) -> None:
        if self._heard and self._ends:
            self._loop.add_reader(self._ends[0], self._hear, self._ends[0])

    def _hear(self, end: int) -> None:
        assert self._heard
        data = os.read(end, BUFFER_BYTES)
        self._read_by_reader += len(data)
        self._heard(data)


class FirmwaresEnd(serial.Serial):  # type: ignore[misc]
    """The firmware's end of a serial line: a pyserial port that waits until its bytes are delivered."""

    def __init__(
        self,
        path: str,
        baud_rate: int,
        *,
        delivered: Callable[[bytes, Callable[[bytes], int]], int],
        read: Callable[[int], None],
    ) -> None:
        self._delivered = delivered
        self._has_read = read
        super().__init__(path, baud_rate, timeout=0, write_timeout=0, exclusive=True)

    def read(self, size: int = 1) -> bytes:
        data: bytes = super().read(size)
        self._has_read(len(data))
        return data

    def write(self, data: bytes) -> int:
        return self._delivered(data, super().write)


def _wait_until_readable(end: int, count: Callable[[], int]) -> None:
    """Wait until *count* bytes can be read at *end*. Another program that has the terminal open may take them."""
    deadline = time.monotonic() + LONGEST_DELIVERY_S
    while _readable(end) < count() and time.monotonic() < deadline:
        select.select([end], [], [], SHORTEST_DELIVERY_S)


def _readable(end: int) -> int:
    answer: bytes = fcntl.ioctl(end, termios.FIONREAD, bytes(4))
    count: int = struct.unpack("i", answer)[0]
    return count
