"""The whole examination: every area looked at side by side, each for a bounded time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path

from reboard.doctor.case import Case, take_case
from reboard.doctor.clock import look_at_clock
from reboard.doctor.config_file import look_at_config
from reboard.doctor.disk import look_at_disk
from reboard.doctor.display import look_at_display
from reboard.doctor.kernel import look_at_kernel
from reboard.doctor.page import look_at_page
from reboard.doctor.pins import look_at_pins
from reboard.doctor.power import look_at_power
from reboard.doctor.readers import look_at_readers
from reboard.doctor.serial_port import look_at_serial_port
from reboard.doctor.service import look_at_service
from reboard.doctor.sound import look_at_sound
from reboard.doctor.user import look_at_user
from reboard.finding import Finding, wrong
from reboard.machine import Machine

Look = Callable[[Case], AsyncIterator[Finding]]

LOOKS: Mapping[str, Look] = {
    "config": look_at_config,
    "kernel": look_at_kernel,
    "user": look_at_user,
    "pins": look_at_pins,
    "serial": look_at_serial_port,
    "readers": look_at_readers,
    "display": look_at_display,
    "sound": look_at_sound,
    "disk": look_at_disk,
    "time": look_at_clock,
    "service": look_at_service,
    "page": look_at_page,
    "power": look_at_power,
}
"""Every area, in the order in which it is told. No two of them touch the same device."""

LONGEST_LOOK_S = 10.0

HANGS = "Something that it has to do with hangs: pull it out or restart the machine, and look again."
REPORT = "That is a mistake of reboard's: please report it, with what `reboard doctor --json` says."


async def examine(machine: Machine, config_file: Path) -> AsyncIterator[Finding]:
    """Everything that is the case, area by area. Ends within `LONGEST_LOOK_S` and the time that a table may take to
    answer, whatever hangs."""
    case = await take_case(machine, config_file)
    looks = [asyncio.create_task(_looked(area, look, case)) for area, look in LOOKS.items()]
    try:
        for look in looks:
            for finding in await look:
                yield finding
    finally:
        for look in looks:
            look.cancel()


async def _looked(area: str, look: Look, case: Case) -> list[Finding]:
    findings = []
    try:
        async with asyncio.timeout(LONGEST_LOOK_S):
            async for finding in look(case):
                findings.append(finding)  # noqa: PERF401 - what was found before it hung counts
    except TimeoutError:
        what = f'Looking at "{area}" took longer than {LONGEST_LOOK_S:g} s and was given up.'
        findings.append(wrong(f"{area}.hangs", what, HANGS))
    except Exception as error:  # one look that fails keeps nobody from the others
        what = f'Looking at "{area}" failed: {type(error).__name__}: {error}.'
        findings.append(wrong(f"{area}.fails", what, REPORT))
    return findings
