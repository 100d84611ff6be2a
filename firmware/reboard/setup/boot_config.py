"""The boot settings of a Pi: ``config.txt``, and the kernel's command line in ``cmdline.txt``.

All settings of reboard in ``config.txt`` are in one marked block, which `BootConfig.undo` removes.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from reboard.atomic_write import write_safely
from reboard.config.pins_and_ports import BOOT_CONFIG
from reboard.devices.sound_card import OVERLAY, OVERLAYS
from reboard.doctor.machine import Machine
from reboard.errors import ReboardError
from reboard.setup.prompts import Prompts

BEGIN = "# reboard: begin. `sudo reboard setup boot --undo` removes this."
BEGINS = "# reboard: begin."
"""The beginning of `BEGIN`, which is the same in every version."""
END = "# reboard: end"
TAKEN = "# taken from cmdline.txt: "
EVERY_PI = "[all]"

_VALUES = {"": "on", "1": "on", "true": "on", "yes": "on"}
"""The values of a parameter that mean ``on``."""

_SERIAL_CONSOLE = re.compile(r"console=(?:serial0|ttyAMA0|ttyS0)(?:,\S+)?")


class Setting(NamedTuple):
    """A *line* of ``config.txt`` for the Pis of *section*."""

    line: str
    why: str
    section: str = EVERY_PI


SETTINGS = (
    # the kernel resets a pin when the program that uses it exits
    Setting("dtparam=strict_gpiod", "The kernel stops the motor if reboard crashes."),
    Setting("dtparam=i2c_arm=on", "Turns on the bus of the display (I²C, pins 2 and 3)."),
    Setting("enable_uart=1", "Turns on the header's serial port (pins 14 and 15), for a card reader there."),
    Setting("dtparam=uart0=on", "The same on a Pi 5. Other Pis ignore it.", "[pi5]"),
)
INITRAMFS = Setting("auto_initramfs=1", "Loads the initramfs that belongs to the kernel.")
AMPLIFIER = Setting(OVERLAY, "Turns on an I²S amplifier (pins 18, 19 and 21).")


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

    def changes(self, *, with_amplifier: bool = False) -> list[Change]:
        """Return the changes that are missing. *with_amplifier* includes the overlay of an I²S amplifier."""
        changes = [
            Change(f"Add {setting.line} to {self.file}", setting.why, partial(self._add, setting))
            for setting in SETTINGS
            if not self.has(setting)
        ]
        if with_amplifier and not any(line.startswith(OVERLAYS) for line in self._lines()):
            changes.append(Change(f"Add {OVERLAY} to {self.file}", AMPLIFIER.why, partial(self._add, AMPLIFIER)))
        if console := self._console():
            what = f"Remove {' '.join(console)} from {self.command_line}"
            why = "Ends the login on the header's serial port, which would disturb a card reader there."
            changes.append(Change(what, why, self._take_console))
        return changes

    def undo(self) -> list[Change]:
        """Return the changes that remove all settings of reboard."""
        if self._split()[1] is None:
            return []
        taken = " ".join(self._taken())
        why = f"Also puts {taken} back into {self.command_line}." if taken else ""
        return [Change(f"Remove reboard's lines from {self.file}", why, self._remove)]

    def has(self, setting: Setting) -> bool:
        """Return whether *setting* is the last line about its parameter for the Pis of its section."""
        sections, [(wanted, needed)] = (EVERY_PI, setting.section), _settings(setting.line)
        lines = (line for section, line in _with_sections(self._lines()) if section in sections)
        values = [value for line in lines for name, value in _settings(line) if name == wanted]
        return values[-1:] == [needed]

    def loads_initramfs(self) -> bool:
        """Return whether the Pi loads an initramfs at its next start."""
        return self.has(INITRAMFS) or any(line.split()[:1] == ["initramfs"] for line in self._lines())

    def _add(self, setting: Setting) -> None:
        self._add_to_block(setting.section, setting.line)

    def _add_to_block(self, *lines: str) -> None:
        """Add *lines* to the block, and move it to the end, where no other line overrides it."""
        before, block, after = self._split()
        kept = [line for line in block or [] if line not in lines or line.startswith("[")]
        self._write([*before, *after, *_marked([*kept, *lines])])

    def _take_console(self) -> None:
        """Remove the serial console from the kernel's command line, and record it in the block."""
        console = self._console()
        self._add_to_block(TAKEN + " ".join(console))
        self.write_words([word for word in self.words() if word not in console])

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
        prompts.say(f"- {change.what}. {change.why}".rstrip())


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


def _settings(line: str) -> list[tuple[str, str]]:
    """Return the settings of *line*, such as ``[("audio", "on"), ("i2c_arm", "on")]``, each with its name and value.

    The firmware reads a line ``dtparam=`` as a list. ``i2c`` is its alias for ``i2c_arm``, and a parameter without a
    value is on (https://www.raspberrypi.com/documentation/computers/configuration.html#part3.2).
    """
    name, _, value = line.partition("=")
    if name not in ("dtparam", "device_tree_param"):
        return [(name, value)]
    parameters = (parameter.partition("=") for parameter in value.split(","))
    return [("i2c_arm" if name == "i2c" else name, _VALUES.get(value, value)) for name, _, value in parameters]


def _marked(block: Sequence[str]) -> list[str]:
    """Return the *block* between its marks, with each section once. The lines after it are for every Pi."""
    sections: dict[str, list[str]] = {EVERY_PI: []}
    for section, line in _with_sections(block):
        sections.setdefault(section, []).append(line)
    lines = [line for section, inside in sections.items() for line in (section, *inside)]
    return [BEGIN, *lines, *([EVERY_PI] if len(sections) > 1 else []), END]


def _with_sections(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield each line that is not a section header, with its section."""
    section = EVERY_PI
    for line in map(str.strip, lines):
        if line.startswith("["):
            section = line
        else:
            yield section, line
