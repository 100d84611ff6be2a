"""The config: whether it can be played with."""

from __future__ import annotations

from collections.abc import AsyncIterator

from reboard.doctor.case import Case
from reboard.finding import Finding, fine, note, sentence, wrong


async def look_at_config(case: Case) -> AsyncIterator[Finding]:
    """Is there one, and does it make sense?"""
    file = case.config_file
    if case.config and not case.config_problem:
        yield fine("config.file", f"{file} can be played with.")
        return
    if not file.exists():
        yield wrong(
            "config.file",
            f"There is no config: {file} is missing.",
            f"`sudo reboard setup -c {file}` asks and writes one.",
        )
        return
    if not case.machine.may_read(file):
        what = f"{case.machine.user} may not read {file}: nothing is known of what is wired."
        yield note("config.file", what, "`sudo reboard doctor` reads it.")
        return
    for problem in case.config_problem.splitlines():
        yield wrong("config.file", sentence(problem), f"Mend that line, then `reboard check -c {file}` looks again.")
    if case.config:
        yield note("config.last_good", "Until then the table plays with the last config that was good.")
