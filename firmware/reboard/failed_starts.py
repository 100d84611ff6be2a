"""Pauses before a table that failed is tried again, each longer than the one before.

systemd starts it anew; it can let pauses grow only from version 254 on, and when it ends the trying itself it refuses
whoever starts the table by hand as well. So the count of failures is kept in memory from one process to the next, and
each new one waits before it touches anything, or gives up.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from reboard.errors import GivenUpError
from reboard.service_manager import notify

log = logging.getLogger(__name__)

COUNT_NAME = "failed-starts"
FIRST_PAUSE_S = 2.0
LONGEST_PAUSE_S = 32.0
STEADY_S = 60.0
"""A table that has run so long was well, and whatever ends it is a first failure."""
MOST_FAILURES = 6
START_S = 90.0
"""What a start may take after the pause: the unit's own limit."""


@asynccontextmanager
async def paused_after_failures(directory: Path | None) -> AsyncIterator[None]:
    """Wait, if the table failed before, for up to 32 s, and count the body as one more failure if it raises.

    Raises `GivenUpError` in place of the body when it has failed six times in a row; who tries again after that begins
    anew. *directory* keeps the count while systemd tries again. Without one nobody does, and nothing is waited for.
    """
    if directory is None:
        yield
        return
    count = directory / COUNT_NAME
    failed = _failed(count)
    if failed >= MOST_FAILURES:
        _forget(count)
        raise GivenUpError(f"the table failed {failed} times in a row, and is tried no more until somebody starts it")
    with suppress(OSError):  # a count that cannot be kept is no reason not to play
        count.write_text(str(failed + 1))
    timers: list[asyncio.TimerHandle] = []
    has_failed = False
    try:
        if failed:
            await _pause(failed)
        timers.append(asyncio.get_running_loop().call_later(STEADY_S, _forget, count))
        yield
    except Exception:
        has_failed = True
        raise
    finally:
        for timer in timers:
            timer.cancel()
        if not has_failed:
            _forget(count)


async def _pause(failed: int) -> None:
    pause_s = min(FIRST_PAUSE_S * 2 ** (failed - 1), LONGEST_PAUSE_S)
    times = "once" if failed == 1 else f"{failed} times"
    status = f"The table failed {times}, and is tried again in {pause_s:g} s."
    log.warning("%s", status)
    notify(f"STATUS={status}\nEXTEND_TIMEOUT_USEC={(pause_s + START_S) * 1_000_000:.0f}")
    await asyncio.sleep(pause_s)


def _failed(count: Path) -> int:
    try:
        return max(int(count.read_text()), 0)
    except (OSError, ValueError):
        return 0


def _forget(count: Path) -> None:
    with suppress(OSError):
        count.unlink(missing_ok=True)
