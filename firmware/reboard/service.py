"""The daemon's manners: ready when it is, a fed watchdog, a new config when asked, a clean stop on a signal."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
from collections.abc import Callable, Coroutine, Iterator, Mapping
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, Protocol, TypeVar

from reboard import service_manager
from reboard.door.server import TableBehind, TableDoor
from reboard.either import either
from reboard.errors import ReboardError
from reboard.events import Event
from reboard.service_manager import notify

T = TypeVar("T")

log = logging.getLogger(__name__)

STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)
PLAYING = "The table plays."


class ServedTable(TableBehind, Protocol):
    """What can be run as a daemon."""

    @property
    def ready(self) -> asyncio.Event:
        """Set once every accessory has been started."""

    @property
    def faults(self) -> Mapping[str, str]:
        """The parts that do not work now, and why."""

    async def run(self) -> None:
        """Play until cancelled, and give every part back on the way out."""

    def greet(self) -> None:
        """Let those at the table know that it plays."""


async def daemon(life: Callable[[asyncio.Event], Coroutine[Any, Any, None]]) -> None:
    """Live *life* until it ends, or until SIGTERM or SIGINT stops it cleanly; a second one ends the process at once.

    The watchdog is fed for as long as the loop turns. *life* is given what is set whenever SIGHUP asks to read the
    config anew. Without systemd, SIGHUP is a terminal that was closed, and stops like the others.
    """
    with _signals() as asked:
        await either(asked.to_stop.wait(), life(asked.to_reload), _feed_watchdog())


async def serve(
    table: ServedTable,
    door: TableDoor,
    *,
    keep: Callable[[], None],
    to_reload: asyncio.Event,
    reread: Callable[[], T],
) -> T:
    """Run *table* behind *door* until a config has been *reread* that can be played with, and return that.

    *keep* is called once the table is ready, and *reread* whenever *to_reload* is set, in a thread where they may wait
    for the disk. When *keep* returns, the table greets. When *reread* raises `ReboardError`, the table plays on,
    and tells of the fault.

    Raises `DoorError` before any part is touched when another table is at work, and whatever makes the table
    itself fail.
    """
    status = _Status(table)
    found: asyncio.Future[T] = asyncio.get_running_loop().create_future()
    door.claim()
    try:
        await either(
            _find_config(table, status, to_reload, reread, found), table.run(), _begin(table, door, keep, status)
        )
    finally:
        await door.close()
    return found.result()


async def _begin(table: ServedTable, door: TableDoor, keep: Callable[[], None], status: _Status) -> None:
    """Say when the table is ready, and greet those at it, however long the disk takes to *keep*."""
    await table.ready.wait()
    await door.open()
    status.tell_ready()
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
        log.info("asked to read the config anew")
        notify(f"RELOADING=1\nMONOTONIC_USEC={asyncio.get_running_loop().time() * 1_000_000:.0f}")
        try:
            found.set_result(await asyncio.to_thread(reread))
            return
        except ReboardError as problem:
            table.events.emit("fault", part="config", cause=str(problem))
            status.tell_ready()


async def _feed_watchdog() -> None:
    interval_s = service_manager.watchdog_s()
    while interval_s:
        await asyncio.sleep(interval_s / 2)
        notify("WATCHDOG=1")
    await asyncio.Event().wait()


class _Status:
    """The line that ``systemctl status`` shows: what is wrong now, or that nothing is."""

    def __init__(self, table: ServedTable) -> None:
        self._table = table
        self._is_told = False
        table.events.listen(self._hear)

    def tell_ready(self) -> None:
        """The table plays, now or again."""
        notify(f"READY=1\nSTATUS={self}")
        self._is_told = True

    def _hear(self, event: Event) -> None:
        if self._is_told and event.name in ("fault", "recovered"):
            notify(f"STATUS={self}")

    def __str__(self) -> str:
        faults = "; ".join(f"{part}: {cause}" for part, cause in self._table.faults.items())
        return " ".join(faults.split()) or PLAYING


@dataclass(frozen=True)
class _Asked:
    """What signals have asked for."""

    to_stop: asyncio.Event = field(default_factory=asyncio.Event)
    to_reload: asyncio.Event = field(default_factory=asyncio.Event)


@contextlib.contextmanager
def _signals() -> Iterator[_Asked]:
    """Hear signals. Once one asked to stop, the next one ends the process, even if the loop hung before the first."""
    loop = asyncio.get_running_loop()
    asked = _Asked()
    to_stop = STOP_SIGNALS if service_manager.is_listening() else (*STOP_SIGNALS, signal.SIGHUP)

    def let_the_next_end_us(_: int, frame: FrameType | None) -> None:
        # a hung loop calls no handler of its own, but Python calls this one
        for number in to_stop:
            signal.signal(number, signal.SIG_DFL)

    def let_go() -> None:
        for number in (*STOP_SIGNALS, signal.SIGHUP):
            if loop.remove_signal_handler(number):
                signal.signal(number, signal.SIG_DFL)

    def ask_to_stop() -> None:
        log.info("asked to stop")
        notify("STOPPING=1\nSTATUS=The table is being put away.")
        let_go()
        asked.to_stop.set()

    loop.add_signal_handler(signal.SIGHUP, asked.to_reload.set)
    for number in to_stop:
        loop.add_signal_handler(number, ask_to_stop)
        signal.signal(number, let_the_next_end_us)  # the loop hears of it all the same, through its wake-up pipe
    try:
        yield asked
    finally:
        let_go()
