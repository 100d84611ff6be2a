"""The machine that a table is on, as `reboard doctor` and `reboard setup` look at it: files, commands and devices."""

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

from reboard.board import Devices, I2cBus
from reboard.errors import PartError
from reboard.header import header_chip, load_lgpio
from reboard.parts.sinks.alsa_mixer import MixerControl, mixer
from reboard.raspberry_pi import LinuxDevices
from reboard.settings.pins_and_ports import DEBUG_SOCKET, HEADER_UARTS, LAST_PIN

T = TypeVar("T")

MOST_READ_BYTES = 1_000_000
"""No file that is looked at is longer."""

NOBODY_ANSWERS = (121, errno.ENXIO, errno.ENODEV)
"""What an I²C bus says of an address where nobody is. Linux asks drivers for ENXIO (Documentation/i2c/fault-codes.rst),
a Pi's says EREMOTEIO, a name that only Linux has for 121, and others say ENODEV."""

STDERR = 2

LONGEST_COMMAND_S = 10.0
"""How long a command may take, unless whoever calls it says otherwise."""

ENDING_S = 1.0
"""How long a command that was killed may take to go."""

USED = 1
"""The bit in a GPIO line's flags that says that somebody has it."""


class Header(NamedTuple):
    """The pins of a Pi's header: the number and label of their chip, and by its BCM number who has which pin."""

    chip: int
    label: str
    users: Mapping[int, str]


class Space(NamedTuple):
    """A file system: how much is free on it, and whether it can only be read."""

    free_bytes: int
    is_read_only: bool


