"""A Linux input device that is grabbed, so that other programs do not get its input.

Numbers and structures are from the kernel's ``input.h``. The numbers are the same on all machines that run reboard.
"""

from __future__ import annotations

import fcntl
import os
import struct
import time

from reboard.errors import DeviceError
from reboard.languages import translatable

EVENT = struct.Struct("llHHi")
"""The kernel's ``struct input_event``: seconds, microseconds, type, code and value. It has 24 bytes in 64-bit programs
and 16 bytes in 32-bit programs."""

EV_SYN, EV_KEY, EV_REL = 0, 1, 2
KEY_1, KEY_ENTER = 2, 28

READ, WRITE = 2, 1
MOST_KEYS = 0x300
LONGEST_NAME_BYTES = 256
NAMELESS = "a reader that types"


def _request(direction: int, number: int, size: int) -> int:
    return direction << 30 | size << 16 | ord("E") << 8 | number


EVIOCGNAME = _request(READ, 0x06, LONGEST_NAME_BYTES)
EVIOCGBIT_TYPES = _request(READ, 0x20, 4)
EVIOCGBIT_KEYS = _request(READ, 0x20 + EV_KEY, MOST_KEYS // 8)
EVIOCGRAB = _request(WRITE, 0x90, 4)
EVIOCSCLOCKID = _request(WRITE, 0xA0, 4)


class InputDevice:
    """A keyboard as a `reboard.board.InputLine`. *name* is the name that the kernel reports, or `NAMELESS`.

    Raises ``OSError``: ``ENOTTY`` if *device* is not an input device, ``EBUSY`` if another program has grabbed it.
    Raises `DeviceError` for a device without number keys or Enter.
    """

    def __init__(self, device: str) -> None:
        self._file = os.open(device, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            self._check_keys()
            name = fcntl.ioctl(self._file, EVIOCGNAME, bytes(LONGEST_NAME_BYTES))
            self.name = name.split(b"\0")[0].decode(errors="replace") or NAMELESS
            fcntl.ioctl(self._file, EVIOCGRAB, 1)
            # by default events have the wall clock, which jumps when a Pi reaches its time server
            fcntl.ioctl(self._file, EVIOCSCLOCKID, struct.pack("i", time.CLOCK_MONOTONIC))
        except BaseException:
            self.close()
            raise

    def fileno(self) -> int:
        return self._file

    def read(self, size: int) -> bytes:
        try:
            return os.read(self._file, size)
        except BlockingIOError:
            return b""

    def close(self) -> None:
        os.close(self._file)

    def _check_keys(self) -> None:
        keys = int.from_bytes(fcntl.ioctl(self._file, EVIOCGBIT_KEYS, bytes(MOST_KEYS // 8)), "little")
        if keys >> KEY_1 & keys >> KEY_ENTER & 1:
            return
        types = int.from_bytes(fcntl.ioctl(self._file, EVIOCGBIT_TYPES, bytes(4)), "little")
        if types >> EV_REL & 1:
            raise DeviceError(
                translatable("it is a mouse, not a keyboard with digits and Enter: correct `device` in the config")
            )
        raise DeviceError(translatable("it is not a keyboard with digits and Enter: correct `device` in the config"))
