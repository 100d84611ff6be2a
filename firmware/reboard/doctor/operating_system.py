"""The checks of the operating system and its kernel, the power supply and the clock.

``kernel.machine``: which Raspberry Pi it is.
``kernel.system``: whether the operating system is Debian trixie.
``kernel.header``: where the header's pins are, or why they cannot be used.
``kernel.motor``: whether the kernel would leave the motor on when reboard dies (no ``dtparam=strict_gpiod``).
``kernel.watchdog``: whether systemd uses the hardware watchdog, with 15 s at most.
``time.set``: whether the clock is right.
``time.kept``: the Pi has no clock of its own, so it continues from power-off.
``power.supply``: whether the supply was too weak; a Zero cannot measure it.
``power.heat``: the Pi was too hot.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime

from reboard.devices.motor import MOTOR
from reboard.doctor.doctor_context import REINSTALL, DoctorContext
from reboard.doctor.machine import Header
from reboard.finding import Finding, fine, note, sentence, wrong

MADE_FOR = "trixie"

LONGEST_WATCHDOG_S = 15.0
"""The longest timeout that a Pi's watchdog accepts, in seconds. systemd does not report this limit."""

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
"""The kernel module with the parameter ``persist_gpio_outputs``, keyed by the label of the header's GPIO chip.

The module for all other labels is ``pinctrl_bcm2835``."""


async def check_kernel(context: DoctorContext) -> AsyncIterator[Finding]:
    """Check the machine's model, its operating system and kernel, its header, and the safeguards for a motor."""
    if not context.is_pi:
        yield note("kernel.machine", "This is not a Raspberry Pi, so the checks for a Pi were skipped.")
        return
    yield fine("kernel.machine", f"This is a {context.host.model or 'Raspberry Pi'}.")
    for finding in (*_system(context), *_header(context), *_motor(context)):
        yield finding
    async for finding in _watchdog(context):
        yield finding


def _system(context: DoctorContext) -> Iterator[Finding]:
    facts = dict(re.findall(r'^(\w+)="?(.*?)"?$', context.host.text("/etc/os-release"), re.MULTILINE))
    release = context.host.text("/proc/sys/kernel/osrelease")
    name = f"{facts.get('PRETTY_NAME', 'unknown')} with Linux {release}"
    if facts.get("VERSION_CODENAME") == MADE_FOR:
        yield fine("kernel.system", f"The operating system is {name}.")
    else:
        yield note(
            "kernel.system", f"The operating system is {name}; reboard is made for and tested on Debian {MADE_FOR}."
        )


def _header(context: DoctorContext) -> Iterator[Finding]:
    if isinstance(context.header, Header):
        yield fine("kernel.header", f"The header's pins belong to {context.header.chip} ({context.header.label}).")
    elif all(map(context.host.may_use, context.host.named("/dev/gpiochip*"))):
        yield wrong("kernel.header", sentence(context.header))
    else:
        yield note(
            "kernel.header",
            f"The header's pins were not checked: {context.host.user} has no permission to use them.",
            "Run `sudo reboard doctor` to check them.",
        )


def _motor(context: DoctorContext) -> Iterator[Finding]:
    if not _has_motor(context):
        return
    label = context.header.label if isinstance(context.header, Header) else ""
    module = KEEPS_OUTPUTS.get(label, "pinctrl_bcm2835")
    keeps = context.host.text(f"/sys/module/{module}/parameters/persist_gpio_outputs")
    name = "kernel.motor"
    if keeps == "N":
        yield fine(name, "The kernel stops the motor if reboard crashes.")
    elif keeps:
        yield wrong(
            name,
            "The kernel would leave the motor running if reboard crashed.",
            "Run `sudo reboard setup boot`, then `sudo reboot`.",
        )
    else:
        yield note(
            name,
            "This kernel does not report whether it stops the motor if reboard crashes.",
            "Run `sudo apt full-upgrade`, and make sure that the gate of the motor's transistor has a 10 kilo-ohm "
            "resistor to ground.",
        )


