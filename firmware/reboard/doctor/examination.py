"""The whole examination: all checks side by side, each for a limited time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from reboard.accessories.accessory import accessories
from reboard.devices.audio.sound_card import check_speaker
from reboard.doctor.config_and_page import check_config, check_page
from reboard.doctor.disk import check_disk
from reboard.doctor.doctor_context import DoctorContext, gather_context
from reboard.doctor.machine import Machine
from reboard.doctor.operating_system import check_clock, check_kernel, check_power
from reboard.doctor.permissions import check_pins, check_serial_port, check_user
from reboard.doctor.service_unit import check_service
from reboard.finding import Finding, wrong

Findings = AsyncIterator[Finding]

LONGEST_CHECK_S = 10.0

HANGS = "A device that it uses hangs: pull it out or restart the machine, then run doctor again."
REPORT = "This is a defect of reboard: please report it, with the output of `reboard doctor --json`."


def all_checks(context: DoctorContext) -> Iterator[tuple[str, Findings]]:
    """Yield all checks with their areas, in the order of their findings. No two of them use the same device."""
    yield "config", check_config(context)
    yield "kernel", check_kernel(context)
    yield "user", check_user(context)
    yield "pins", check_pins(context)
    yield "serial", check_serial_port(context)
    if config := context.config:
        for name, section in config.sections.items():
            yield name, _of_section(name, section)
        for device in config.devices():
            if device.kind.area:
                yield device.kind.area, device.kind.check(device, context)
        yield "sound", check_speaker(config.speaker, config.wiring.speaker, context)
    yield "disk", check_disk(context)
    for name, accessory in accessories().items():
        yield name, accessory.checks(config.section(name) if config else None, context)
    yield "time", check_clock(context)
    yield "service", check_service(context)
    yield "page", check_page(context)
    yield "power", check_power(context)


async def examine(machine: Machine, config_file: Path) -> Findings:
    """Yield everything that doctor finds, area by area.

    It ends within `LONGEST_CHECK_S` and the time that a table may take to answer, even if a device hangs.
    """
    context = await gather_context(machine, config_file)
    tasks = [asyncio.create_task(_findings(area, check)) for area, check in all_checks(context)]
    try:
        for task in tasks:
            for finding in await task:
                yield finding
    finally:
        for task in tasks:
            task.cancel()


async def _of_section(name: str, section: object) -> Findings:
    for finding in accessories()[name].findings(section):
        yield finding


async def _findings(area: str, check: Findings) -> list[Finding]:
    findings = []
    try:
        async with asyncio.timeout(LONGEST_CHECK_S):
            async for finding in check:
                findings.append(finding)  # noqa: PERF401 - keep what was found before it hangs
    except TimeoutError:
        what = f'The check of "{area}" took longer than {LONGEST_CHECK_S:g} s and was stopped.'
        findings.append(wrong(f"{area}.hangs", what, HANGS))
    except Exception as error:  # a check that fails must not stop the others
        what = f'The check of "{area}" failed: {type(error).__name__}: {error}.'
        findings.append(wrong(f"{area}.fails", what, REPORT))
    return findings
