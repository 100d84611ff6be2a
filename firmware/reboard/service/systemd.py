"""Notifications to systemd, and backoff after failed starts."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from reboard.errors import GivenUpError

log = logging.getLogger(__name__)


def is_listening() -> bool:
    """Return whether systemd started this process and waits for `notify`."""
    return bool(os.environ.get("NOTIFY_SOCKET"))


def notify(message: str) -> None:
    """Send ``NAME=value`` lines to systemd as in sd_notify(3), if it started this process. Never waits."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return
    if address.startswith("@"):
        address = "\0" + address[1:]
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.setblocking(False)
            sender.sendto(message.encode(), address)
    except OSError as error:
        log.warning("systemd did not take the notification %r: %s", message, error)


def watchdog_s() -> float | None:
    """Return the period of systemd's watchdog in seconds; ``None`` without one."""
    usec = os.environ.get("WATCHDOG_USEC", "")
    meant_for = os.environ.get("WATCHDOG_PID", "")
    if not usec.isdecimal() or not int(usec) or (meant_for and meant_for != str(os.getpid())):
        return None
    return int(usec) / 1_000_000


COUNT_NAME = "failed-starts"
FIRST_PAUSE_S = 2.0
LONGEST_PAUSE_S = 32.0
STEADY_S = 60.0
"""The time after which a table counts as started. Its next failure counts as the first."""
MOST_FAILURES = 6
START_S = 90.0
"""The time limit of a start after the pause. The unit file has the same."""


@asynccontextmanager
async def paused_after_failures(directory: Path | None) -> AsyncIterator[None]:
    """Wait up to 32 s if the table failed before. A body that raises an exception counts as one more failure.

    Raises `GivenUpError` instead of running the body after six failures in a row, and resets the count. *directory*
    keeps the count between the starts by systemd. Without a directory there is no count and no pause.
    """
    if directory is None:
        yield
        return
    count = directory / COUNT_NAME
    failed = _failed(count)
    if failed >= MOST_FAILURES:
        _forget(count)
        raise GivenUpError(
            f"the table failed {failed} times in a row and stays off. Start it with `sudo systemctl start reboard`"
        )
    with suppress(OSError):  # a table plays also without the count
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
    status = f"The table failed {times}. It starts again in {pause_s:g} s."
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
