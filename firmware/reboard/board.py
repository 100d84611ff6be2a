"""What the parts stand on: pins, serial lines, I²C buses, a sound device and a disk.

This is the one seam between reboard and the machine. A Raspberry Pi is one `Board`, the simulator's virtual Pi is
another, and nothing above this file can tell which one it has.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from gpiozero import Factory

RATE_HZ = 48_000
"""Samples per second, everywhere from the sound files to the sink: what HDMI, USB and I²S cards take unchanged."""

SAMPLE_BYTES = 2
"""Every sample is one signed 16-bit little-endian number, one channel."""

Pull = Callable[[int], bytes | None]
"""Asks the mixer for the next *n* samples, from any thread. ``None``: nothing plays, go to sleep until woken."""

SOUND_LIBRARIES = ("alsa", "aplay", "sounddevice", "simpleaudio", "silent")
"""What a sound device can be played through."""

Report = Callable[[str | None], None]
"""Tells, from any thread, why no sound comes out (a sentence), or ``None`` when it does again. Changes only."""


ReportMotor = Callable[[bool], None]
"""Reports to the motor's guard whether the motor is on. Raises `PartError` for one that is, if the guard is gone."""

REPORT_EVERY_S = 0.5
"""How often a motor that is on is reported at the least."""


def unguarded(is_on: bool) -> None:
    """Report to no guard: a virtual motor needs none, and systemd guards a service's."""


class SerialLine(Protocol):
    """The part of ``serial.Serial`` that readers use. Opened exclusively, raw, and never blocking."""

    def fileno(self) -> int:
        """What an event loop can watch."""

    def read(self, size: int = 1, /) -> bytes:
        """At most *size* bytes; fewer, or none, when there are not as many."""

    @property
    def out_waiting(self) -> int:
        """How many bytes were written and have not gone out yet."""

    def write(self, data: bytes, /) -> int | None:
        """Send bytes. Nothing may be waiting to go out."""

    def close(self) -> None:
        """Give the line back."""


class InputLine(Protocol):
    """A reader that types: Linux's input events, which reach nobody else. Never blocking."""

    @property
    def name(self) -> str:
        """What its maker calls it."""

    def fileno(self) -> int:
        """What an event loop can watch."""

    def read(self, size: int, /) -> bytes:
        """The oldest events, whole ``struct input_event`` as they are in this program's memory, in *size* bytes.

        Their time is of a clock that is never set. Raises ``OSError`` when the reader is gone.
        """

    def close(self) -> None:
        """Give the device back to everybody."""


class I2cBus(Protocol):
    """The part of ``smbus2.SMBus`` that is used."""

    def read_byte(self, i2c_addr: int, force: bool | None = None) -> int:
        """Read one byte. Raises ``OSError`` 121 (remote I/O) when nobody answers at the address."""

    def write_byte(self, i2c_addr: int, value: int, force: bool | None = None) -> None:
        """Write one byte. Raises ``OSError`` 121 (remote I/O) when nobody answers at the address."""

    def close(self) -> None:
        """Give the bus back."""


class Sink(Protocol):
    """One stream into one sound device.

    It sleeps until `wake`, then pulls samples until the mixer has none left, and sleeps again. A device that is
    missing or goes away is reported, what is pulled meanwhile is thrown away at the speed of life, and the device
    is looked for again with growing pauses of 1 to 10 s, only while something plays.
    """

    @property
    def description(self) -> str:
        """What this is, for ``reboard doctor`` and the log: library and device."""

    def start(self, pull: Pull, report: Report) -> None:
        """Be ready: everything that takes time and can be done before the first sound is done here."""

    def wake(self) -> None:
        """There is something to play. Returns at once; may be called at any time and from any thread."""

    def close(self) -> None:
        """Stop, and give the device back. May be called twice."""


class Devices(Protocol):
    """What a machine has besides pins."""

    def open_serial(self, port: str, baud_rate: int) -> SerialLine:
        """Open the serial line that the config calls *port*. Raises ``OSError`` when it is not there."""

    def open_keyboard(self, device: str) -> InputLine:
        """Open the input device *device*. Raises ``OSError`` when it is not there, taken, or no keyboard."""

    def open_i2c(self, bus: int) -> I2cBus:
        """Open I²C bus number *bus*. Raises ``OSError`` when it is not there."""

    def open_sink(self, library: str | None, device: str | None) -> Sink:
        """Make the sink for *library* of `SOUND_LIBRARIES` on the ALSA *device*; ``None``: the best, the default.

        Never fails for a missing device: a sink without one says so and goes on looking.
        """

    def open_database(self, uri: str) -> sqlite3.Connection:
        """Open a database on this machine's disk, see `reboard.database`. Raises ``sqlite3.Error``."""

    def wall_time(self) -> float:
        """Seconds since 1970, for the ledger's ``at``. Nothing waits by it."""


class Board(Devices, Protocol):
    """A machine that accessories can be wired to."""

    @property
    def pins(self) -> Factory:
        """gpiozero's pin factory for this machine."""

    def guard_motor(self, pin: int) -> AbstractAsyncContextManager[ReportMotor]:
        """Have the motor on *pin* turned off if this process cannot do it. Raises `PartError` when that fails."""

    def close(self) -> None:
        """Give everything back."""
