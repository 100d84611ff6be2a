"""The supply: is its voltage enough, and does the Pi keep cool?"""

from __future__ import annotations

from collections.abc import AsyncIterator

from reboard.doctor.case import Case
from reboard.finding import Finding, fine, note, wrong

UNDER_VOLTAGE, TOO_HOT = 1 << 0, 1 << 3
"""Bits of the firmware's number, for now; sixteen bits higher, the same since the start."""

SINCE_START = 16

SUPPLY = "Take the supply that is sold for this Pi, and a short cable; give motor and lamp a supply of their own."
BLIND = "Zero"
"""In the name of each Pi that cannot measure what it is fed with: the range of Zeros has no detector, and reports 0."""

ALARM = "/sys/class/hwmon/hwmon*/in0_lcrit_alarm"


async def look_at_power(case: Case) -> AsyncIterator[Finding]:
    """Ask the Pi's firmware, or the kernel, which remembers less."""
    if not case.is_pi:
        return
    said = await case.machine.said("vcgencmd", "get_throttled") or ""
    number = said.partition("throttled=")[2]
    try:
        bits = int(number, 16)
    except ValueError:
        alarms = [case.machine.text(alarm) for alarm in case.machine.named(ALARM)]
        if not alarms:
            return
        bits = UNDER_VOLTAGE if "1" in alarms else 0
    before = bits >> SINCE_START
    if bits & UNDER_VOLTAGE:
        yield wrong("power.supply", "The supply is too weak right now: the Pi gets less than 4.63 V.", SUPPLY)
    elif before & UNDER_VOLTAGE:
        yield wrong("power.supply", "The supply was too weak since the Pi was switched on.", SUPPLY)
    elif BLIND in case.machine.model:
        yield note(
            "power.supply",
            "A Pi Zero cannot tell whether its supply is strong enough.",
            "Does it start anew by itself, or with the motor? Take the supply that is sold for it, and a short cable.",
        )
    else:
        yield fine("power.supply", "The supply is strong enough.")
    if (bits | before) & TOO_HOT:
        yield note("power.heat", "The Pi was too hot, and slowed down.", "Let air to it.")
