"""Access to the files, commands and devices of a machine, for `reboard doctor` and `reboard setup`."""

from __future__ import annotations

import asyncio
import errno
import os
import pwd
import re
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple, TypeVar, cast
from urllib.error import HTTPError

from reboard.board import Devices, I2cBus, MixerControl, Program, holders_of
from reboard.config.pins_and_ports import BLUETOOTH, DEBUG_SOCKET, HEADER, HEADER_UARTS, LAST_PIN
from reboard.devices.audio.alsa import mixer_controls
from reboard.devices.examination import Space
from reboard.devices.gpio.chip import NO_NAME, header_chip, load_gpiod
from reboard.errors import DeviceError, ReboardError
from reboard.raspberry_pi import LinuxDevices

T = TypeVar("T")

MOST_READ_BYTES = 1_000_000
"""The maximum number of bytes that are read from a file or an HTTP response."""

NO_ANSWER = (121, errno.ENXIO, errno.ENODEV)
"""The error numbers of a read on an I²C bus when no device answers at the address.

Linux requires ENXIO (Documentation/i2c/fault-codes.rst). A Pi's driver reports 121, which has the name EREMOTEIO only
on Linux. Some drivers report ENODEV."""

STDERR = 2

LONGEST_COMMAND_S = 10.0
"""The default time limit of a command, in seconds."""

LONGEST_CHANGE_S = 600.0
"""The time limit of a command that changes the machine, such as a copy, in seconds."""

ENDING_S = 1.0
"""The longest wait for a killed command to exit, in seconds."""


class Header(NamedTuple):
    """The GPIO chip of a Pi's header: its device file, its label, and the users of its pins, keyed by BCM number."""

    chip: str
    label: str
    users: Mapping[int, str]


