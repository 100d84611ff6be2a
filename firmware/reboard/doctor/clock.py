"""The time: is the clock set, and does it survive the plug? Games are in order either way; their dates are not."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime

from reboard.doctor.case import Case
from reboard.finding import Finding, fine, note, wrong

BUILT = datetime(2026, 1, 1, tzinfo=UTC)
"""No clock that is right says anything earlier."""


async def look_at_clock(case: Case) -> AsyncIterator[Finding]:
    """Does it know the time, and from whom?"""
    now = datetime.fromtimestamp(case.machine.devices.wall_time(), UTC)
    said = await case.machine.said("timedatectl", "show") or ""
    facts = dict(line.split("=", 1) for line in said.splitlines() if "=" in line)
    is_synchronised = facts.get("NTPSynchronized") == "yes"
    if now < BUILT:
        yield wrong(
            "time.set",
            f"The clock says {now:%d %B %Y}, which is long past: games get wrong dates.",
            "Let the Pi into your network once, or `sudo timedatectl set-time '2026-12-24 18:00'` with the right time.",
        )
    elif is_synchronised:
        yield fine("time.set", "The clock was set by the network.")
    elif facts.get("NTP") == "no":
        yield note("time.set", "Nobody sets the clock.", "`sudo timedatectl set-ntp true` lets the network do it.")
    elif facts:
        yield note("time.set", f"The clock was not set by the network yet; it says {now:%d %B %Y, %H:%M} UTC.")
    else:
        yield fine("time.set", f"The clock says {now:%d %B %Y, %H:%M} UTC.")
    if case.is_pi and not case.machine.named("/sys/class/rtc/rtc*"):
        yield note(
            "time.kept",
            "This Pi has no clock of its own: without a network it goes on from when it was switched off.",
        )
