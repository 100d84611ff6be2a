"""The machine and its kernel: is it a Pi, are its pins there, and what becomes of the motor when a program dies."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator

from reboard.doctor.case import Case
from reboard.finding import Finding, fine, note, sentence, wrong
from reboard.machine import Header

OLDEST = (5, 10)
"""The first kernel with the GPIO interface that lgpio speaks."""

MADE_FOR = ("bookworm", "trixie")

STRICT = "dtparam=strict_gpiod"
"""The line that lets the kernel give a pin back when the program that had it is gone."""

LONGEST_WATCHDOG_S = 15.0
"""A Pi's watchdog refuses more, and systemd does not say so."""

WATCHDOG_LINE = "dtparam=watchdog=on"

_ASK_WATCHDOG = (
    "busctl",
    "get-property",
    "org.freedesktop.systemd1",
    "/org/freedesktop/systemd1",
    "org.freedesktop.systemd1.Manager",
    "RuntimeWatchdogUSec",
)

KEEPS_OUTPUTS = {"pinctrl-rp1": "pinctrl_rp1"}
"""The kernel module behind each header; that of all others is pinctrl_bcm2835."""


async def look_at_kernel(case: Case) -> AsyncIterator[Finding]:
    """What machine is this, and does its kernel fit?"""
    if not case.is_pi:
        yield note("kernel.machine", "This is no Raspberry Pi: what only a Pi has was not looked at.")
        return
    yield fine("kernel.machine", f"This is a {case.machine.model or 'Raspberry Pi'}.")
    for finding in (*_system(case), *_version(case), *_header(case), *_motor(case)):
        yield finding
    async for finding in _watchdog(case):
        yield finding


def _system(case: Case) -> Iterator[Finding]:
    facts = dict(re.findall(r'^(\w+)="?(.*?)"?$', case.machine.text("/etc/os-release"), re.MULTILINE))
    name = facts.get("PRETTY_NAME", "an unknown system")
    if facts.get("VERSION_CODENAME") in MADE_FOR:
        yield fine("kernel.system", f"It runs {name}.")
    else:
        made_for = " and ".join(MADE_FOR)
        yield note("kernel.system", f"It runs {name}; reboard is made for and tested on Debian's {made_for}.")


def _version(case: Case) -> Iterator[Finding]:
    release = case.machine.text("/proc/sys/kernel/osrelease")
    numbers = re.match(r"(\d+)\.(\d+)", release)
    if numbers and (int(numbers[1]), int(numbers[2])) < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        yield wrong(
            "kernel.version",
            f"Its kernel is too old for the pins: it is {release}, and they need {oldest} or newer.",
            "`sudo apt full-upgrade`, then `sudo reboot`.",
        )
    else:
        yield fine("kernel.version", f"Its kernel is {release or 'of an unknown version'}.")


def _header(case: Case) -> Iterator[Finding]:
    if isinstance(case.header, Header):
        yield fine("kernel.header", f"The header's pins are gpiochip{case.header.chip}, {case.header.label}.")
    elif all(map(case.machine.may_use, case.machine.named("/dev/gpiochip*"))):
        yield wrong("kernel.header", sentence(case.header))
    else:
        yield note(
            "kernel.header",
            f"The header's pins were not looked at: {case.machine.user} may not use them.",
            "`sudo reboard doctor` looks at them.",
        )


def _motor(case: Case) -> Iterator[Finding]:
    if not _has_motor(case):
        return
    label = case.header.label if isinstance(case.header, Header) else ""
    module = KEEPS_OUTPUTS.get(label, "pinctrl_bcm2835")
    keeps = case.machine.text(f"/sys/module/{module}/parameters/persist_gpio_outputs")
    name = "kernel.motor"
    if keeps == "N":
        yield fine(name, "The kernel stops the motor when a program that turned it is gone.")
    elif keeps:
        yield wrong(name, "When reboard dies, the kernel would leave the motor running.", _how_to_be_strict(case))
    else:
        yield note(
            name,
            "This kernel does not tell what becomes of a running motor when reboard dies.",
            "`sudo apt full-upgrade`; and see that the motor's gate has its 10 kilo-ohm resistor to ground.",
        )


async def _watchdog(case: Case) -> AsyncIterator[Finding]:
    """Does the Pi reset itself when its kernel hangs with the motor on?"""
    if not _has_motor(case):
        return
    said = re.fullmatch(r"t (\d+)", await case.machine.said(*_ASK_WATCHDOG) or "")
    if not said:  # no systemd, which the service's area reports
        return
    name, after_s = "kernel.watchdog", int(said[1]) / 1_000_000
    state = case.machine.text("/sys/class/watchdog/watchdog0/state")  # not every kernel has it
    if not case.machine.named("/dev/watchdog*"):
        yield wrong(
            name,
            "The Pi's watchdog is off: a kernel that hangs would leave the motor running.",
            f"`echo {WATCHDOG_LINE} | sudo tee -a {case.boot_config}`, then `sudo reboot`.",
        )
    elif 0 < after_s <= LONGEST_WATCHDOG_S and state != "inactive":
        yield fine(name, f"The Pi resets itself when its kernel has hung for {after_s:g} s.")
    elif after_s > LONGEST_WATCHDOG_S:
        yield wrong(
            name,
            f"systemd asks the Pi's watchdog for {after_s:g} s, and it refuses more than {LONGEST_WATCHDOG_S:g} s: a "
            "kernel that hangs would leave the motor running.",
            "`systemd-analyze cat-config systemd/system.conf` shows where: write RuntimeWatchdogSec=10s there.",
        )
    else:
        yield wrong(
            name,
            "systemd does not use the Pi's watchdog: a kernel that hangs would leave the motor running.",
            "`sudo make install`, in reboard's folder, turns it on.",
        )


def _has_motor(case: Case) -> bool:
    return bool(case.config and case.config.apple and case.config.apple.motor is not None)


def _how_to_be_strict(case: Case) -> str:
    file = case.boot_config
    if STRICT in case.machine.text(file).split():
        return f"{file} forbids it already, from the next start on: `sudo reboot`."
    return f"`echo {STRICT} | sudo tee -a {file}`, then `sudo reboot`."
