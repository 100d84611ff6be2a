"""The config: whether it can be played with."""

from __future__ import annotations

from collections.abc import AsyncIterator

from reboard.doctor.case import Case
from reboard.finding import Finding, fine, note, sentence, wrong
from reboard.settings.usual_config import USUAL_CONFIG

DOOR_GROUP = "reboard-door"
"""The table, the page, and whoever uses their commands: all of them have to read the config."""


async def look_at_config(case: Case) -> AsyncIterator[Finding]:
    """Is there one, and does it make sense?"""
    file = case.config_file
    kept_from_play = (
        case.service and file.absolute() == USUAL_CONFIG and not case.machine.may_be_read_by(case.player, file)
    )
    if kept_from_play:
        yield wrong(
            "config.rights",
            f"{case.player}, who plays, may not read {file}.",
            f"`sudo chgrp {DOOR_GROUP} {file}` and `sudo chmod 640 {file}`, then `sudo systemctl reload reboard`.",
        )
    if case.config and not case.config_problem:
        if not kept_from_play:
            yield fine("config.file", f"{file} can be played with.")
        return
    if file.exists() and not case.machine.may_read(file):
        what = f"{case.machine.user} may not read {file}: nothing is known of what is wired."
        yield note("config.file", what, "`sudo reboard doctor` reads it.")
        return
    if not file.exists():
        yield wrong(
            "config.file",
            f"There is no config: {file} is missing.",
            f"`sudo reboard setup -c {file}` asks and writes one.",
        )
    else:
        for problem in case.config_problem.splitlines():
            do = f"Mend that line, then `reboard check -c {file}` looks again."
            yield wrong("config.file", sentence(problem), do)
    if case.config:
        yield note("config.last_good", "Until then the table plays with the last config that was good.")
