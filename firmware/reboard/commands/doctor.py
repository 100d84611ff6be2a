"""``reboard doctor``: check everything, and print it in words or as JSON."""

from __future__ import annotations

import asyncio
import json
from argparse import ArgumentParser, Namespace
from collections.abc import AsyncIterator
from pathlib import Path

from reboard import __version__
from reboard.commands.output import FindingPrinter
from reboard.doctor.examination import examine
from reboard.doctor.machine import Machine
from reboard.finding import Finding, Level


async def doctor(config_file: Path, *, as_json: bool, machine: Machine | None = None) -> bool:
    """Print what doctor finds on *machine*, by default this one; return whether nothing is wrong."""
    examination = examine(machine or Machine(), config_file)
    findings = await _as_json(examination) if as_json else await in_words(examination)
    return _is_well(findings)


async def _as_json(examination: AsyncIterator[Finding]) -> list[Finding]:
    findings = [finding async for finding in examination]
    entries = [finding.as_json() for finding in findings]
    whole = {"reboard": __version__, "well": _is_well(findings), "findings": entries}
    print(json.dumps(whole, indent=1, ensure_ascii=False))
    return findings


async def in_words(examination: AsyncIterator[Finding]) -> list[Finding]:
    """Print and return the findings of an *examination*. Repeat the faults at the end."""
    print("This takes some seconds.", flush=True)
    printer = FindingPrinter()
    async for finding in examination:
        printer.tell(finding)
    printer.sum_up()
    return printer.findings


def _is_well(findings: list[Finding]) -> bool:
    return all(finding.level is not Level.WRONG for finding in findings)


def add_arguments(parser: ArgumentParser, common: ArgumentParser) -> None:
    """Add the arguments of ``reboard doctor``."""
    parser.add_argument("--json", action="store_true", help="print JSON, for scripts")


def main(args: Namespace) -> bool:
    """Print the findings; return whether nothing is wrong."""
    return asyncio.run(doctor(args.config, as_json=args.json))