class Machine:
    """This machine; its files begin at *root*. What cannot be had here is nothing: no text, no file, no answer."""

    def __init__(self, root: Path = Path("/"), devices: Devices | None = None) -> None:
        self.root = root
        self.devices = devices or LinuxDevices()

    def path(self, name: str | Path) -> Path:
        """Where the absolute path *name* lies."""
        return self.root / str(name).lstrip("/")

    def has(self, name: str | Path) -> bool:
        """Whether there is such a file."""
        return os.path.lexists(self.path(name))

    def text(self, name: str | Path) -> str:
        """What the file *name* says, without what is blank at its end."""
        try:
            with self.path(name).open("rb") as file:
                return file.read(MOST_READ_BYTES).decode(errors="replace").rstrip("\0 \n")
        except OSError:
            return ""

    def named(self, pattern: str) -> list[str]:
        """The files whose absolute path is like *pattern*, in their order."""
        found = self.root.glob(pattern.lstrip("/"))
        return sorted(f"/{path.relative_to(self.root)}" for path in found)

    def real(self, name: str) -> str:
        """Where links lead from *name*."""
        with suppress(OSError, ValueError):
            return f"/{self.path(name).resolve().relative_to(self.root.resolve())}"
        return name

    def may_use(self, name: str | Path) -> bool:
        """Whether who looks may read and write the file *name*. One that is not there nobody is kept from."""
        return not self.has(name) or os.access(self.path(name), os.R_OK | os.W_OK)

    def may_read(self, file: Path) -> bool:
        """Whether who looks may read *file*, wherever it lies."""
        return os.access(file, os.R_OK)

    def may_write(self, user: str, name: str | Path) -> bool:
        """Whether *user* may write *name*, a file or a directory. One who is not known is kept from nothing."""
        path = self.path(name)
        return _lets(path, user, 0o3 if path.is_dir() else 0o2)

    def may_be_read_by(self, user: str, file: Path) -> bool:
        """Whether *user* may read *file*, wherever it lies. One who is not known is kept from nothing."""
        return _lets(file, user, 0o4)

    @property
    def user(self) -> str:
        """Who looks."""
        try:
            return pwd.getpwuid(os.geteuid()).pw_name
        except KeyError:
            return f"user {os.geteuid()}"

    @property
    def caller(self) -> str:
        """Who sits at the terminal: `user`, or whoever became that with sudo."""
        return os.environ.get("SUDO_USER") or self.user

    @property
    def model(self) -> str:
        """What the machine calls itself; ``""`` where the kernel does not know."""
        return self.text("/proc/device-tree/model")

    def header(self) -> Header:
        """The Pi's header. Takes no pin. Raises `PartError` when there is none, or it may not be looked at."""
        lgpio = load_lgpio()
        number = header_chip(lgpio)
        chip = lgpio.gpiochip_open(number)
        try:
            label = lgpio.gpio_get_chip_info(chip)[3]
            lines = [lgpio.gpio_get_line_info(chip, pin) for pin in range(LAST_PIN + 1)]
        except lgpio.error as error:
            raise PartError(f"the header's pins, gpiochip{number}, cannot be looked at: {error}") from error
        finally:
            lgpio.gpiochip_close(chip)
        return Header(number, label, {pin: user for _, pin, flags, _, user in lines if flags & USED})

    def space(self, directory: Path) -> Space:
        """The file system that *directory* is on. Raises ``OSError``."""
        found = os.statvfs(self.path(directory))
        return Space(found.f_bavail * found.f_frsize, bool(found.f_flag & os.ST_RDONLY))

    def write_s(self, directory: Path) -> float:
        """How many seconds a small write into *directory* takes until the disk has it. Raises ``OSError``."""
        with tempfile.TemporaryFile(dir=self.path(directory)) as file:
            began = time.monotonic()
            file.write(bytes(4096))
            file.flush()
            os.fsync(file.fileno())
            return time.monotonic() - began

    def mixer(self, device: str | None) -> list[MixerControl]:
        """The volume controls of the sound card behind the ALSA *device*, as far as somebody can tell."""
        return mixer(device)

    def serial_ports(self) -> dict[str, str]:
        """The serial lines that are there, each with what it is: a ``CP2102 USB to UART Bridge``."""
        from serial.tools.list_ports import comports

        found = {port.device: port.description for port in sorted(comports())}
        for name in filter(self.has, HEADER_UARTS):  # which the library knows of some Pis only
            if (real := self.real(name)) != DEBUG_SOCKET:
                found.setdefault(real, "the header's serial port")
        return found

    def sound_cards(self) -> list[str]:
        """The sound cards that Linux knows, as ALSA calls them: ``Device``, ``vc4hdmi0``."""
        return re.findall(r"^ *\d+ \[(\w+) *\]", self.text("/proc/asound/cards"), re.MULTILINE)

    def who_answers(self, bus: int, addresses: Iterable[int]) -> list[int]:
        """Which of *addresses* on I²C *bus* answer when they are read from. Waits; raises ``OSError``."""
        with closing(self.devices.open_i2c(bus)) as opened:
            return [address for address in addresses if _answers(opened, address)]

    @contextmanager
    def hushed(self) -> Iterator[None]:
        """Let libraries that write past us, onto standard error, write to nobody."""
        sys.stderr.flush()
        before = os.dup(STDERR)
        with Path(os.devnull).open("w") as nobody:
            os.dup2(nobody.fileno(), STDERR)
        try:
            yield
        finally:
            os.dup2(before, STDERR)
            os.close(before)

    def holders(self, device: str) -> list[str]:
        """Which processes have *device* open, by name and number: all of them for root, else one's own."""
        real, found = self.real(device), set()
        for process in self.root.glob("proc/[0-9]*"):
            with suppress(OSError):  # it is somebody else's, or has just ended
                if any(str(link.readlink()) == real for link in (process / "fd").iterdir()):
                    name = self.text(f"/proc/{process.name}/comm") or "a program"
                    found.add(f"{name} (process {process.name})")
        return sorted(found)

    async def said(self, *command: str, within_s: float = LONGEST_COMMAND_S) -> str | None:
        """What *command* prints; ``None`` when it is not here, fails, or is not done *within_s* and is ended."""
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

    async def fetched(self, url: str, timeout_s: float) -> str:
        """What this machine's own web server answers. Raises ``OSError`` when it does not, `HTTPError` for no 200."""
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

        def fetch() -> str:
            try:
                with opener.open(url, timeout=timeout_s) as answer:
                    return str(answer.read(MOST_READ_BYTES).decode(errors="replace"))
            except HTTPError as error:
                error.close()
                raise

        return await self.apart(fetch)

    async def apart(self, work: Callable[[], T]) -> T:
        """Do *work* in a thread of its own. One that hangs is left behind when the waiting is called off."""
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
            with suppress(RuntimeError):  # the loop is closed: nobody is left to be told
                loop.call_soon_threadsafe(settle, result, error)

        threading.Thread(target=run, name="look", daemon=True).start()
        return await done


def _lets(path: Path, user: str, needed: int) -> bool:
    """Whether the mode of *path* lets *user* do all that is *needed*. Folders above it are not looked at."""
    try:
        found, who = path.stat(), pwd.getpwnam(user)
    except (OSError, KeyError):
        return True
    return not who.pw_uid or _bits(found, who) & needed == needed


def _bits(found: os.stat_result, who: pwd.struct_passwd) -> int:
    """What the file's mode lets somebody do: as its owner, or one of its group, or anybody."""
    if found.st_uid == who.pw_uid:
        return found.st_mode >> 6
    if found.st_gid in os.getgrouplist(who.pw_name, who.pw_gid):
        return found.st_mode >> 3
    return found.st_mode


def _answers(bus: I2cBus, address: int) -> bool:
    try:
        bus.read_byte(address)
    except OSError as error:
        if error.errno not in NOBODY_ANSWERS:
            raise
        return False
    return True
