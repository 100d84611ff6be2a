"""What systemd tells the services it starts, and what they tell it."""

from __future__ import annotations

import logging
import os
import socket
from pathlib import Path

log = logging.getLogger(__name__)


def is_listening() -> bool:
    """Whether systemd has started us and waits for what `notify` says."""
    return bool(os.environ.get("NOTIFY_SOCKET"))


def notify(message: str) -> None:
    """Tell systemd, if it started us: ``NAME=value`` lines, as in sd_notify(3). Never waits."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return
    if address.startswith("@"):
        address = "\0" + address[1:]
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as teller:
            teller.setblocking(False)
            teller.sendto(message.encode(), address)
    except OSError as error:
        log.warning("systemd could not be told %r: %s", message, error)


def watchdog_s() -> float | None:
    """How often systemd wants to hear of us at the least, in seconds; ``None`` when it does not."""
    usec = os.environ.get("WATCHDOG_USEC", "")
    meant_for = os.environ.get("WATCHDOG_PID", "")
    if not usec.isdecimal() or not int(usec) or (meant_for and meant_for != str(os.getpid())):
        return None
    return int(usec) / 1_000_000


def runtime_directory() -> Path | None:
    """The directory in memory that systemd has made for us (``/run/reboard-table``), if it has."""
    # it lists several with colons; the first is ours
    first = os.environ.get("RUNTIME_DIRECTORY", "").split(":")[0]
    return Path(first) if first else None
