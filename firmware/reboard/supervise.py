"""One accessory that fails spoils nothing else: it is told, and tried again with growing pauses."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from reboard.errors import ReboardError
from reboard.events import Emit
from reboard.pauses import Pauses
from reboard.trouble import Trouble

log = logging.getLogger(__name__)

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 60.0
STEADY_S = 2.0
"""A story that has run this long after a failure is well again."""


async def supervised(part: str, story: Callable[[], Coroutine[Any, Any, None]], emit: Emit) -> None:
    """Run *story* for ever, starting it anew whenever it fails or ends.

    The first failure is told as a ``fault`` of *part* with its cause; further ones of the same cause are not. One that
    is a defect of ours is logged with its trace too. Pauses grow from 1 s to 60 s. When the story has run for
    `STEADY_S` again, ``recovered`` is told.
    """
    trouble = Trouble(part, emit)
    pauses = Pauses(FIRST_PAUSE_S, LONGEST_PAUSE_S)
    while True:
        task = asyncio.ensure_future(story())
        try:
            done, _ = await asyncio.wait({task}, timeout=STEADY_S if trouble.cause else None)
            if not done:
                trouble.tell(None)
                pauses.reset()
                await asyncio.wait({task})
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        error = _error(task)
        is_news = trouble.tell(str(error) or type(error).__name__)
        if is_news and not isinstance(error, ReboardError | OSError):
            log.error("a defect stopped the %s", part, exc_info=error)
        await asyncio.sleep(pauses.next())


def _error(task: asyncio.Future[None]) -> BaseException:
    if task.cancelled():
        return ReboardError("it was called off")
    return task.exception() or ReboardError("its story ended")
