"""A plug that can be pulled between a disk that has it and a table that has not heard so yet."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Literal, TypeVar

from reboard.accessories.banker_unit.ledger import Ledger
from reboard.accessories.banker_unit.ledger_thread import LedgerThread

T = TypeVar("T")

Moment = Literal["before", "after"]
"""Before the ledger thread runs a call, or after it, when the loop does not know yet."""

LONGEST_HOLD_S = 20.0


class Fuse:
    """Calls *blow* on *loop* at one moment of the ledger thread's work, which waits until `let_go`."""

    def __init__(self, loop: asyncio.AbstractEventLoop, blow: Callable[[], None]) -> None:
        self._loop = loop
        self._blow = blow
        self._armed: tuple[Moment, int] | None = None
        self._go_on = threading.Event()

    def arm(self, moment: Moment, calls: int) -> None:
        """Blow at that *moment* of the next call but *calls*."""
        self._go_on.clear()
        self._armed = moment, calls

    def disarm(self) -> None:
        """Do not."""
        self._armed = None
        self._go_on.set()

    let_go = disarm

    def reached(self, moment: Moment) -> None:
        """Called by the ledger thread."""
        match self._armed:
            case (armed, 0) if armed == moment:
                self._armed = None
                self._loop.call_soon_threadsafe(self._blow)
                self._go_on.wait(LONGEST_HOLD_S)
            case (armed, calls) if armed == moment:
                self._armed = armed, calls - 1


def ledger_thread_with(fuse: Fuse) -> type[LedgerThread]:
    """The shipping ledger thread, with a *fuse*."""

    class FusedLedgerThread(LedgerThread):
        def _run(self, work: Callable[[Ledger], T]) -> T:
            fuse.reached("before")
            try:
                return super()._run(work)
            finally:
                fuse.reached("after")

    return FusedLedgerThread
