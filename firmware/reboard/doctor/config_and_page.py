"""The checks of the config file and of the table page.

``config.file``: whether the config is valid; each mistake with its line.
``config.rights``: the service's user has no permission to read the config.
``config.restore``: a restore was interrupted.
``config.last_good``: the table plays with the last good config.
``page.answers``: whether the page answers.
``page.reach``: whether other machines can reach the page.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from urllib.error import HTTPError

from reboard.config.pins_and_ports import Listen
from reboard.config.reading import DEFAULT_CONFIG
from reboard.doctor.doctor_context import PAGE, REINSTALL, DoctorContext
from reboard.finding import Finding, fine, note, sentence, wrong
from reboard.table_config import PageConfig

CONTROL_GROUP = "reboard-control"
"""The group with permission to read the config. The users of the table, the page and the commands are members."""


async def check_config(context: DoctorContext) -> AsyncIterator[Finding]:
    """Check whether the config file exists, is valid, and is readable by the table's user."""
    file = context.config_file
    if context.is_half_restored:
        what = "A restore was interrupted, so config and ledger may not belong together, and the table does not start."
        yield wrong("config.restore", what, "Run `sudo reboard restore`, which completes it.")
    is_unreadable = (
        context.service and file.absolute() == DEFAULT_CONFIG and not context.host.may_be_read_by(context.player, file)
    )
    if is_unreadable:
        yield wrong(
            "config.rights",
            f"{context.player}, the user of the table, has no permission to read {file}.",
            f"Run `sudo chgrp {CONTROL_GROUP} {file}`, `sudo chmod 640 {file}` and "
            "`sudo systemctl reload-or-restart reboard`.",
        )
    if context.config and not context.config_problem:
        if not is_unreadable:
            yield fine("config.file", f"{file} is valid.")
        return
    if file.exists() and not context.host.may_read(file):
        what = f"{context.host.user} has no permission to read {file}, so the config was not checked."
        yield note("config.file", what, f"Run `sudo reboard doctor -c {file}` to check it.")
        return
    if not file.exists():
        do = f"Run `sudo reboard setup -c {file}` to create one."
        if context.service and file.absolute() == DEFAULT_CONFIG:
            do += f" {REINSTALL} restores the last good one."
        yield wrong("config.file", f"There is no config: {file} is missing.", do)
    else:
        reload = ", and `sudo systemctl reload-or-restart reboard` to use it" if context.service else ""
        for problem in context.config_problem.splitlines():
            do = f"Correct the config, then run `reboard check -c {file}` to check it again{reload}."
            yield wrong("config.file", sentence(problem), do)
    if context.config:
        yield note("config.last_good", "Until the config is valid, the table uses the last good config.")


ANSWERS_WITHIN_S = 5.0
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}
LOG = "`journalctl -u reboard-page -n 30` shows the latest messages of the page."


async def check_page(context: DoctorContext) -> AsyncIterator[Finding]:
    """Check whether the table page answers an HTTP request, and whether other machines can open it."""
    if not context.config:
        return
    page = context.config.page or PageConfig()
    listen = page.listen
    unit = context.units.get(PAGE) if context.units else None
    url = f"http://{Listen(EVERYWHERE.get(listen.host, listen.host), listen.port)}/api/table"
    try:
        answer = await context.host.fetch(url, ANSWERS_WITHIN_S)
    except HTTPError as error:
        if error.code == 503:
            yield note("page.answers", f"The page answers at {listen}, but finds no running table.")
        else:
            yield _other_program(context, listen)
        return
    except OSError as error:
        if unit and unit.is_enabled:
            yield wrong("page.answers", f"The page does not answer at {listen}: {_why(error)}.", LOG)
        else:
            yield note("page.answers", f"No page is running at {listen}.", "`reboard page` starts one.")
        return
    if not _is_a_table(answer):
        yield _other_program(context, listen)
        return
    yield fine("page.answers", f"The page answers at {listen}.")
    if listen.is_local and not page.proxy:
        restart = "run `sudo systemctl restart reboard-page`" if unit else "restart the page"
        yield note(
            "page.reach",
            "Only this machine can open the page.",
            f'To open it to your network, write `listen = "0.0.0.0:{listen.port}"` into [page], then {restart}.',
        )


def _other_program(context: DoctorContext, listen: Listen) -> Finding:
    do = f"Stop that program, or choose another port for the page: `listen` in [page] of {context.config_file}."
    return wrong("page.answers", f"Another program answers at {listen} instead of the table page.", do)


def _why(error: OSError) -> str:
    reason = getattr(error, "reason", error)
    return getattr(reason, "strerror", None) or str(reason)


def _is_a_table(answer: str) -> bool:
    try:
        table = json.loads(answer)
    except ValueError:
        return False
    return isinstance(table, dict) and {"edition", "cards"} <= table.keys()
