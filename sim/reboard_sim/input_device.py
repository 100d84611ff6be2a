"""A virtual input device: the kernel's own bytes, through a pipe between something virtual and the firmware."""

from __future__ import annotations

import asyncio
import errno
import os

from reboard.board import InputLine
from reboard.parts.slots.input_device import EVENT


class VirtualInputDevice:
    """One end is the firmware's, opened with `open`; the other tells what happens to the device's keys.

    As with the kernel, what happens while nobody has it open is lost, so is what nobody reads, and one program at
    a time can take it for itself.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
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

    def tell(self, *changes: tuple[int, int, int]) -> None:
        """*changes*, each a type, a code and a value, happen now."""
        if self._into is None:
            return
        seconds, part = divmod(self._loop.time(), 1)
        events = b"".join(EVENT.pack(int(seconds), int(part * 1_000_000), *change) for change in changes)
        try:
            os.write(self._into, events)
        except BlockingIOError:
            return

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
