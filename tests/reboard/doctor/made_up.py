"""Machines made of a few files, what commands print on them, and virtual devices: to be shown to the doctor."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import TypeVar
from urllib.error import URLError

from reboard.board import MixerControl
from reboard.commands.doctor import run_checks
from reboard.config.reading import parse_toml
from reboard.devices.examination import Space
from reboard.doctor.machine import Header, Machine
from reboard.errors import DeviceError
from reboard.finding import Finding, Level
from reboard.setup.boot_config import BootConfig
from reboard.table_config import parse_config
from reboard_sim.board.sound_card import VirtualSoundCard
from reboard_sim.virtual_pi import VirtualPi

T = TypeVar("T")

TABLE = """
edition = "world"
[block]
button = 17
lamp = 27
[apple]
lever = 22
motor = 13
[bank]
left = { reader = "rdm6300", port = "/dev/reboard-left" }
right = { reader = "rdm6300", port = "/dev/ttyAMA0" }
keypad = { rows = [23, 24, 25, 12], columns = [5, 6, 16, 26] }
display = { driver = "hd44780-i2c", address = 0x27 }
[speaker]
[page]
listen = "0.0.0.0:8080"
"""
"""A whole table, its right reader on the header."""

WATCHDOG = (
    "busctl get-property org.freedesktop.systemd1 /org/freedesktop/systemd1 org.freedesktop.systemd1.Manager"
    " RuntimeWatchdogUSec"
)

A_TABLE = '{"edition": "world", "cards": []}'


class MadeUpMachine(Machine):
    """A machine as its attributes say; what is not said is not there."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.who = "anna"
        self.came_as = ""
        self.kept_from: set[str] = set()
        self.not_theirs: set[tuple[str, str]] = set()
        self.commands: dict[str, str] = {}
        self.units: dict[str, dict[str, str]] = {}
        self.called: list[str] = []
        self.hangs: set[str] = set()
        self.pins: Header | str = "this machine has no GPIO chip in /dev"
        self.disk = Space(free_bytes=20_000_000_000, is_read_only=False)
        self.write_takes_s: float | OSError = 0.004
        self.controls: list[MixerControl] = []
        self.ports: dict[str, str] = {}
        self.pages: dict[str, str | OSError] = {}

    def write(self, name: str, text: str = "") -> None:
        """Put a file there."""
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def link(self, name: str, to: str) -> None:
        """Put a link there, to a file beside it or, for what processes hold, an absolute one."""
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(to)

    def remove(self, name: str) -> None:
        """Take a file away."""
        self.path(name).unlink()

    def may_use(self, name: str | Path) -> bool:
        return str(name) not in self.kept_from

    def may_write(self, user: str, name: str | Path) -> bool:
        return (user, str(name)) not in self.not_theirs

    def may_be_read_by(self, user: str, file: Path) -> bool:
        return (user, str(file)) not in self.not_theirs

    def may_read(self, file: Path) -> bool:
        return str(file) not in self.kept_from

    @property
    def user(self) -> str:
        return self.who

    @property
    def caller(self) -> str:
        return self.came_as or self.who

    def header(self) -> Header:
        if isinstance(self.pins, str):
            raise DeviceError(self.pins)
        return self.pins

    def taken_by(self, **users: str) -> None:
        """Somebody has pins: ``GPIO4="onewire@0"``."""
        assert isinstance(self.pins, Header)
        self.pins = self.pins._replace(users={int(pin.removeprefix("GPIO")): user for pin, user in users.items()})

    def space(self, directory: Path) -> Space:
        return self.disk

    def write_s(self, directory: Path) -> float:
        if isinstance(self.write_takes_s, OSError):
            raise self.write_takes_s
        return self.write_takes_s

    def mixer(self, device: str | None) -> list[MixerControl]:
        return self.controls

    def serial_ports(self) -> dict[str, str]:
        return self.ports

    async def output_of(self, *command: str, within_s: float | None = None) -> str | None:
        self.called.append(shlex.join(command))
        try:
            async with asyncio.timeout(within_s):
                await self._hang_at(command[0])
        except TimeoutError:
            return None
        if command[:2] == ("systemctl", "show"):
            return "\n\n".join(self._shown(unit) for unit in command[3:]) if self.units else None
        return self.commands.get(shlex.join(command))

    async def fetch(self, url: str, timeout_s: float) -> str:
        answer = self.pages.get(url, URLError(ConnectionRefusedError(111, "Connection refused")))
        if isinstance(answer, OSError):
            raise answer
        return answer

    async def in_thread(self, work: Callable[[], T]) -> T:
        await self._hang_at("work")
        return work()

    async def _hang_at(self, what: str) -> None:
        if what in self.hangs:
            await asyncio.Event().wait()

    def _shown(self, unit: str) -> str:
        facts = {"Id": unit, "LoadState": "not-found", "ActiveState": "inactive"} | self.units.get(unit, {})
        return "\n".join(f"{name}={value}" for name, value in facts.items())