class Machine:
    """The machine that runs this process. It looks up absolute paths below the directory *root*."""

    def __init__(self, root: Path = Path("/"), devices: Devices | None = None) -> None:
        self.root = root
        self.devices = devices or LinuxDevices()

    def path(self, name: str | Path) -> Path:
        """Return the absolute path *name* as a path below *root*."""
        return self.root / str(name).lstrip("/")

    def has(self, name: str | Path) -> bool:
        """Return whether *name* exists. A broken symbolic link counts as existing."""
        return os.path.lexists(self.path(name))

    def text(self, name: str | Path) -> str:
        """Return the text of the file *name* without trailing spaces, newlines and NULs; ``""`` if it is unreadable."""
        try:
            with self.path(name).open("rb") as file:
                return file.read(MOST_READ_BYTES).decode(errors="replace").rstrip("\0 \n")
        except OSError:
            return ""

    def named(self, pattern: str) -> list[str]:
        found = self.root.glob(pattern.lstrip("/"))
        return sorted(f"/{path.relative_to(self.root)}" for path in found)

    def real(self, name: str) -> str:
        with suppress(OSError, ValueError):
            return f"/{self.path(name).resolve().relative_to(self.root.resolve())}"
        return name

    def may_use(self, name: str | Path) -> bool:
        return not self.has(name) or os.access(self.path(name), os.R_OK | os.W_OK)

    def may_read(self, file: Path) -> bool:
        """Return whether this process can read *file*. Unlike other paths, *file* is not below *root*."""
        return os.access(file, os.R_OK)

    def may_write(self, user: str, name: str | Path) -> bool:
        """Return whether *user* can write to the path *name*; true if the user or the path does not exist."""
        path = self.path(name)
        return _lets(path, user, 0o3 if path.is_dir() else 0o2)

    def may_be_read_by(self, user: str, file: Path) -> bool:
        """Return whether *user* can read *file*; true if the user or the file does not exist.

        Unlike other paths, *file* is not below *root*.
        """
        return _lets(file, user, 0o4)

    @property
    def user(self) -> str:
        """The name of the user who runs this process, or a text such as ``user 1000`` if that user has no name."""
        try:
            return pwd.getpwuid(os.geteuid()).pw_name
        except KeyError:
            return f"user {os.geteuid()}"

    @property
    def caller(self) -> str:
        """The name of the user who ran sudo, or `user` if sudo was not used."""
        return os.environ.get("SUDO_USER") or self.user

    @property
    def model(self) -> str:
        """The machine's model, such as ``Raspberry Pi 4 Model B``; ``""`` if the kernel does not report one."""
        return self.text("/proc/device-tree/model")

    def header(self) -> Header:
        """Read the GPIO chip of the Pi's header without requesting a pin. Raises `DeviceError` if that fails."""
        path = str(header_chip())
        try:
            with load_gpiod().Chip(path) as chip:
                label = chip.get_info().label
                lines = [chip.get_line_info(pin) for pin in range(LAST_PIN + 1)]
        except OSError as error:
            raise DeviceError(f"the header's pins ({path}) cannot be read: {error}") from error
        return Header(path, label, {line.offset: line.consumer or NO_NAME for line in lines if line.used})

    def space(self, directory: Path) -> Space:
        found = os.statvfs(self.path(directory))
        return Space(found.f_bavail * found.f_frsize, bool(found.f_flag & os.ST_RDONLY))

    def write_s(self, directory: Path) -> float:
        """Write 4 KiB to a temporary file in *directory*, and return the duration in seconds. Raises ``OSError``."""
        with tempfile.TemporaryFile(dir=self.path(directory)) as file:
            began = time.monotonic()
            file.write(bytes(4096))
            file.flush()
            os.fsync(file.fileno())
            return time.monotonic() - began

    def mixer(self, device: str | None) -> list[MixerControl]:
        return mixer_controls(device)

    @property
    def bluetooth_port(self) -> str:
        """The serial port of the Pi's Bluetooth, which is not on the header, or ``""`` if it is not known."""
        port = self.real(BLUETOOTH) if self.has(BLUETOOTH) else ""
        return "" if self.has(HEADER) and self.real(HEADER) == port else port

    def serial_ports(self) -> dict[str, str]:
        from serial.tools.list_ports import comports

        found = {port.device: port.description for port in sorted(comports())}
        for name in filter(self.has, HEADER_UARTS):  # the library lists them on some Pis only
            found.setdefault(self.real(name), "the header's serial port")
        return {port: what for port, what in found.items() if port not in (DEBUG_SOCKET, self.bluetooth_port)}

    def sound_cards(self) -> list[str]:
        return re.findall(r"^ *\d+ \[(\w+) *\]", self.text("/proc/asound/cards"), re.MULTILINE)

    def i2c_addresses(self, bus: int, addresses: Iterable[int]) -> list[int]:
        with closing(self.devices.open_i2c(bus)) as opened:
            return [address for address in addresses if _answers(opened, address)]

    @contextmanager
    def without_stderr(self) -> Iterator[None]:
        sys.stderr.flush()
        before = os.dup(STDERR)
        with Path(os.devnull).open("w") as null:
            os.dup2(null.fileno(), STDERR)
        try:
            yield
        finally:
            os.dup2(before, STDERR)
            os.close(before)

    def holders(self, device: str) -> list[Program]:
        return holders_of(device, self.root)

    async def output_of(self, *command: str, within_s: float = LONGEST_COMMAND_S) -> str | None:
        """Run *command* and return its standard output.

        Return ``None`` if the command is missing, fails, or takes longer than *within_s* seconds.
        """
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                # PYTHONPATH has the packages that only reboard uses
                env={**{name: value for name, value in os.environ.items() if name != "PYTHONPATH"}, "LC_ALL": "C"},
            )
        except OSError:
            return None
        try:
            async with asyncio.timeout(within_s):
                output, _ = await process.communicate()
        except TimeoutError:
            return None
        finally:
            if process.returncode is None:
                process.kill()
                with suppress(TimeoutError):
                    await asyncio.wait_for(process.wait(), ENDING_S)
        return output.decode(errors="replace").strip() if process.returncode == 0 else None

    async def run(self, *command: str | Path) -> None:
        """Run a *command* that changes the machine. Raises `ReboardError` if it fails or takes longer than 600 s."""
        words = [str(word) for word in command]
        if await self.output_of(*words, within_s=LONGEST_CHANGE_S) is None:
            raise ReboardError(f"this command failed: `{' '.join(words)}`. Run it with sudo to see why")

    async def fetch(self, url: str, timeout_s: float) -> str:
        """Return the text at *url*, without a proxy. Raises ``OSError``, or `HTTPError` for an error status."""
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

        def get() -> str:
            try:
                with opener.open(url, timeout=timeout_s) as answer:
                    return str(answer.read(MOST_READ_BYTES).decode(errors="replace"))
            except HTTPError as error:
                error.close()
                raise

        return await self.in_thread(get)

    async def in_thread(self, work: Callable[[], T]) -> T:
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T] = loop.create_future()

        def settle(result: T | None, error: Exception | None) -> None:
            if done.done():
                return
            if error:
                done.set_exception(error)
            else:
                done.set_result(cast(T, result))

        def run() -> None:
            result, error = None, None
            try:
                result = work()
            except Exception as problem:
                error = problem
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(settle, result, error)

        threading.Thread(target=run, name="check", daemon=True).start()
        return await done


def _lets(path: Path, user: str, needed: int) -> bool:
    """Return whether *user* has the permission bits *needed* on *path*; true if the user or *path* does not exist.

    The modes of parent directories are not checked.
    """
    try:
        found, who = path.stat(), pwd.getpwnam(user)
    except (OSError, KeyError):
        return True
    return not who.pw_uid or _bits(found, who) & needed == needed


def _bits(found: os.stat_result, who: pwd.struct_passwd) -> int:
    if found.st_uid == who.pw_uid:
        return found.st_mode >> 6
    if found.st_gid in os.getgrouplist(who.pw_name, who.pw_gid):
        return found.st_mode >> 3
    return found.st_mode


def _answers(bus: I2cBus, address: int) -> bool:
    try:
        bus.read_byte(address)
    except OSError as error:
        if error.errno not in NO_ANSWER:
            raise
        return False
    return True
