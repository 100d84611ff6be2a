"""A virtual serial line: a pseudo-terminal between something virtual and the firmware's own pyserial.

Virtual time must not run past bytes on their way, in either direction: whoever transmits waits, in real time, until
the kernel has carried them to the other end.
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

from reboard.board import SerialLine
from reboard_sim.tape import Tape

REMEMBERED = 4000
"""How many of the latest transmissions are kept: two minutes of a reader that never rests."""

BUFFER_BYTES = 2048
"""What nobody reads is lost beyond this, as with a UART, and long before the kernel's own buffer is full."""

LONGEST_DELIVERY_S = 1.0
"""The kernel moves a pty's bytes in microseconds; longer than this and something is broken."""


class Transmission(NamedTuple):
    """*data* was sent at *t* seconds of the loop's clock, and was lost when nobody read what came before."""

    t: float
    data: bytes
    by: Literal["reader", "firmware"]
    is_lost: bool = False


class VirtualSerialLine:
    """One end is the firmware's, opened with `open`; the other sends what a virtual reader says.

    `path` is the terminal that is open to any program while the line is plugged in; each `plug` makes a new one.
    `traffic` has the latest transmissions, both ways; `overruns` counts those that were lost because nobody read.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._ends: tuple[int, int] | None = None
        self.traffic: Tape[Transmission] = Tape(REMEMBERED)
        self.overruns = 0
        self.path = ""
        self._heard: Callable[[bytes], None] | None = None
        self.plug()

    @property
    def is_plugged(self) -> bool:
        """Whether the line is there."""
        return self._ends is not None

    def plug(self) -> None:
        """Put the plug in, if it is not."""
        if self._ends is None:
            _, firmwares = self._ends = os.openpty()
            tty.setraw(firmwares)
            self.path = os.ttyname(firmwares)
            self._listen()

    def unplug(self) -> None:
        """Pull the plug: whoever has the line open sees it hang up. May be called twice."""
        ends, self._ends = self._ends, None
        if ends:
            self._loop.remove_reader(ends[0])
        for end in ends or ():
            os.close(end)

    close = unplug

    def open(self, baud_rate: int) -> SerialLine:
        """The firmware's end. Raises ``FileNotFoundError`` while unplugged, ``OSError`` while open already."""
        if self._ends is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), self.path)
        line: SerialLine = FirmwaresEnd(self.path, baud_rate, delivered=partial(self._delivered, self._ends))
        return line

    def listen(self, heard: Callable[[bytes], None]) -> None:
        """Call *heard* with what the firmware says, from now on. Without a listener nobody ever reads it."""
        self._heard = heard
        self._listen()

    def send(self, data: bytes) -> None:
        """Transmit *data*, and return when it can be read. Into a line that is unplugged it is lost."""
        if self._ends is None:
            return
        readers, firmwares = self._ends
        unread = _readable(firmwares) + len(data)
        is_lost = unread > BUFFER_BYTES
        self.traffic.append(Transmission(self._loop.time(), data, "reader", is_lost))
        if is_lost:
            self.overruns += 1
            return
        os.write(readers, data)
        _wait_until_readable(firmwares, unread)

    def _delivered(self, ends: tuple[int, int], data: bytes, write: Callable[[bytes], int]) -> int:
        """Let the firmware's one of *ends* write *data*, and wait for it at the other, unless that was pulled out."""
        if self._ends is not ends:
            return write(data)
        self.traffic.append(Transmission(self._loop.time(), data, "firmware"))
        unread = _readable(ends[0])
        written = write(data)
        _wait_until_readable(ends[0], unread + written)
        return written

    def _listen(self) -> None:
        if self._heard and self._ends:
            self._loop.add_reader(self._ends[0], self._hear, self._ends[0])

    def _hear(self, end: int) -> None:
        assert self._heard
        self._heard(os.read(end, BUFFER_BYTES))


class FirmwaresEnd(serial.Serial):  # type: ignore[misc]
    """pyserial's own line; what is written to it can be read at the other end at once."""

    def __init__(self, path: str, baud_rate: int, *, delivered: Callable[[bytes, Callable[[bytes], int]], int]) -> None:
        self._delivered = delivered
        super().__init__(path, baud_rate, timeout=0, write_timeout=0, exclusive=True)

    def write(self, data: bytes) -> int:
        """Transmit *data*, and return when it can be read, as `VirtualSerialLine.send` does."""
        return self._delivered(data, super().write)


def _wait_until_readable(end: int, count: int) -> None:
    deadline = time.monotonic() + LONGEST_DELIVERY_S
    while _readable(end) < count:
        if time.monotonic() > deadline:
            raise TimeoutError("the kernel keeps back what was written to a pseudo-terminal")
        select.select([end], [], [], LONGEST_DELIVERY_S)


def _readable(end: int) -> int:
    """How many bytes can be read from a terminal."""
    answer: bytes = fcntl.ioctl(end, termios.FIONREAD, bytes(4))
    count: int = struct.unpack("i", answer)[0]
    return count
