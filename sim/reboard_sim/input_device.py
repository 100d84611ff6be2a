"""A virtual input device: the kernel's own bytes, through a pipe between something virtual and the firmware."""

from __future__ import annotations

import asyncio
import errno
import os
from typing import NamedTuple

from reboard.board import InputLine
from reboard.parts.slots.input_device import EVENT
from reboard_sim.tape import Tape

REMEMBERED = 4000
"""How many of the latest reports are kept."""

Change = tuple[int, int, int]
"""A type, a code and a value, as the kernel tells them."""


class Report(NamedTuple):
    """*changes* happened at *t* seconds of the loop's clock, and were lost when nobody had the device open."""

    t: float
    changes: tuple[Change, ...]
    is_lost: bool


class VirtualInputDevice:
    """One end is the firmware's, opened with `open`; the other tells what happens to the device's keys.

    As with the kernel, what happens while nobody has it open is lost, so is what nobody reads, and one program at
    a time can take it for itself. `reports` has the latest ones.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.reports: Tape[Report] = Tape(REMEMBERED)
        self._is_plugged = True
        self._into: int | None = None

    def plug(self) -> None:
        """Put the plug in."""
        self._is_plugged = True

    def unplug(self) -> None:
        """Pull the plug: whoever has the device open finds it gone. May be called twice."""
        self._is_plugged = False
        self._hang_up()

    close = unplug

    def open(self) -> InputLine:
        """The firmware's end. Raises ``FileNotFoundError`` while unplugged, ``OSError`` while open already."""
        if not self._is_plugged:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        if self._into is not None:
            raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))
        out, self._into = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        return _Opened(out, self)

    def tell(self, *changes: Change) -> None:
        """*changes* happen now."""
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
    """What `VirtualInputDevice.open` returns: reads as the kernel's device file does."""

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
