"""The machine as `reboard doctor` and `reboard setup` see it: files, commands and devices."""

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

from reboard.board import Devices, I2cBus, MixerControl
from reboard.config.pins_and_ports import DEBUG_SOCKET, HEADER_UARTS, LAST_PIN
from reboard.devices.audio.alsa import mixer_controls
from reboard.devices.device import Space
from reboard.devices.gpio.chip import header_chip, load_lgpio
from reboard.errors import DeviceError
from reboard.raspberry_pi import LinuxDevices

T = TypeVar("T")

MOST_READ_BYTES = 1_000_000
"""The most bytes that are read of a file."""

NO_ANSWER = (121, errno.ENXIO, errno.ENODEV)
"""The errors of an I²C bus when no device answers at an address. Linux asks drivers for ENXIO
(Documentation/i2c/fault-codes.rst). A Pi's driver raises 121, which only Linux calls EREMOTEIO; others raise ENODEV."""

STDERR = 2

LONGEST_COMMAND_S = 10.0
"""The longest run of a command by default."""

ENDING_S = 1.0
"""The longest time that a killed command may take to end."""

USED = 1
"""The bit in the flags of a GPIO line that is in use."""


class Header(NamedTuple):
    """The pins of a Pi's header: the number and label of their chip, and the users of pins by BCM number."""

    chip: int
    label: str
    users: Mapping[int, str]


