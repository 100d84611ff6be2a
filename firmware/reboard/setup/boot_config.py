"""The boot settings of a Pi: ``config.txt``, and the kernel's command line in ``cmdline.txt``.

All settings of reboard in ``config.txt`` are in one marked block, which `BootConfig.undo` removes.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Collection, Sequence
from functools import partial
from typing import NamedTuple

from reboard.atomic_write import write_safely
from reboard.config.pins_and_ports import BOOT_CONFIG
from reboard.devices.sound_card import I2S_AMPLIFIER, OVERLAY, OVERLAYS
from reboard.devices.spi_bus import SpiConfig
from reboard.doctor.machine import Machine
from reboard.errors import ReboardError
from reboard.setup.prompts import Prompts
from reboard.table_config import TableConfig

BEGIN = "# reboard: begin. `sudo reboard setup boot --undo` removes this."
BEGINS = "# reboard: begin."
"""The beginning of `BEGIN`, which is the same in every version."""
END = "# reboard: end"
TAKEN = "# taken from cmdline.txt: "
EVERY_PI = "[all]"

_SERIAL_CONSOLE = re.compile(r"console=(?:serial0|ttyAMA0|ttyS0)(?:,\S+)?")


class Setting(NamedTuple):
    """A *line* of ``config.txt`` for the Pis of *section*, and the end of the sentence ``It …``."""

    line: str
    why: str
    section: str = EVERY_PI


SETTINGS = (
    # the kernel resets a pin when the program that uses it exits
    Setting("dtparam=strict_gpiod", "stops the motor if reboard crashes"),
    Setting("dtparam=i2c_arm=on", "turns on the bus of the display (I²C, pins 2 and 3)"),
    Setting("enable_uart=1", "turns on the header's serial port (pins 14 and 15), for a card reader there"),
)
SPI = Setting("dtparam=spi=on", "turns on the SPI bus (pins 8 to 11)")
AMPLIFIER = Setting(OVERLAY, "turns on an I²S amplifier (pins 18, 19 and 21)")
PI_5 = Setting("dtparam=uart0=on", "turns on the header's serial port of a Pi 5", "[pi5]")
INITRAMFS = "auto_initramfs=1"
"""The line that loads the initramfs which belongs to the kernel."""

DEBIANS_OWN = "/etc/default/raspi-firmware-custom"
"""The file that Debian's package ``raspi-firmware`` inserts into ``config.txt``, which it writes at each update of the
kernel and which names this file. The package of Raspberry Pi OS with the same name leaves ``config.txt`` alone."""


class Change(NamedTuple):
    """A change of this machine: *what* changes, *why*, and the function that makes the change."""

    what: str
    why: str
    do: Callable[[], Awaitable[None] | None]


class BootConfig:
    """The ``config.txt`` of *machine*, and the ``cmdline.txt`` in the same folder."""

    def __init__(self, machine: Machine) -> None:
        self.file = machine.path(BOOT_CONFIG)
        self.command_line = self.file.with_name("cmdline.txt")

    def changes(self, needed: Collection[Setting] = ()) -> list[Change]:
        """Return the changes that are missing for every table, and for the settings *needed* by its config.

        Raises `ReboardError` if they would not last.
        """
        self.must_last()
        before, block, after = self._split()
        owners, console = [*before, *after], self._console()
        settings = [*SETTINGS, *(each for each in (SPI, AMPLIFIER) if each in needed or each.line in (block or ()))]
        if any(line.strip().startswith(OVERLAYS) for line in owners):
            settings = [setting for setting in settings if setting is not AMPLIFIER]
        taken = dict.fromkeys([*self._taken(), *console])
        record = [TAKEN + " ".join(taken)] if taken else []
        settings_of_5 = [PI_5.section, PI_5.line, EVERY_PI]
        # at the end no other line overrides it
        lines = [*owners, BEGIN, EVERY_PI, *(each.line for each in settings), *record, *settings_of_5, END]
        changes = []
        if lines != self._lines():
            what = "".join(f"\n    {setting.line}: {setting.why}" for setting in (*settings, PI_5))
            changes.append(Change(f"Write to the end of {self.file}:{what}", "", partial(self._write, lines)))
        if console:
            what = f"Remove {' '.join(console)} from {self.command_line}"
            why = "Ends the login on the header's serial port, which would disturb a card reader there."
            words = [word for word in self.words() if word not in console]
            changes.append(Change(what, why, partial(self.write_words, words)))
        return changes

    def must_last(self) -> None:
        """Raise `ReboardError` if the next update of the kernel overwrites the boot settings."""
        if DEBIANS_OWN in self.file.read_text(encoding="utf-8", errors="replace"):
            raise ReboardError(
                f"this is Debian's own image for the Pi: each update of its kernel overwrites {self.file} and "
                f"{self.command_line}. Use Raspberry Pi OS, or write what you need into {DEBIANS_OWN} yourself"
            )

    def undo(self) -> list[Change]:
        """Return the changes that remove all settings of reboard."""
        if self._split()[1] is None:
            return []
        taken = " ".join(self._taken())
        why = f"Also puts {taken} back into {self.command_line}." if taken else ""
        return [Change(f"Remove reboard's lines from {self.file}", why, self._remove)]

    def loads_initramfs(self) -> bool:
        """Return whether the Pi loads an initramfs at its next start."""
        lines = [line.strip() for line in self._lines()]
        automatic = [line for line in lines if line.startswith("auto_initramfs=")]
        return automatic[-1:] == [INITRAMFS] or any(line.split()[:1] == ["initramfs"] for line in lines)

    def _remove(self) -> None:
        before, _, after = self._split()
        words = self.words()
        if taken := [word for word in self._taken() if word not in words]:
            self.write_words([*taken, *words])
        self._write([*before, *after])

    def words(self) -> list[str]:
        """Return the words of the kernel's command line at the next start. Other lines of the file are ignored."""
        return self._command_lines()[0].split()

    def write_words(self, words: Sequence[str]) -> None:
        """Write *words* as the kernel's command line at the next start. Raises ``OSError``."""
        lines = [" ".join(words) + "\n", *self._command_lines()[1:]]
        write_safely(self.command_line, "".join(lines).encode(errors="surrogateescape"))

    def _command_lines(self) -> list[str]:
        if not self.command_line.is_file():
            return [""]
        return self.command_line.read_text(encoding="utf-8", errors="surrogateescape").splitlines(keepends=True) or [""]

    def _console(self) -> list[str]:
        return [word for word in self.words() if _SERIAL_CONSOLE.fullmatch(word)]

    def _taken(self) -> list[str]:
        block = self._split()[1] or []
        words = (word for line in block if line.startswith(TAKEN) for word in line.removeprefix(TAKEN).split())
        return list(dict.fromkeys(words))

    def _split(self) -> tuple[list[str], list[str] | None, list[str]]:
        """Return the lines before the block, in it (``None`` without a block), and after it."""
        lines = self._lines()
        begin = next((number for number, line in enumerate(lines) if line.startswith(BEGINS)), None)
        if begin is None:
            return lines, None, []
        if END not in lines[begin:]:
            raise ReboardError(f"{self.file}: reboard's lines after line {begin + 1} have no end. Add the line `{END}`")
        end = lines.index(END, begin)
        return lines[:begin], lines[begin + 1 : end], lines[end + 1 :]

    def _lines(self) -> list[str]:
        return self.file.read_text(encoding="utf-8", errors="surrogateescape").splitlines()

    def _write(self, lines: Sequence[str]) -> None:
        write_safely(self.file, "".join(f"{line}\n" for line in lines).encode(errors="surrogateescape"))


