"""A virtual serial line between a virtual card reader and the firmware, in memory."""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import Callable
from typing import Literal, NamedTuple

from reboard.board import Program, SerialLine
from reboard_sim.board.line import Tape
from reboard_sim.pipes import Pipe

REMEMBERED = 4000
"""The maximum number of kept transmissions, enough for two minutes of an RDM6300 with a card and noise."""

BUFFER_BYTES = 2048
"""The size of the receive buffer, in bytes. A transmission that does not fit is lost, as with a UART."""


class Transmission(NamedTuple):
    """The bytes that *by* sent at *t* seconds of the loop's clock. The bytes are lost if the receive buffer is full."""

    t: float
    data: bytes
    by: Literal["reader", "firmware"]
    is_lost: bool = False


MODEM_MANAGER = Program("ModemManager", 612, "ModemManager.service")


class VirtualSerialLine:
    """A serial line between the firmware and a virtual card reader.

    `traffic` has the latest transmissions in both directions, and `overruns` is the number of lost transmissions.
    `other_program` takes every second byte from the firmware. `baud_rate` is that of the reader, or 0 for any. At
    another one, the firmware receives garbage.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._pipe: Pipe | None = None
        self._opened: _Opened | None = None
        self.traffic: Tape[Transmission] = Tape(REMEMBERED)
        self.overruns = 0
        self.baud_rate = self._opened_at = 0
        self.other_program: Program | None = None
        self._heard: Callable[[bytes], None] | None = None
        self.on_arrival: list[Callable[[], None]] = []
        """The functions to call when the firmware can read bytes, or the line is unplugged."""
        self.plug()

    @property
    def is_plugged(self) -> bool:
        """Whether the line is plugged in."""
        return self._pipe is not None

    def plug(self) -> None:
        """Plug the line in, unless it is plugged in already."""
        self._pipe = self._pipe or Pipe(BUFFER_BYTES)

    def unplug(self) -> None:
        """Unplug the line. A program that has it open gets a hang-up. Can be called more than once."""
        opened, self._opened, self._pipe = self._opened, None, None
        if opened:
            opened.hang_up()
            self._arrived()

    close = unplug

    def open(self, baud_rate: int) -> SerialLine:
        """Open and return the firmware's end. Bytes from before are lost.

        Raises ``FileNotFoundError`` while the line is unplugged, and ``OSError`` while another program has it open.
        """
        if self._pipe is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        if self._opened:
            raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        self._pipe.close()  # pyserial empties the buffer
        self._opened_at = baud_rate
        self._opened = _Opened(self, self._pipe)
        return self._opened

    def share(self, on: bool) -> None:
        """Begin or end that another program reads the line, too."""
        self.other_program = MODEM_MANAGER if on else None

    def listen(self, heard: Callable[[bytes], None]) -> None:
        """Register *heard* as the function that gets the bytes from the firmware."""
        self._heard = heard

    def send(self, data: bytes) -> None:
        """Send *data* to the firmware. An unplugged line loses *data*."""
        if self._pipe is None:
            return
        if self.other_program:
            data = data[1::2]
        is_garbage = self.baud_rate and self._opened_at not in (0, self.baud_rate)
        fits = self._pipe.write(bytes(byte ^ 0xFF for byte in data) if is_garbage else data)
        self.traffic.append(Transmission(self._loop.time(), data, "reader", is_lost=not fits))
        self.overruns += not fits
        self._arrived()

    def _arrived(self) -> None:
        for listener in tuple(self.on_arrival):
            listener()

    def _receive(self, data: bytes) -> None:
        self.traffic.append(Transmission(self._loop.time(), data, "firmware"))
        if self._heard:
            self._loop.call_soon(self._heard, data)

    def _closed(self, opened: _Opened) -> None:
        if self._opened is opened:
            self._opened = None


class _Opened:
    """The firmware's end of a serial line."""

    out_waiting = 0

    def __init__(self, line: VirtualSerialLine, pipe: Pipe) -> None:
        self._line = line
        self._pipe = pipe

    def fileno(self) -> int:
        return self._pipe.number

    def read(self, size: int = 1, /) -> bytes:
        return self._pipe.read(size)

    def write(self, data: bytes, /) -> int:
        if self._line._opened is not self:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        self._line._receive(data)
        return len(data)

    def close(self) -> None:
        self._pipe.close()
        self._line._closed(self)

    def hang_up(self) -> None:
        self._pipe.hang_up()