class Machine:
    """This machine, with its files below *root*. A file or command that cannot be used gives no exception."""

    def __init__(self, root: Path = Path("/"), devices: Devices | None = None) -> None:
        self.root = root
        self.devices = devices or LinuxDevices()

    def path(self, name: str | Path) -> Path:
        """Return where the absolute path *name* is stored."""
        return self.root / str(name).lstrip("/")

    def has(self, name: str | Path) -> bool:
        """Return whether there is a file *name*."""
        return os.path.lexists(self.path(name))

    def text(self, name: str | Path) -> str:
        """Return the text of the file *name*, without white space at its end; ``""`` if it cannot be read."""
        try:
            with self.path(name).open("rb") as file:
                return file.read(MOST_READ_BYTES).decode(errors="replace").rstrip("\0 \n")
        except OSError:
            return ""

    def named(self, pattern: str) -> list[str]:
        """Return the files whose absolute path matches *pattern*, sorted."""
        found = self.root.glob(pattern.lstrip("/"))
        return sorted(f"/{path.relative_to(self.root)}" for path in found)

    def real(self, name: str) -> str:
        """Return *name* with its symbolic links resolved, or *name* itself if that fails."""
        with suppress(OSError, ValueError):
            return f"/{self.path(name).resolve().relative_to(self.root.resolve())}"
        return name

    def may_use(self, name: str | Path) -> bool:
        """Return whether the user may read and write the file *name*; true if there is none."""
        return not self.has(name) or os.access(self.path(name), os.R_OK | os.W_OK)

    def may_read(self, file: Path) -> bool:
        """Return whether the user may read *file*, also outside of *root*."""
        return os.access(file, os.R_OK)

    def may_write(self, user: str, name: str | Path) -> bool:
        """Return whether *user* may write *name*, a file or a directory; true for an unknown user."""
        path = self.path(name)
        return _lets(path, user, 0o3 if path.is_dir() else 0o2)

    def may_be_read_by(self, user: str, file: Path) -> bool:
        """Return whether *user* may read *file*, also outside of *root*; true for an unknown user."""
        return _lets(file, user, 0o4)

    @property
    def user(self) -> str:
        """The user who runs the command."""
        try:
            return pwd.getpwuid(os.geteuid()).pw_name
        except KeyError:
            return f"user {os.geteuid()}"

    @property
    def caller(self) -> str:
        """The user at the terminal: `user`, or the one who ran sudo."""
        return os.environ.get("SUDO_USER") or self.user

    @property
    def model(self) -> str:
        """The model, such as ``Raspberry Pi 4 Model B``; ``""`` if the kernel does not know it."""
        return self.text("/proc/device-tree/model")

    def header(self) -> Header:
        """Return the Pi's header, without requesting a pin. Raises `DeviceError` if it cannot be read."""
        lgpio = load_lgpio()
        number = header_chip(lgpio)
        chip = lgpio.gpiochip_open(number)
        try:
            label = lgpio.gpio_get_chip_info(chip)[3]
            lines = [lgpio.gpio_get_line_info(chip, pin) for pin in range(LAST_PIN + 1)]
        except lgpio.error as error:
            raise DeviceError(f"the header's pins, gpiochip{number}, cannot be read: {error}") from error
        finally:
            lgpio.gpiochip_close(chip)
        return Header(number, label, {pin: user for _, pin, flags, _, user in lines if flags & USED})

    def space(self, directory: Path) -> Space:
        """Return the space of the file system of *directory*. Raises ``OSError``."""
        found = os.statvfs(self.path(directory))
        return Space(found.f_bavail * found.f_frsize, bool(found.f_flag & os.ST_RDONLY))

    def write_s(self, directory: Path) -> float:
        """Return the seconds until a small file in *directory* is on the disk. Raises ``OSError``."""
        with tempfile.TemporaryFile(dir=self.path(directory)) as file:
            began = time.monotonic()
            file.write(bytes(4096))
            file.flush()
            os.fsync(file.fileno())
            return time.monotonic() - began

    def mixer(self, device: str | None) -> list[MixerControl]:
        """Return the volume controls of the sound card of an ALSA *device*."""
        return mixer_controls(device)

    def serial_ports(self) -> dict[str, str]:
        """Return the serial ports, each with a description: ``CP2102 USB to UART Bridge``."""
        from serial.tools.list_ports import comports

        found = {port.device: port.description for port in sorted(comports())}
        for name in filter(self.has, HEADER_UARTS):  # the library lists them on some Pis only
            if (real := self.real(name)) != DEBUG_SOCKET:
                found.setdefault(real, "the header's serial port")
        return found

    def sound_cards(self) -> list[str]:
        """Return the names that ALSA gives the sound cards: ``Device``, ``vc4hdmi0``."""
        return re.findall(r"^ *\d+ \[(\w+) *\]", self.text("/proc/asound/cards"), re.MULTILINE)

    def i2c_addresses(self, bus: int, addresses: Iterable[int]) -> list[int]:
        """Return which *addresses* on I²C *bus* answer a read. Blocks; raises ``OSError``."""
        with closing(self.devices.open_i2c(bus)) as opened:
            return [address for address in addresses if _answers(opened, address)]

    @contextmanager
    def without_stderr(self) -> Iterator[None]:
        """Discard what libraries write to standard error, past ``sys.stderr``."""
        sys.stderr.flush()
        before = os.dup(STDERR)
        with Path(os.devnull).open("w") as null:
            os.dup2(null.fileno(), STDERR)
        try:
            yield
        finally:
            os.dup2(before, STDERR)
            os.close(before)

    def holders(self, device: str) -> list[str]:
        """Return the processes that have *device* open. Only root sees those of other users."""
        real, found = self.real(device), set()
        for process in self.root.glob("proc/[0-9]*"):
            with suppress(OSError):  # of another user, or just ended
                if any(str(link.readlink()) == real for link in (process / "fd").iterdir()):
                    name = self.text(f"/proc/{process.name}/comm") or "a program"
                    found.add(f"{name} (process {process.name})")
        return sorted(found)

    async def output_of(self, *command: str, within_s: float = LONGEST_COMMAND_S) -> str | None:
        """Return what *command* prints; ``None`` if it is missing, fails, or takes longer than *within_s*."""
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                env={**os.environ, "LC_ALL": "C"},
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

    async def fetch(self, url: str, timeout_s: float) -> str:
        """Return the answer of this machine's own web server. Raises ``OSError`` or `HTTPError`."""
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
        """Run *work* in a thread, which is left behind if the caller is cancelled."""
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
    """Return whether the mode of *path* gives *user* the *needed* rights. Directories above it are not checked."""
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
