"""``reboard doctor``: look at everything and tell it, in words for people or as JSON for scripts."""

from __future__ import annotations

import json
import re
import shutil
import textwrap
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

from reboard.doctor.examination import examine
from reboard.finding import Finding, Level
from reboard.machine import Machine
from reboard.version import __version__

MARKS = {Level.FINE: "ok", Level.NOTE: "note", Level.WRONG: "WRONG"}
WIDEST = 100
_COMMAND = re.compile(r"`[^`]+`")
_UNBREAKABLE_SPACE = "\N{NO-BREAK SPACE}"


async def doctor(config_file: Path, *, as_json: bool, machine: Machine | None = None) -> bool:
    """Print what is the case; return whether all is well, notes allowed. *machine* is looked at instead of this one."""
    examination = examine(machine or Machine(), config_file)
    findings = await _as_json(examination) if as_json else await in_words(examination)
    return not _wrong(findings)


async def _as_json(examination: AsyncIterator[Finding]) -> list[Finding]:
    findings = [finding async for finding in examination]
    told = [finding.as_json() for finding in findings]
    whole = {"reboard": __version__, "well": not _wrong(findings), "findings": told}
    print(json.dumps(whole, indent=1, ensure_ascii=False))
    return findings


async def in_words(examination: AsyncIterator[Finding]) -> list[Finding]:
    """Print what *examination* finds, as it is found, and what is wrong once more at the end; return all of it."""
    print("This takes some seconds.", flush=True)
    findings: list[Finding] = []
    async for finding in examination:
        if not findings or findings[-1].area != finding.area:
            print(f"\n{finding.area}")
        _print(finding, f"  {MARKS[finding.level]:<5}  ")
        findings.append(finding)
    problems = _wrong(findings)
    count = {0: "Nothing is wrong.", 1: "One thing is wrong:"}.get(len(problems), f"{len(problems)} things are wrong:")
    print(f"\n{count}")
    for number, problem in enumerate(problems, start=1):
        _print(problem, f"  {number:>2}.    ")
    return findings


def _wrong(findings: Iterable[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.level is Level.WRONG]


def _print(finding: Finding, margin: str) -> None:
    indent = " " * len(margin)
    print(_filled(finding.what, margin, indent), flush=True)
    if finding.do:
        print(_filled(finding.do, f"{indent}-> ", f"{indent}   "), flush=True)


def _filled(text: str, first: str, others: str) -> str:
    """*text* in lines as wide as the terminal; a command stays on one, so that it can be copied."""
    whole = _COMMAND.sub(lambda command: command[0].replace(" ", _UNBREAKABLE_SPACE), text)
    width = min(shutil.get_terminal_size().columns, WIDEST) - 1
    filled = textwrap.fill(
        whole, width, initial_indent=first, subsequent_indent=others, break_long_words=False, break_on_hyphens=False
    )
    return filled.replace(_UNBREAKABLE_SPACE, " ")
