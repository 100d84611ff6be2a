"""The boot settings of a Pi: ``config.txt`` and the kernel's command line, ``cmdline.txt``.

All settings of reboard are in one marked block. `undo` removes the block.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from installer.steps import Step
from installer.target import Target

PLACES = (Path("/boot/firmware/config.txt"), Path("/boot/config.txt"))
"""Debian 12 (bookworm) and later, and before."""

BEGIN = "# reboard: begin. `sudo systemd/install uninstall` removes this."
END = "# reboard: end"
TAKEN = "# taken from cmdline.txt: "
EVERY_PI = "[all]"

_SERIAL_CONSOLE = re.compile(r"console=(?:serial0|ttyAMA0|ttyS0)(?:,\S+)?")


@dataclass(frozen=True)
class Setting:
    """A *line* of ``config.txt``."""

    line: str
    what: str
    why: str
    section: str = EVERY_PI


SETTINGS = (
    Setting(
        "dtparam=strict_gpiod",
        "Let the kernel release a pin when its program dies",
        "Without it the motor runs on for about a second when reboard dies.",
    ),
    Setting("dtparam=i2c_arm=on", "Enable the bus of the display (I²C, pins 2 and 3)", "Needed for a display."),
    Setting(
        "enable_uart=1",
        "Enable the serial port on the header (pins 14 and 15)",
        "Needed for a card reader on the header, not for one on USB.",
    ),
    Setting(
        "dtparam=uart0=on",
        "Enable the serial port on the header of a Pi 5",
        "A Pi 5 has its first serial port elsewhere. Other Pis ignore this.",
        "[pi5]",
    ),
)


def find_boot_config(machine: Target) -> BootConfig | None:
    """Return the boot config of *machine*, ``None`` if it is not a Pi."""
    place = next((place for place in PLACES if machine.path(place).is_file()), None)
    return BootConfig(machine, place) if place else None


def boot_settings(machine: Target) -> str:
    """Return all boot settings as text."""
    boot = find_boot_config(machine)
    return boot.text() if boot else ""


class BootConfig:
    """The ``config.txt`` of *machine* at *place*, and the ``cmdline.txt`` in the same folder."""

    def __init__(self, machine: Target, place: Path) -> None:
        self.place = place
        self._command_line = place.with_name("cmdline.txt")
        self._machine = machine

    def steps(self) -> list[Step]:
        """Return a step for each setting."""
        return [*map(self._setting_step, SETTINGS), self._console_step()]

    def _setting_step(self, setting: Setting) -> Step:
        return Step(
            f"{setting.what}: {setting.line} in {self.place}",
            lambda: self.add(setting.line, setting.section),
            lambda: self.has(setting.line, setting.section),
            setting.why,
            may_be_left_out=True,
        )

    def _console_step(self) -> Step:
        return Step(
            f"Remove the login from the serial port on the header, in {self._command_line}",
            self.take_console,
            lambda: not self._console(),
            "It would disturb a card reader there.",
            may_be_left_out=True,
        )

    def undo_step(self) -> Step:
        """Return the step that removes all these settings."""
        return Step(
            f"Remove the settings of reboard from {self.place}",
            self.undo,
            lambda: BEGIN not in self._lines(),
            may_be_left_out=True,
        )

    def has(self, line: str, section: str = EVERY_PI) -> bool:
        """Return whether *line* is set for the Pis of *section*."""
        return any(written == line and holds in (EVERY_PI, section) for holds, written in _with_sections(self._lines()))

    def add(self, line: str, section: str = EVERY_PI) -> None:
        """Add *line* to the block, for the Pis of *section*."""
        before, block, after = self._split()
        self._write([*before, *_marked([*block, section, line]), *after])

    def take_console(self) -> None:
        """Remove the serial console from the kernel's command line, and keep it in the block."""
        console = self._console()
        words = [word for word in self._words() if word not in console]
        before, block, after = self._split()
        self._write([*before, *_marked([*block, TAKEN + " ".join(console)]), *after])
        self._write_words(words)

    def undo(self) -> None:
        """Remove the block, and restore the serial console."""
        before, block, after = self._split()
        for line in block:
            if line.startswith(TAKEN):
                given = line.removeprefix(TAKEN).split()
                self._write_words([*(word for word in given if word not in self._words()), *self._words()])
        self._write([*before, *after])

    def text(self) -> str:
        """Return all settings of both files."""
        return "\n".join([*self._lines(), *self._words()])

    def _split(self) -> tuple[list[str], list[str], list[str]]:
        """Return the lines before the block, in it and after it. Without a block, all are before it."""
        lines = self._lines()
        if BEGIN not in lines:
            return lines, [], []
        begin = lines.index(BEGIN)
        end = lines.index(END, begin) if END in lines[begin:] else begin
        return lines[:begin], lines[begin + 1 : end], lines[end + 1 :]

    def _lines(self) -> list[str]:
        return self._machine.path(self.place).read_text(encoding="utf-8", errors="surrogateescape").splitlines()

    def _write(self, lines: Sequence[str]) -> None:
        text = "".join(f"{line}\n" for line in lines)
        self._machine.write(self.place, text.encode(errors="surrogateescape"), mode=0o755)

    def _words(self) -> list[str]:
        file = self._machine.path(self._command_line)
        return file.read_text(encoding="utf-8").split() if file.is_file() else []

    def _write_words(self, words: Sequence[str]) -> None:
        self._machine.write(self._command_line, (" ".join(words) + "\n").encode(), mode=0o755)

    def _console(self) -> list[str]:
        return [word for word in self._words() if _SERIAL_CONSOLE.fullmatch(word)]


def _marked(block: Sequence[str]) -> list[str]:
    """Return the *block* between its marks, each section once. The lines after it are for every Pi."""
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