def installed(**facts: str) -> dict[str, str]:
    """A service that is installed and at work, but for what *facts* say."""
    well = {"LoadState": "loaded", "ActiveState": "active", "SubState": "running", "NRestarts": "0"}
    return well | {"Result": "success", "UnitFileState": "enabled", "User": "reboard"} | facts


def good_pi_4(root: Path) -> MadeUpMachine:
    """A Pi 4 with trixie, on which everything is as it should be; the service is stopped."""
    pi = MadeUpMachine(root)
    pi.write("/proc/device-tree/model", "Raspberry Pi 4 Model B Rev 1.5\0")
    pi.write("/proc/version", "Linux")
    pi.write("/proc/cmdline", "console=tty1 root=PARTUUID=4e63a1c4-02 rootfstype=ext4")
    pi.write("/proc/sys/kernel/osrelease", "6.12.25+rpt-rpi-v8\n")
    pi.write("/proc/asound/cards", " 0 [Device]: USB-Audio - USB Audio Device\n")
    pi.write("/etc/os-release", 'PRETTY_NAME="Debian GNU/Linux 13 (trixie)"\nVERSION_CODENAME=trixie\n')
    pi.write("/sys/module/pinctrl_bcm2835/parameters/persist_gpio_outputs", "N\n")
    pi.write("/sys/fs/ext4/mmcblk0p2/errors_count", "0\n")
    pi.write("/boot/firmware/config.txt")
    pi.write("/boot/firmware/cmdline.txt", "console=tty1 root=PARTUUID=4e63a1c4-02 rootfstype=ext4\n")
    for change in BootConfig(pi).changes():
        change.do()
    for device in ("/dev/watchdog", "/dev/ttyUSB0", "/dev/ttyAMA0", "/dev/i2c-1", "/dev/snd/pcmC0D0p"):
        pi.write(device)
    pi.link("/dev/reboard-left", "ttyUSB0")
    pi.path("/var/lib/reboard").mkdir(parents=True)
    pi.pins = Header("/dev/gpiochip0", "pinctrl-bcm2711", {})
    pi.commands = {
        "id -nG reboard": "reboard gpio dialout audio input i2c",
        "timedatectl show": "NTP=yes\nNTPSynchronized=yes",
        "vcgencmd get_throttled": "throttled=0x0",
        WATCHDOG: "t 10000000",
    }
    pi.units = {"reboard.service": installed(ActiveState="inactive"), "reboard-page.service": installed()}
    pi.pages["http://127.0.0.1:8080/api/table"] = A_TABLE
    return pi


class Examined:
    """What the doctor said, and how long that took."""

    def __init__(self, findings: Sequence[Finding], seconds: float = 0.0) -> None:
        self.findings = findings
        self.seconds = seconds

    def __getitem__(self, name: str) -> Finding:
        """The one finding called *name*."""
        [found] = [finding for finding in self.findings if finding.name == name]
        return found

    def __contains__(self, name: str) -> bool:
        return name in [finding.name for finding in self.findings]

    @property
    def wrong(self) -> list[str]:
        """The names of what is wrong."""
        return [finding.name for finding in self.findings if finding.level is Level.WRONG]


async def examined(
    machine: MadeUpMachine,
    config: str = TABLE,
    *,
    wired: str | None = None,
    hands: Callable[[VirtualPi], object] = lambda _: None,
) -> Examined:
    """Show *machine* with a config to the doctor. *wired* is what is really plugged in, if not what the config says,
    and *hands* do something there before."""
    file = machine.root / "table.toml"
    file.write_text(config)
    loop = asyncio.get_running_loop()
    document, _ = parse_toml((wired or config).encode(), file)
    pi = VirtualPi(parse_config(document, path=file), loop.time, rng=Random(5), sound_card=VirtualSoundCard())
    pi.power_on()
    hands(pi)
    machine.devices = pi
    try:
        return Examined([finding async for finding in run_checks(machine, file)], loop.time())
    finally:
        pi.close()
