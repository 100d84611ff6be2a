"""The supervision of a table's accessories: they are restarted with a backoff, and their faults are logged."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from reboard.aiotools import Backoff
from reboard.errors import ReboardError, Repeats, failure, text_of
from reboard.events import Emit, FaultState
from reboard.languages import translatable

log = logging.getLogger(__name__)

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 60.0
STEADY_S = 2.0
"""The time that a restarted accessory must run to count as recovered, in seconds."""


async def supervised(part: str, play: Callable[[], Coroutine[Any, Any, None]], emit: Emit) -> None:
    """Run *play* until cancelled, and restart it with a backoff from 1 s to 60 s when it fails or returns.

    Emit ``fault`` for *part* when the cause of the failures changes. Emit ``recovered`` when *play*, after a failure,
    has run for `STEADY_S`. Log an unexpected exception with its traceback, and later only its count.
    """
    fault = FaultState(part, emit)
    pauses = Backoff(FIRST_PAUSE_S, LONGEST_PAUSE_S)
    bugs = Repeats()
    now = asyncio.get_running_loop().time
    while True:
        began = now()
        task = asyncio.ensure_future(play())
        try:
            done, _ = await asyncio.wait({task}, timeout=STEADY_S if fault.cause else None)
            if not done:
                fault.set(None)
                await asyncio.wait({task})
        except asyncio.CancelledError:
            task.cancel()
            (failed,) = await asyncio.gather(task, return_exceptions=True)
            if isinstance(failed, Exception):
                bugs.report(log, f"{part} failed when it was stopped", failed)
            raise
        error: BaseException = ReboardError(translatable("it stopped unexpectedly"))
        try:
            task.result()
        except BaseException as raised:  # also of a task that its accessory cancelled
            error = raised
        is_bug = not isinstance(error, ReboardError | OSError)
        cause = failure(error) if is_bug else text_of(error) or type(error).__name__
        if fault.set(cause) and is_bug:
            bugs.report(log, f"{part} was stopped by a bug; please report it to its author", error)
        if now() - began >= LONGEST_PAUSE_S:
            pauses.reset()
        await asyncio.sleep(pauses.next())


LOGGED_AT_ONCE = 2
"""The number of changes of a part's fault that are logged at once: the fault and the recovery."""

LOG_EVERY_S = 5.0


class FaultLog:
    """The log of a table's faults. Of a part that fails again and again, it writes a line every `LOG_EVERY_S`."""

    def __init__(self) -> None:
        self._changes: dict[str, list[str | None]] = {}

    def change(self, part: str, cause: str | None) -> None:
        """Log that *part* has a fault with *cause*, or has recovered if *cause* is ``None``."""
        if part not in self._changes:
            self._changes[part] = []
            asyncio.get_running_loop().call_later(LOG_EVERY_S, self._sum_up, part)
        changes = self._changes[part]
        changes.append(cause)
        if len(changes) <= LOGGED_AT_ONCE:
            self._write(part, cause)

    def _sum_up(self, part: str) -> None:
        changes = self._changes.pop(part)[LOGGED_AT_ONCE:]
        if changes:
            self._write(part, changes[-1], f" ({len(changes)} changes in {LOG_EVERY_S:g} s)")
            self._changes[part] = [None] * LOGGED_AT_ONCE
            asyncio.get_running_loop().call_later(LOG_EVERY_S, self._sum_up, part)

    def _write(self, part: str, cause: str | None, count: str = "") -> None:
        extra = {"REBOARD_PART": part}
        if cause is None:
            log.info("%s has recovered%s", part, count, extra=extra)
        else:
            log.warning("%s: %s%s", part, cause, count, extra=extra)
