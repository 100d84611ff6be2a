"""Findings in words: area by area as they come, and what is wrong once more at the end."""

from __future__ import annotations

import re
import shutil
import textwrap

from reboard.finding import Finding, Level

MARKS = {Level.FINE: "ok", Level.NOTE: "note", Level.WRONG: "WRONG"}
WIDEST = 100
_COMMAND = re.compile(r"`[^`]+`")
_UNBREAKABLE_SPACE = "\N{NO-BREAK SPACE}"


class Telling:
    """Prints findings, and remembers them."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []

    @property
    def wrong(self) -> list[Finding]:
        """What has to be mended."""
        return [finding for finding in self.findings if finding.level is Level.WRONG]

    def tell(self, finding: Finding) -> None:
        """Print *finding*, under its area."""
        if not self.findings or self.findings[-1].area != finding.area:
            print(f"\n{finding.area}")
        _print(finding, f"  {MARKS[finding.level]:<5}  ")
        self.findings.append(finding)

    def sum_up(self) -> None:
        """Print what is wrong once more."""
        count = {0: "Nothing is wrong.", 1: "One thing is wrong:"}
        print(f"\n{count.get(len(self.wrong), f'{len(self.wrong)} things are wrong:')}")
        for number, problem in enumerate(self.wrong, start=1):
            _print(problem, f"  {number:>2}.    ")


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
