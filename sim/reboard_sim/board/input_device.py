"""A virtual Linux input device (evdev), which sends key events to the firmware through a pipe."""

from __future__ import annotations

import asyncio
import errno
import os
from typing import NamedTuple

from reboard.board import InputLine
from reboard.devices.readers.input_device import EVENT
from reboard_sim.board.line import Tape

REMEMBERED = 4000
"""The maximum number of reports that a device keeps."""

Change = tuple[int, int, int]
"""An input event of the Linux kernel: its type, code and value."""


class Report(NamedTuple):
    """A report of input events at *t* seconds of the loop's clock. The report is lost if the pipe is closed or full."""

    t: float
    changes: tuple[Change, ...]
    is_lost: bool


class VirtualInputDevice:
    """A virtual input device. The firmware reads the events of its keys from a pipe.

    Events are lost while no program has the device open. Only one program at a time can open it.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.reports: Tape[Report] = Tape(REMEMBERED)
        self._is_plugged = True
        self._into: int | None = None

    def plug(self) -> None:
        """Plug the device in, so that a program can open it."""
        self._is_plugged = True

    def unplug(self) -> None:
        """Unplug the device. A program that has it open gets ``OSError``. Can be called more than once."""
        self._is_plugged = False
        self._hang_up()

    close = unplug

    def open(self) -> InputLine:
        """Return the firmware's end of a new pipe.

        Raises ``FileNotFoundError`` while the device is unplugged, and ``OSError`` while a program has it open.
        """
        if not self._is_plugged:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        if self._into is not None:
            raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))
        out, self._into = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        return _Opened(out, self)

    def report(self, *changes: Change) -> None:
        """Send *changes* to the firmware with the current time, and keep them in `reports`."""
        now = self._loop.time()
        self.reports.append(Report(now, changes, is_lost=not self._write(now, changes)))

    def _write(self, now: float, changes: tuple[Change, ...]) -> bool:
        if self._into is None:
            return False
        seconds, part = divmod(now, 1)
        events = b"".join(EVENT.pack(int(seconds), int(part * 1_000_000), *change) for change in changes)
        try:
            os.write(self._into, events)
        except BlockingIOError:
            return False
        return True

    def _hang_up(self) -> None:
        into, self._into = self._into, None
        if into is not None:
            os.close(into)


class _Opened:
    name = "Virtual USB reader"

    def __init__(self, out: int, device: VirtualInputDevice) -> None:
        self._out = out
        self._device = device

    def fileno(self) -> int:
        return self._out

    def read(self, size: int, /) -> bytes:
        try:
            events = os.read(self._out, size - size % EVENT.size)
        except BlockingIOError:
            return b""
        if not events:
            raise OSError(errno.ENODEV, os.strerror(errno.ENODEV))
        return events

    def close(self) -> None:
        os.close(self._out)
        self._device._hang_up()
