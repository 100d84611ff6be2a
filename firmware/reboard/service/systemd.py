"""Notifications to systemd, and a backoff after failed starts."""

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
    """Return whether systemd started this process and expects notifications from `notify`."""
    return bool(os.environ.get("NOTIFY_SOCKET"))


def notify(message: str) -> None:
    """Send ``NAME=value`` lines to systemd as in sd_notify(3). Does nothing without systemd. Never blocks."""
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
        log.warning("the notification %r could not be sent to systemd: %s", message, error)


def watchdog_s() -> float | None:
    """Return the timeout of systemd's watchdog for this process, in seconds, or ``None`` without a watchdog."""
    usec = os.environ.get("WATCHDOG_USEC", "")
    meant_for = os.environ.get("WATCHDOG_PID", "")
    if not usec.isdecimal() or not int(usec) or (meant_for and meant_for != str(os.getpid())):
        return None
    return int(usec) / 1_000_000


COUNT_NAME = "failed-starts"
FIRST_PAUSE_S = 2.0
LONGEST_PAUSE_S = 32.0
STEADY_S = 60.0
"""The time after which a start counts as successful, in seconds. The count of failures is then deleted."""
MOST_FAILURES = 6
START_S = 90.0
"""The time limit for the start after the pause, in seconds. The unit file has the same value."""


@asynccontextmanager
async def paused_after_failures(directory: Path | None) -> AsyncIterator[None]:
    """Wait before the body if the table failed before: 2 s after the first failure, doubling up to 32 s.

    An exception or a kill within the first `STEADY_S` counts as a failure. After six failures in a row, reset the count
    and raise `GivenUpError` instead of running the body. *directory* stores the count between systemd's restarts.
    Without a directory, there is neither a count nor a pause.
    """
    if directory is None:
        yield
        return
    count = directory / COUNT_NAME
    failed = _failed(count)
    if failed >= MOST_FAILURES:
        _forget(count)
        raise GivenUpError(
            f"the table failed {failed} times in a row and stays off. `journalctl -u reboard` shows the cause; "
            "`sudo systemctl start reboard` starts the table again"
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
    status = f"The table failed {times}. It will start again in {pause_s:g} s."
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
