"""``reboard doctor``: look at everything and tell it, in words for people or as JSON for scripts."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

from reboard.commands.telling import Telling
from reboard.doctor.examination import examine
from reboard.finding import Finding, Level
from reboard.machine import Machine
from reboard.version import __version__


async def doctor(config_file: Path, *, as_json: bool, machine: Machine | None = None) -> bool:
    """Print what is the case; return whether all is well, notes allowed. *machine* is looked at instead of this one."""
    examination = examine(machine or Machine(), config_file)
    findings = await _as_json(examination) if as_json else await in_words(examination)
    return _is_well(findings)


async def _as_json(examination: AsyncIterator[Finding]) -> list[Finding]:
    findings = [finding async for finding in examination]
    told = [finding.as_json() for finding in findings]
    whole = {"reboard": __version__, "well": _is_well(findings), "findings": told}
    print(json.dumps(whole, indent=1, ensure_ascii=False))
    return findings


async def in_words(examination: AsyncIterator[Finding]) -> list[Finding]:
    """Print what *examination* finds, as it is found, and what is wrong once more at the end; return all of it."""
    print("This takes some seconds.", flush=True)
    telling = Telling()
    async for finding in examination:
        telling.tell(finding)
    telling.sum_up()
    return telling.findings


def _is_well(findings: list[Finding]) -> bool:
    return all(finding.level is not Level.WRONG for finding in findings)
