"""The daemon under systemd: ready notification, watchdog, reload on SIGHUP, clean stop on a signal."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping
from dataclasses import field
from types import FrameType
from typing import Any, Protocol, TypeVar

from reboard.aiotools import first_of, until_multiple_of
from reboard.control.socket_server import ControlSocket, SharedTable
from reboard.errors import ReboardError
from reboard.events import EmittedEvent, Fault
from reboard.record import Record
from reboard.service import systemd
from reboard.service.systemd import notify
from reboard.service.table_loop import unfinished

T = TypeVar("T")

log = logging.getLogger(__name__)

STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)
LONGEST_STOP_S = 8.0
"""The time after a stop signal, in seconds, after which the process ends with calls that wait for the disk.

systemd would kill it after ``TimeoutStopSec=10s`` and start safe mode. The ledger loses nothing: only a commit that has
returned is confirmed, and SQLite completes or drops a commit whose process ended.
"""

PLAYING = "The table is running."


class ServedTable(SharedTable, Protocol):
    """The interface of a table for the daemon, see `reboard.table.Table`."""

    @property
    def ready(self) -> asyncio.Event: ...
    @property
    def faults(self) -> Mapping[str, str]: ...
    async def run(self) -> None: ...
    def greet(self) -> None: ...


async def daemon(life: Callable[[asyncio.Event], Coroutine[Any, Any, None]]) -> None:
    """Run *life* until it returns, or until SIGTERM or SIGINT cancels it. A second signal kills the process.

    The first signal ends the process after `LONGEST_STOP_S` at the latest, even if a driver, a plug-in or the disk
    hangs.

    While the event loop is running, systemd's watchdog is notified. Under systemd, SIGHUP sets the event that is passed
    to *life*, which requests a reload of the config. Without systemd, SIGHUP means that the terminal was closed, and
    also cancels *life*.
    """
    with _signals() as signals:
        await first_of(signals.to_stop.wait(), life(signals.to_reload), _feed_watchdog())


async def serve(
    table: ServedTable,
    control_socket: ControlSocket,
    *,
    keep: Callable[[], None],
    to_reload: asyncio.Event,
    reread: Callable[[], T],
) -> T:
    """Run *table* with *control_socket* until *reread* returns a valid config. Return that config.

    When the table is ready, `serve` calls *keep* and then plays the greeting. It calls *reread* whenever *to_reload* is
    set. Both functions run on a thread, because they wait for the disk. If *reread* raises `ReboardError`, the table
    continues and reports a fault.

    If another table is running, raises `ControlSocketError` before opening any device. Also raises the errors of
    *table*.
    """
    status = _Status(table)
    found: asyncio.Future[T] = asyncio.get_running_loop().create_future()
    control_socket.claim()
    try:
        await first_of(
            _find_config(table, status, to_reload, reread, found),
            table.run(),
            _begin(table, control_socket, keep, status),
        )
    finally:
        await control_socket.close()
    return found.result()


async def _begin(table: ServedTable, control_socket: ControlSocket, keep: Callable[[], None], status: _Status) -> None:
    """Wait until *table* is ready, accept clients, notify systemd, call *keep* and greet. Then wait forever."""
    await table.ready.wait()
    await control_socket.open()
    status.report_ready()
    log.info("the table is ready")
    await asyncio.to_thread(keep)
    table.greet()
    await asyncio.Event().wait()


async def _find_config(
    table: ServedTable,
    status: _Status,
    to_reload: asyncio.Event,
    reread: Callable[[], T],
    found: asyncio.Future[T],
) -> None:
    await table.ready.wait()
    while True:
        await to_reload.wait()
        to_reload.clear()
        log.info("reloading the config")
        notify(f"RELOADING=1\nMONOTONIC_USEC={asyncio.get_running_loop().time() * 1_000_000:.0f}")
        try:
            found.set_result(await asyncio.to_thread(reread))
            return
        except ReboardError as problem:
            table.events.emit(Fault("config", str(problem)))
            status.report_ready()


async def _feed_watchdog() -> None:
    interval_s = systemd.watchdog_s()
    while interval_s:
        await asyncio.sleep(until_multiple_of(interval_s / 2))
        notify("WATCHDOG=1")
    await asyncio.Event().wait()


class _Status:
    """The status text for ``systemctl status``: the faults of the table, or that it is running."""

    def __init__(self, table: ServedTable) -> None:
        self._table = table
        self._is_reported = False
        table.events.listen(self._hear)

    def report_ready(self) -> None:
        """Notify systemd that the table is ready, after the start or after a failed reload."""
        notify(f"READY=1\nSTATUS={self}")
        self._is_reported = True

    def _hear(self, event: EmittedEvent) -> None:
        if self._is_reported and event.name in ("fault", "recovered"):
            notify(f"STATUS={self}")

    def __str__(self) -> str:
        faults = "; ".join(f"{part}: {cause}" for part, cause in self._table.faults.items())
        return " ".join(faults.split()) or PLAYING


class _Signals(Record):
    """The requests that signals make: to stop, and to reload the config."""

    to_stop: asyncio.Event = field(default_factory=asyncio.Event)
    to_reload: asyncio.Event = field(default_factory=asyncio.Event)


@contextlib.contextmanager
def _signals() -> Iterator[_Signals]:
    """Handle signals while the context lasts, and yield their requests.

    The second stop signal kills the process, even if the event loop hangs.
    """
    loop = asyncio.get_running_loop()
    signals = _Signals()
    to_stop = STOP_SIGNALS if systemd.is_listening() else (*STOP_SIGNALS, signal.SIGHUP)

    def let_next_signal_kill(_: int, frame: FrameType | None) -> None:
        # a hung event loop calls none of its handlers, but Python calls this one
        for number in to_stop:
            signal.signal(number, signal.SIG_DFL)

    def restore() -> None:
        for number in (*STOP_SIGNALS, signal.SIGHUP):
            if loop.remove_signal_handler(number):
                signal.signal(number, signal.SIG_DFL)

    def stop() -> None:
        log.info("stopping")
        notify("STOPPING=1\nSTATUS=The table is stopping.")
        restore()
        _end_within(LONGEST_STOP_S, loop)
        signals.to_stop.set()

    loop.add_signal_handler(signal.SIGHUP, signals.to_reload.set)
    for number in to_stop:
        loop.add_signal_handler(number, stop)
        signal.signal(number, let_next_signal_kill)  # the event loop still gets it, through its wake-up pipe
    try:
        yield signals
    finally:
        restore()


def _end_within(seconds: float, loop: asyncio.AbstractEventLoop) -> None:
    """End the process in *seconds*, unless it has ended by then."""

    def end() -> None:
        log.warning(
            "the table has not stopped within %g s, because %s: it ends now. What was confirmed is saved",
            seconds,
            f"{waits} has not ended" if (waits := unfinished(loop)) else "the disk or a device does not answer",
        )
        os._exit(0)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
