"""The interface between drivers and a machine: its pins, serial ports, I²C and SPI buses, sound and database.

`reboard.raspberry_pi` implements the interface for a real Pi, the simulator for a virtual Pi.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:  # `motor-off` has to start without them
    import sqlite3

    from gpiozero import Factory

OpenDatabase = Callable[[str], "sqlite3.Connection"]
"""A function that opens the SQLite database at a URI in autocommit mode. Raises ``sqlite3.Error``.

One thread after the other can use the connection."""


def open_database(uri: str) -> sqlite3.Connection:
    """Open the SQLite database at *uri* on this machine in autocommit mode. Raises ``sqlite3.Error``."""
    import sqlite3

    from reboard.sqlite_connection import Connection

    return sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False, factory=Connection)


TIME_IS_SYNCED = Path("/run/systemd/timesync/synchronized")
"""The file that systemd-timesyncd creates when a time server has set the clock."""

MODEL = Path("/sys/firmware/devicetree/base/model")
"""The machine's model. The service of the page cannot read ``/proc/device-tree``, which is a link to this folder."""


def is_raspberry_pi() -> bool:
    """Return whether this machine is a Raspberry Pi."""
    try:
        return MODEL.read_bytes().startswith(b"Raspberry Pi")
    except OSError:
        return False


def virtual_pi() -> str:
    """Return how to try a table on this machine, to end a message, or ``""`` if the simulator is not installed."""
    has_simulator = Path(sys.executable).with_name("reboard-sim").exists()
    return ". `reboard-sim` has a virtual Pi, and needs no config" if has_simulator else ""


def runtime_directory() -> Path | None:
    """Return the service's in-memory directory (``/run/reboard``), or ``None`` if systemd has not created one."""
    # RUNTIME_DIRECTORY lists several with colons; the first is ours
    first = os.environ.get("RUNTIME_DIRECTORY", "").split(":")[0]
    return Path(first) if first else None


class Program(NamedTuple):
    """A running program: its name, the ID of its process, and the systemd service that started it, or ``""``."""

    name: str
    process: int
    service: str = ""

    def __str__(self) -> str:
        service = f", {self.service}" if self.service else ""
        return f"{self.name} (process {self.process}{service})"

    @property
    def how_to_stop(self) -> str:
        """The instruction to stop the program for good."""
        return f"run `sudo systemctl disable --now {self.service}`" if self.service else f"stop {self.name}"


def holders_of(file: str, root: Path = Path("/")) -> list[Program]:
    """Return the other programs that have the device file *file* open. Only root sees the programs of other users."""
    real = f"/{os.path.relpath(os.path.realpath(root / file.lstrip('/')), os.path.realpath(root))}"
    return [_program(process) for process in sorted(root.glob("proc/[0-9]*")) if _has_open(process, real)]


def _has_open(process: Path, real: str) -> bool:
    if process.name == str(os.getpid()):
        return False
    files = f"{process}/fd"
    with suppress(OSError):  # the process of another user, or one that has just ended
        # pathlib takes seven times as long, and a driver waits for this
        return any(os.readlink(f"{files}/{file}") == real for file in os.listdir(files))  # noqa: PTH115, PTH208
    return False


def _program(process: Path) -> Program:
    name = cgroup = ""
    with suppress(OSError):
        name = (process / "comm").read_text(errors="replace").strip()
        cgroup = (process / "cgroup").read_text(errors="replace")
    service = re.search(r"/([^/\n]+\.service)$", cgroup, re.MULTILINE)
    return Program(name or "a program", int(process.name), service[1] if service else "")


SPI_HZ = 1_000_000
"""The clock of an SPI bus, in hertz: a tenth of what a MAX7219 allows, for wires of a metre."""

GAINS = (0.0, 0.1, 0.22, 0.47, 1.0)
"""The amplitude factor for each volume, starting at 0. The steps above 0.1 sound equal: each is about 6.6 dB."""

LARGEST_VOLUME = len(GAINS) - 1
"""The loudest volume; 0 is mute."""

DEFAULT_VOLUME = 3

RATE_HZ = 48_000
"""The sample rate of the mixer, the sink and the WAV files that reboard writes, in hertz.

HDMI, USB and I²S cards play this rate without conversion."""

SAMPLE_BYTES = 2
"""The size of a sample in bytes: a signed 16-bit little-endian number. Sounds have one channel."""

Pull = Callable[[int], bytes | None]
"""A thread-safe function that returns the next samples of the mixer, given their number; ``None`` if nothing plays."""


class MixerControl(NamedTuple):
    """A volume control of a sound card, and its setting. The table's volume applies in addition to this setting."""

    name: str
    percent: int
    is_muted: bool


Report = Callable[[str | None], None]
"""A thread-safe function that receives the cause when sound fails, and ``None`` when it works, also for the first time.

A sink calls the function first when it has opened its device, or could not."""

ReportMotor = Callable[[bool], None]
"""A function that reports to the motor guard whether the motor is on.

The function raises `DeviceError` if the motor is on but the guard is no longer running."""

REPORT_EVERY_S = 0.5
"""The maximum time between two reports while the motor is on, in seconds."""


def unguarded(is_on: bool) -> None:
    """Do nothing. This `ReportMotor` is for virtual motors, and for the service, where systemd guards the motor."""


