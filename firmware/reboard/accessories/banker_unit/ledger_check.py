"""The check of the ledger by ``reboard doctor``."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path

from reboard.accessories.banker_unit.database import LEDGER_FILE, LedgerFile
from reboard.devices.device import CheckContext
from reboard.errors import ReboardError
from reboard.finding import Finding, fine, note, sentence, wrong

NAME = "disk.ledger"
SUFFIXES = ("", "-wal", "-shm", "-journal")
"""The ledger, and the files that SQLite keeps beside it."""


async def check_ledger(context: CheckContext, *, is_fitted: bool) -> AsyncIterator[Finding]:
    """Yield whether the user who plays may write the ledger, and whether it adds up.

    A directory that cannot be used is a finding of the disk. *is_fitted*: the table has a banker unit.
    """
    if not context.host.may_use(context.state):
        return
    for finding in await context.host.in_thread(lambda: list(_findings(context, is_fitted))):
        yield finding


def _findings(context: CheckContext, is_fitted: bool) -> Iterator[Finding]:
    host, file = context.host, context.state / LEDGER_FILE
    if not host.has(file):
        if is_fitted and host.has(context.state):
            yield fine(NAME, "There is no ledger yet; the first game creates it.")
        return
    if host.space(context.state).is_read_only:
        return
    if not context.unwritable(context.state):
        problems = (context.unwritable(Path(f"{file}{suffix}")) for suffix in SUFFIXES)
        yield from list(filter(None, problems))[:1]
    if not host.may_read(host.path(file)):
        what = f"The ledger was not checked: {host.user} may not read {file}."
        yield note(NAME, what, "`sudo reboard doctor` checks it.")
        return
    yield _verified(host.path(file))


def _verified(file: Path) -> Finding:
    try:
        with closing(LedgerFile(file, read_only=True)) as ledger:
            problems = ledger.verify()
    except ReboardError as problem:
        return wrong(NAME, sentence(problem))
    if problems:
        return wrong(NAME, f"The ledger does not add up: {problems[0]}.", "`reboard ledger verify` lists all problems.")
    return fine(NAME, "The ledger adds up.")
