"""The daemon's manners: ready when it is, a fed watchdog, a clean stop on a signal."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import socket
from collections.abc import Callable, Iterator
from typing import Protocol

from reboard.door.server import TableBehind, TableDoor
from reboard.either import either
from reboard.events import Event

log = logging.getLogger(__name__)

STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)
PLAYING = "The table plays."


class ServedTable(TableBehind, Protocol):
    """What can be run as a daemon."""

    @property
    def ready(self) -> asyncio.Event:
        """Set once every accessory has been started."""

    async def run(self) -> None:
        """Play until cancelled, and give every part back on the way out."""

    def greet(self) -> None:
        """Let those at the table know that it plays."""


async def serve(table: ServedTable, door: TableDoor, *, keep: Callable[[], None]) -> None:
    """Run *table* behind *door* until SIGTERM or SIGINT, which stop it cleanly; a second one ends the process at once.

    *keep* is called once the table is ready, in a thread where it may wait for the disk; when it returns, the table
    greets. Raises `DoorError` before any part is touched when another table is at work, and whatever makes the table
    itself fail.
    """
    door.claim()
    try:
        with _stop_signals() as stop:
            await either(stop.wait(), table.run(), _begin(table, door, keep))
    finally:
        await door.close()


async def _begin(table: ServedTable, door: TableDoor, keep: Callable[[], None]) -> None:
    """Say when the table is ready, then for ever that its loop still turns, however long the disk takes to *keep*."""
    status = _Status()
    table.events.listen(status.hear)
    await table.ready.wait()
    await door.open()
    notify(f"READY=1\nSTATUS={status}")
    status.is_told = True
    log.info("the table is ready")
    await asyncio.gather(_feed_watchdog(), _greet(table, keep))


async def _greet(table: ServedTable, keep: Callable[[], None]) -> None:
    await asyncio.to_thread(keep)
    table.greet()


async def _feed_watchdog() -> None:
    interval_s = watchdog_s()
    while interval_s:
        await asyncio.sleep(interval_s / 2)
        notify("WATCHDOG=1")
    await asyncio.Event().wait()


class _Status:
    """The line that ``systemctl status`` shows: what is wrong now, or that nothing is."""

    def __init__(self) -> None:
        self.is_told = False
        self._faults: dict[object, object] = {}

    def hear(self, event: Event) -> None:
        if event.name == "fault":
            self._faults[event.fields["part"]] = event.fields["cause"]
        elif event.name == "recovered":
            self._faults.pop(event.fields["part"], None)
        else:
            return
        if self.is_told:
            notify(f"STATUS={self}")

    def __str__(self) -> str:
        faults = "; ".join(f"{part}: {cause}" for part, cause in self._faults.items())
        return " ".join(faults.split()) or PLAYING


@contextlib.contextmanager
def _stop_signals() -> Iterator[asyncio.Event]:
    """An event that the first signal sets. The second finds the system's own handling: the end, even of a hung loop."""
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()

    def let_go() -> None:
        for number in STOP_SIGNALS:
            if loop.remove_signal_handler(number):
                signal.signal(number, signal.SIG_DFL)

    def ask_to_stop() -> None:
        log.info("asked to stop")
        notify("STOPPING=1\nSTATUS=The table is being put away.")
        let_go()
        stop.set()

    for number in STOP_SIGNALS:
        loop.add_signal_handler(number, ask_to_stop)
    try:
        yield stop
    finally:
        let_go()


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
