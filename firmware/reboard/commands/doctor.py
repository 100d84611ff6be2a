"""``reboard doctor``: run all checks at the same time, each with a time limit, and print text or JSON."""

from __future__ import annotations

import asyncio
import json
from argparse import ArgumentParser, Namespace
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from reboard.accessories.accessory import Accessory
from reboard.accessories.installed import accessories, findings_on
from reboard.aiotools import is_cancelled
from reboard.commands.output import FindingPrinter
from reboard.config.reading import DEFAULT_STATE_DIRECTORY
from reboard.control.client import ControlClient
from reboard.control.protocol import socket_path
from reboard.devices.sound_card import check_speaker
from reboard.doctor.config_and_page import check_config, check_page
from reboard.doctor.disk import check_disk
from reboard.doctor.doctor_context import DoctorContext, TableAnswer, find_units
from reboard.doctor.machine import Header, Machine
from reboard.doctor.mqtt_broker import check_mqtt
from reboard.doctor.operating_system import check_clock, check_kernel, check_power
from reboard.doctor.permissions import check_pins, check_serial_port, check_user
from reboard.doctor.service_unit import check_service
from reboard.errors import (
    PLUG_IN_ERRORS,
    ConfigError,
    DeviceError,
    ForbiddenSocketError,
    NoTableError,
    ReboardError,
    failure,
)
from reboard.finding import Finding, Level, wrong
from reboard.service.fallback_config import usable_config
from reboard.table_config import TableConfig
from reboard.version import build

Findings = AsyncIterator[Finding]

ANSWER_S = 3.0
"""The time limit for an answer from the running table, in seconds."""

LONGEST_CHECK_S = 10.0

HANGS = "A device in this check may be hanging. Unplug it or restart the machine, then run `reboard doctor` again."
REPORT = "This is a bug in reboard. Please report it with the output of `reboard doctor --json`."


async def doctor(config_file: Path, *, as_json: bool, machine: Machine | None = None) -> bool:
    """Check *machine*, by default this one, and print the findings. Return ``True`` if there is no fault."""
    machine = machine or Machine()
    if as_json:
        return _is_well(await _as_json(run_checks(machine, config_file)))
    printer = FindingPrinter()
    async for finding in run_checks(machine, config_file, begin=printer.show_progress):
        printer.show(finding)
    printer.sum_up()
    return not printer.wrong


async def _as_json(found: Findings) -> list[Finding]:
    findings = [finding async for finding in found]
    entries = [finding.as_json() for finding in findings]
    whole = {"reboard": build(), "well": _is_well(findings), "findings": entries}
    print(json.dumps(whole, indent=1, ensure_ascii=False))
    return findings


def _is_well(findings: list[Finding]) -> bool:
    return all(finding.level is not Level.WRONG for finding in findings)


async def run_checks(
    machine: Machine, config_file: Path, *, begin: Callable[[str], object] = lambda area: None
) -> Findings:
    """Yield the findings of all checks, area by area. Call *begin* with each area whose findings are awaited.

    The checks run at the same time. Each check ends within `LONGEST_CHECK_S`, even if a device hangs.
    """
    begin("the running table and its services")
    context = await gather_context(machine, config_file)
    tasks = [(area, asyncio.create_task(_findings(area, check))) for area, check in all_checks(context)]
    try:
        for area, task in tasks:
            begin(area)
            for finding in await task:
                yield finding
    finally:
        for _, task in tasks:
            task.cancel()


async def gather_context(machine: Machine, config_file: Path) -> DoctorContext:
    """Collect the facts for the checks: the config, the running table's answer, the services and the header."""
    config, config_problem = _config(config_file)
    state = config.state.directory if config else DEFAULT_STATE_DIRECTORY
    answer, units = await asyncio.gather(_snapshot(machine.path(socket_path(state))), find_units(machine))
    try:
        header: Header | str = machine.header()
    except DeviceError as problem:
        header = str(problem)
    return DoctorContext(machine, config_file, config, config_problem, answer, units, header)


def _config(file: Path) -> tuple[TableConfig | None, str]:
    try:
        chosen = usable_config(file)
    except ConfigError as problem:
        return None, str(problem)
    return chosen.config, chosen.problem or ""


async def _snapshot(socket: Path) -> TableAnswer:
    try:
        async with await ControlClient.connect(socket, timeout_s=ANSWER_S) as table:
            snapshot = await table.request("snapshot")
            with suppress(ReboardError):  # a table from before an upgrade does not have it
                return TableAnswer(snapshot, await table.request("readers"), table.process)
            return TableAnswer(snapshot, process=table.process)
    except NoTableError:
        return TableAnswer()
    except ReboardError as problem:
        return TableAnswer(problem=str(problem), is_forbidden=isinstance(problem, ForbiddenSocketError))


def all_checks(context: DoctorContext) -> Iterator[tuple[str, Findings]]:
    """Yield each check with its area, in the order of output. No two checks use the same device."""
    yield "config", check_config(context)
    yield "kernel", check_kernel(context)
    yield "user", check_user(context)
    yield "pins", check_pins(context)
    yield "serial", check_serial_port(context)
    if config := context.config:
        for device in config.devices():
            if device.kind.area:
                yield device.kind.area, device.kind.check(device, context)
        yield "sound", check_speaker(config.speaker, config.wiring.speaker, context)
    yield "disk", check_disk(context)
    sections = config.sections if config else {}
    for name in {**accessories(), **sections}:
        accessory = config.accessory(name) if config and name in sections else accessories()[name]
        yield name, _of_accessory(name, accessory, sections.get(name), context)
    yield "time", check_clock(context)
    yield "service", check_service(context)
    yield "page", check_page(context)
    yield "mqtt", check_mqtt(context)
    yield "power", check_power(context)


async def _of_accessory(name: str, accessory: Accessory[Any], section: object, context: DoctorContext) -> Findings:
    for finding in await context.host.in_thread(lambda: list(findings_on(name, accessory, section, context))):
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
    except PLUG_IN_ERRORS as error:  # a check that fails must not stop the others
        if is_cancelled():
            raise
        what = f'The check of "{area}" failed: {failure(error)}.'
        findings.append(wrong(f"{area}.fails", what, REPORT))
    return findings


def add_arguments(parser: ArgumentParser, common: ArgumentParser) -> None:
    """Add the arguments of ``reboard doctor``."""
    parser.add_argument("--json", action="store_true", help="print JSON, for scripts")


def main(args: Namespace) -> bool:
    """Check this machine and print the findings. Return ``True`` if there is no fault."""
    return asyncio.run(doctor(args.config, as_json=args.json))