class SerialLine(Protocol):
    """A serial port with exclusive access and non-blocking calls: the part of ``serial.Serial`` that drivers use."""

    def fileno(self) -> int:
        """Return the file descriptor for the event loop."""

    def read(self, size: int = 1, /) -> bytes:
        """Return the received bytes, at most *size*, without waiting."""

    @property
    def out_waiting(self) -> int:
        """The number of bytes that have been written but not yet sent."""

    def write(self, data: bytes, /) -> int | None:
        """Send bytes without waiting. Call this only while `out_waiting` is 0."""

    def close(self) -> None:
        """Close the port."""


class InputLine(Protocol):
    """A Linux input device that is grabbed: no other program gets its events. The methods do not block."""

    @property
    def name(self) -> str:
        """The name that the manufacturer gave the device."""

    def fileno(self) -> int:
        """Return the file descriptor for the event loop."""

    def read(self, size: int, /) -> bytes:
        """Return the oldest unread events, at most *size* bytes. Each event is a ``struct input_event``.

        The time of an event is from the monotonic clock. Raises ``OSError`` if the device is gone.
        """

    def close(self) -> None:
        """Close the device. Other programs get its events again."""


class I2cBus(Protocol):
    """An I²C bus: the part of ``smbus2.SMBus`` that reboard uses."""

    def read_byte(self, i2c_addr: int, force: bool | None = None) -> int:
        """Read one byte. Raises ``OSError``, usually number 121 (remote I/O), if no device answers at the address."""

    def write_i2c_block_data(
        self, i2c_addr: int, register: int, data: Sequence[int], force: bool | None = None
    ) -> None:
        """Write *register* and up to 32 bytes of *data*. Raises ``OSError``, usually 121, if no device answers."""

    def close(self) -> None:
        """Close the bus."""


class SpiDevice(Protocol):
    """A chip on an SPI bus: the part of ``spidev.SpiDev`` that reboard uses."""

    def writebytes2(self, values: bytes, /) -> None:
        """Send *values* while the chip is selected. A missing chip raises no exception."""

    def xfer2(self, values: bytes, /) -> Sequence[int]:
        """Send *values* while the chip is selected, and return what arrives meanwhile. No chip: all 0 or all 255."""

    def close(self) -> None:
        """Release the bus."""


class Sink(Protocol):
    """An output for the samples of the mixer.

    The sink sleeps until `wake`, and then pulls samples until the mixer has none left. A sink without a sound device
    can ignore `wake`. If the device is missing, the sink reports the cause once and tries again with later sounds.
    """

    @property
    def description(self) -> str:
        """The library and the device in words: ``ALSA device default``."""

    def start(self, pull: Pull, report: Report) -> None:
        """Start the sink with the functions *pull* and *report*. It then sleeps until `wake`."""

    def wake(self) -> None:
        """Start pulling samples, and return at once. Can be called at any time and from any thread."""

    def close(self) -> None:
        """Stop playing and release the device. Can be called more than once."""


class Devices(Protocol):
    """The devices of a machine except its pins: serial ports, input devices, buses, sound, database and clock."""

    def open_serial(self, port: str, baud_rate: int) -> SerialLine:
        """Open a serial port. Raises ``OSError``."""

    def open_keyboard(self, device: str) -> InputLine:
        """Open and grab an input device. Raises ``OSError``, also if the device is in use or is not a keyboard."""

    def holders(self, file: str) -> list[Program]:
        """Return the other programs that have the device file *file* open. Only root sees those of other users."""

    def open_i2c(self, bus: int) -> I2cBus:
        """Open I²C bus number *bus*. Raises ``OSError``."""

    def open_spi(self, bus: int, chip_select: int, hz: int = SPI_HZ) -> SpiDevice:
        """Open the chip at *chip_select* of SPI bus number *bus*, with a clock of *hz*. Raises ``OSError``."""

    def open_sink(self, library: str | None, device: str | None, *, keep_awake: bool = False) -> Sink:
        """Return a sink that plays on *device* through *library*, a name from the config.

        ``None`` selects the best installed library or the default device. With *keep_awake*, the device plays silence
        between sounds. A missing device raises no exception, because the sink reports it.
        """

    async def synthesize(self, words: str, language: str) -> bytes:
        """Return *words*, spoken in *language*, as a WAV file, which may be cut off at its end.

        The caller bounds the time. Raises ``OSError``: ``FileNotFoundError`` if no program for speech is installed.
        """

    def open_database(self, uri: str) -> sqlite3.Connection:
        """Open the SQLite database at *uri*, as described at `OpenDatabase`. Raises ``sqlite3.Error``."""

    def wall_time(self) -> float:
        """Return the current time, in seconds since 1970 (UTC)."""

    def is_time_synced(self) -> bool:
        """Return whether a time server has set the clock since the start of the machine."""


class Board(Devices, Protocol):
    """A machine with pins, to which the devices of the accessories are connected."""

    @property
    def pins(self) -> Factory:
        """The gpiozero pin factory of this machine."""

    def guard_motor(self, pin: int) -> AbstractAsyncContextManager[ReportMotor]:
        """Guard the motor on *pin*: the motor is turned off if this process exits or hangs. Raises `DeviceError`."""

    def close(self) -> None:
        """Release the pins and any other open resources of the board."""
