"""A virtual Linux input device (evdev), which sends key events to the firmware through a pipe in memory."""

from __future__ import annotations

import asyncio
import errno
import os
from typing import NamedTuple

from reboard.board import InputLine
from reboard.devices.readers.input_device import EVENT
from reboard_sim.board.line import Tape
from reboard_sim.pipes import Pipe

REMEMBERED = 4000
"""The maximum number of reports that a device keeps."""

BUFFER_BYTES = 65_536
"""The size of the pipe, in bytes."""

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
        self._pipe: Pipe | None = None

    def plug(self) -> None:
        """Plug the device in, so that a program can open it."""
        self._is_plugged = True

    def unplug(self) -> None:
        """Unplug the device. A program that has it open gets ``OSError``. Can be called more than once."""
        self._is_plugged = False
        pipe, self._pipe = self._pipe, None
        if pipe:
            pipe.hang_up()

    close = unplug

    def open(self) -> InputLine:
        """Return the firmware's end of a new pipe.

        Raises ``FileNotFoundError`` while the device is unplugged, and ``OSError`` while a program has it open.
        """
        if not self._is_plugged:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        if self._pipe is not None:
            raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))
        self._pipe = Pipe(BUFFER_BYTES)
        return _Opened(self._pipe, self)

    def report(self, *changes: Change) -> None:
        """Send *changes* to the firmware with the current time, and keep them in `reports`."""
        now = self._loop.time()
        self.reports.append(Report(now, changes, is_lost=not self._write(now, changes)))

    def _write(self, now: float, changes: tuple[Change, ...]) -> bool:
        if self._pipe is None:
            return False
        seconds, part = divmod(now, 1)
        events = (EVENT.pack(int(seconds), int(part * 1_000_000), *change) for change in changes)
        return self._pipe.write(b"".join(events))

    def _closed(self, pipe: Pipe) -> None:
        if self._pipe is pipe:
            self._pipe = None


class _Opened:
    name = "Virtual USB reader"

    def __init__(self, pipe: Pipe, device: VirtualInputDevice) -> None:
        self._pipe = pipe
        self._device = device

    def fileno(self) -> int:
        return self._pipe.number

    def read(self, size: int, /) -> bytes:
        return self._pipe.read(size - size % EVENT.size)

    def close(self) -> None:
        self._pipe.close()
        self._device._closed(self._pipe)
