"""The table page: does it answer where it should, and who can open it?"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from urllib.error import HTTPError

from reboard.config import DEFAULT_LISTEN
from reboard.doctor.case import Case
from reboard.doctor.units import PAGE
from reboard.finding import Finding, fine, note, wrong
from reboard.settings.pins_and_ports import Listen

ANSWERS_WITHIN_S = 5.0
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}
LOG = "`journalctl -u reboard-page -n 30` shows its last words."


async def look_at_page(case: Case) -> AsyncIterator[Finding]:
    """Ask for what a browser asks for."""
    if not case.config:
        return
    listen = case.config.page.listen if case.config.page else DEFAULT_LISTEN
    unit = case.units.get(PAGE) if case.units else None
    url = f"http://{Listen(EVERYWHERE.get(listen.host, listen.host), listen.port)}/api/table"
    try:
        answer = await case.machine.fetched(url, ANSWERS_WITHIN_S)
    except HTTPError as error:
        if error.code == 503:
            yield note("page.answers", f"The page answers at {listen}, but finds no table.")
        else:
            yield _somebody_else(case, listen)
        return
    except OSError as error:
        if unit and unit.is_enabled:
            yield wrong("page.answers", f"The page does not answer at {listen}: {_why(error)}.", LOG)
        else:
            yield note("page.answers", f"No page is at work at {listen}.", "`reboard page` starts one.")
        return
    if not _is_a_table(answer):
        yield _somebody_else(case, listen)
        return
    yield fine("page.answers", f"The page answers at {listen}.")
    if listen.host in ("127.0.0.1", "localhost", "::1"):
        yield note(
            "page.reach",
            "Only this machine can open the page.",
            f'`listen = "0.0.0.0:{listen.port}"` in [page] lets everybody in your network in.',
        )


def _somebody_else(case: Case, listen: Listen) -> Finding:
    do = f"End that program, or give the page another port: listen in [page] of {case.config_file}."
    return wrong("page.answers", f"What answers at {listen} is not the table page.", do)


def _why(error: OSError) -> str:
    reason = getattr(error, "reason", error)
    return getattr(reason, "strerror", None) or str(reason)


def _is_a_table(answer: str) -> bool:
    try:
        table = json.loads(answer)
    except ValueError:
        return False
    return isinstance(table, dict) and {"edition", "cards"} <= table.keys()
