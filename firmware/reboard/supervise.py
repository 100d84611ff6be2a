"""One accessory that fails spoils nothing else: it is told, and tried again with growing pauses."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from reboard.errors import ReboardError
from reboard.events import Emit

log = logging.getLogger(__name__)

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 60.0
STEADY_S = 2.0
"""A story that has run this long after a failure is well again."""


async def supervised(part: str, story: Callable[[], Coroutine[Any, Any, None]], emit: Emit) -> None:
    """Run *story* for ever, starting it anew whenever it fails or ends.

    The first failure is logged and told as a ``fault`` of *part* with its cause; further ones of the same cause are
    not. Pauses grow from 1 s to 60 s. When the story has run for `STEADY_S` again, ``recovered`` is told.
    """
    pause_s = FIRST_PAUSE_S
    told: str | None = None
    while True:
        task = asyncio.ensure_future(story())
        try:
            done, _ = await asyncio.wait({task}, timeout=STEADY_S if told else None)
            if not done:
                emit("recovered", part=part)
                log.info("%s is well again", part)
                told, pause_s = None, FIRST_PAUSE_S
                await asyncio.wait({task})
            cause = _cause(task)
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        if cause != told:
            expected = isinstance(task.exception(), ReboardError | OSError)
            log.error("%s stopped: %s", part, cause, exc_info=None if expected else task.exception())
            emit("fault", part=part, cause=cause)
            told = cause
        await asyncio.sleep(pause_s)
        pause_s = min(2 * pause_s, LONGEST_PAUSE_S)


def _cause(task: asyncio.Future[None]) -> str:
    error = task.exception()
    if error is None:
        return "its story ended"
    return str(error) or type(error).__name__