async def _watchdog(context: DoctorContext) -> AsyncIterator[Finding]:
    """Check whether the watchdog resets a Pi with a motor if the kernel hangs."""
    if not _has_motor(context):
        return
    answer = re.fullmatch(r"t (\d+)", await context.host.output_of(*_ASK_WATCHDOG) or "")
    if not answer:  # no systemd, which the check of the service reports
        return
    name, after_s = "kernel.watchdog", int(answer[1]) / 1_000_000
    state = context.host.text("/sys/class/watchdog/watchdog0/state")  # not every kernel has it
    if not context.host.named("/dev/watchdog*"):
        yield wrong(
            name,
            "The Pi's watchdog is off: if the kernel hung, the motor would keep running.",
            f"Run `echo {WATCHDOG_LINE} | sudo tee -a {context.boot_config}`, then `sudo reboot`.",
        )
    elif 0 < after_s <= LONGEST_WATCHDOG_S and state != "inactive":
        yield fine(name, f"The Pi resets itself when its kernel has hung for {after_s:g} s.")
    elif after_s > LONGEST_WATCHDOG_S:
        yield wrong(
            name,
            f"systemd sets the Pi's watchdog to {after_s:g} s, but its maximum is {LONGEST_WATCHDOG_S:g} s: if the "
            "kernel hung, the motor would keep running.",
            "Find the file that sets RuntimeWatchdogSec with `systemd-analyze cat-config systemd/system.conf`. Change "
            "the line to RuntimeWatchdogSec=10s, then run `sudo reboot`.",
        )
    else:
        yield wrong(
            name,
            "systemd does not use the Pi's watchdog: if the kernel hung, the motor would keep running.",
            f"Run {REINSTALL} to turn it on.",
        )


def _has_motor(context: DoctorContext) -> bool:
    return bool(context.config and any(context.config.devices(MOTOR.name)))


UNDER_VOLTAGE, TOO_HOT = 1 << 0, 1 << 3
"""The bits of ``vcgencmd get_throttled`` for the current state: under-voltage, and the temperature limit.

The bits that are `SINCE_START` places higher report whether that happened since the Pi started."""

SINCE_START = 16

SUPPLY = "Use the power supply sold for this Pi and a short cable, and a separate supply for a motor."
BLIND = "Zero"
"""The word in the model name of each Pi without a voltage detector. The firmware of a Pi Zero always reports 0."""

ALARM = "/sys/class/hwmon/hwmon*/in0_lcrit_alarm"


async def check_power(context: DoctorContext) -> AsyncIterator[Finding]:
    """Check whether the power supply is strong enough, and whether the Pi was too hot.

    The firmware reports both. If ``vcgencmd`` does not answer, the check uses the kernel's alarm for under-voltage.
    """
    if not context.is_pi:
        return
    output = await context.host.output_of("vcgencmd", "get_throttled") or ""
    number = output.partition("throttled=")[2]
    try:
        bits = int(number, 16)
    except ValueError:
        alarms = [context.host.text(alarm) for alarm in context.host.named(ALARM)]
        if not alarms:
            return
        bits = UNDER_VOLTAGE if "1" in alarms else 0
    before = bits >> SINCE_START
    if bits & UNDER_VOLTAGE:
        yield wrong("power.supply", "The power supply is too weak now: the Pi gets less than 4.63 V.", SUPPLY)
    elif before & UNDER_VOLTAGE:
        yield wrong("power.supply", "The power supply was too weak at least once since the Pi started.", SUPPLY)
    elif BLIND in context.host.model:
        yield note(
            "power.supply",
            "A Pi Zero cannot measure whether its power supply is strong enough.",
            "If the Pi restarts by itself, or when the motor starts, use the power supply sold for this Pi and a short "
            "cable.",
        )
    else:
        yield fine("power.supply", "The power supply is strong enough.")
    if (bits | before) & TOO_HOT:
        yield note("power.heat", "The Pi has been too hot, so its processor was slowed down.", "Improve its cooling.")


BUILT = datetime(2026, 1, 1, tzinfo=UTC)
"""The earliest plausible date. A clock that shows an earlier date is wrong."""


async def check_clock(context: DoctorContext) -> AsyncIterator[Finding]:
    """Check whether the clock is plausible, whether the network sets it, and whether a Pi has a real-time clock."""
    now = datetime.fromtimestamp(context.host.devices.wall_time(), UTC)
    output = await context.host.output_of("timedatectl", "show") or ""
    facts = dict(line.split("=", 1) for line in output.splitlines() if "=" in line)
    is_synchronised = facts.get("NTPSynchronized") == "yes"
    if now < BUILT:
        yield wrong(
            "time.set",
            f"The clock shows {now:%d %B %Y}, which is wrong, so games get wrong dates.",
            "Connect the machine to a network once, or run `sudo timedatectl set-time '2026-12-24 18:00'` with the "
            "right time.",
        )
    elif is_synchronised:
        yield fine("time.set", "The network has set the clock.")
    elif facts.get("NTP") == "no":
        yield note(
            "time.set", "Nothing sets the clock.", "Run `sudo timedatectl set-ntp true` to let the network set it."
        )
    elif facts:
        yield note("time.set", f"The clock shows {now:%d %B %Y, %H:%M} UTC, but the network has not set it yet.")
    else:
        yield fine("time.set", f"The clock shows {now:%d %B %Y, %H:%M} UTC.")
    if context.is_pi and not context.host.named("/sys/class/rtc/rtc*"):
        yield note(
            "time.kept",
            "This Pi has no real-time clock: without a network, its time continues from when the Pi was switched off.",
        )