def settings_for(config: TableConfig) -> list[Setting]:
    """Return the settings that the devices and the wiring of *config* need, besides those of every table."""
    settings = [SPI] if any(isinstance(device.config, SpiConfig) for device in config.devices()) else []
    return [*settings, AMPLIFIER] if config.wiring.speaker == I2S_AMPLIFIER else settings


def find_boot_config(machine: Machine) -> BootConfig | None:
    """Return the boot config of *machine*, or ``None`` if it has no ``config.txt``."""
    return BootConfig(machine) if machine.path(BOOT_CONFIG).is_file() else None


def boot_config_of(machine: Machine) -> BootConfig:
    """Return the boot config of *machine*. Raises `ReboardError` if it has no ``config.txt``."""
    if boot := find_boot_config(machine):
        return boot
    raise ReboardError(
        f"there is no {BOOT_CONFIG}, the file with a Raspberry Pi's boot settings. Run this command on the Pi; if "
        "this is a Pi, mount its boot partition at /boot/firmware"
    )


def show(changes: Sequence[Change], prompts: Prompts) -> None:
    """Print *changes* at the terminal of *prompts*."""
    for change in changes:
        for line in f"- {change.what}. {change.why}".rstrip().splitlines():
            prompts.say(line)


async def make(changes: Sequence[Change], prompts: Prompts, *, is_sure: bool = False) -> bool:
    """Ask the user, unless *is_sure*, and make *changes*. Return whether they were made. Raises ``OSError``."""
    if not is_sure and not await prompts.yes("Make these changes?"):
        prompts.say("Nothing was changed.")
        return False
    for change in changes:
        if (doing := change.do()) is not None:
            await doing
    prompts.say("The changes take effect when the Pi restarts: `sudo reboot`.")
    return True
