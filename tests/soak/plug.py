"""A plug that can be pulled between a disk that has it and a table that has not heard so yet."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Literal, TypeVar

from reboard.banker.bookkeeper import Bookkeeper
from reboard.banker.ledger import Ledger

T = TypeVar("T")

Moment = Literal["before", "after"]
"""Before the bookkeeper does what it was asked, or after, when the loop has not heard of it."""

LONGEST_HOLD_S = 20.0


class Fuse:
    """Calls *blow* on *loop* at one moment of the bookkeeper's work, which stands still until `let_go`."""

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
        """The bookkeeper, in its thread, has come to this."""
        match self._armed:
            case (armed, 0) if armed == moment:
                self._armed = None
                self._loop.call_soon_threadsafe(self._blow)
                self._go_on.wait(LONGEST_HOLD_S)
            case (armed, calls) if armed == moment:
                self._armed = armed, calls - 1


def bookkeeper_with(fuse: Fuse) -> type[Bookkeeper]:
    """The shipping bookkeeper, with a *fuse*."""

    class FusedBookkeeper(Bookkeeper):
        def _work(self, call: Callable[[Ledger], T]) -> T:
            fuse.reached("before")
            try:
                return super()._work(call)
            finally:
                fuse.reached("after")

    return FusedBookkeeper
