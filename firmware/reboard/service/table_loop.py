"""The event loop of a table: it survives ``sys.exit()``, and names the accessory that blocks it or never waits."""

from __future__ import annotations

import asyncio
import logging
import selectors
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from traceback import walk_stack, walk_tb
from typing import Any, Protocol, TypeVar

from reboard.accessories.installed import named
from reboard.errors import Place, Repeats, failure, place_in_plug_in

T = TypeVar("T")

BLOCKED_S = 1.0
"""The time in which a loop that is not blocked begins another turn, in seconds. The watchdog kills it after 5 s."""

BUSY_TURNS = 100
"""The least number of turns within `BLOCKED_S`, none of which waits, of a loop that an accessory keeps busy."""

SAMPLES, SAMPLE_S = 100, 0.001
"""The number of looks at a busy loop to find the plug-in, and the time between them in seconds."""

REMEDY = "Use `await asyncio.sleep(…)` with a time above 0, and await in each loop"

log = logging.getLogger(__name__)

Blame = Callable[[Place, str], None]
"""A function that is called on the loop with a place in a plug-in, and what it did."""


class Progress(Protocol):
    """The progress of a loop, which its selector counts."""

    turns: int
    waits: int
    """The number of turns that waited, or would have waited if there was no input."""
    is_at_rest: bool
    """Whether the loop waits, and runs no code of a task."""
    thread: int
    """The identifier of the loop's thread."""


class WatchedSelector(selectors.DefaultSelector):
    """A selector that counts the turns of its loop, see `Progress`."""

    turns = waits = thread = 0
    is_at_rest = True

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Wait for ready files, and return them."""
        self.is_at_rest = True
        try:
            return super().select(timeout)
        finally:
            self.turns += 1
            self.waits += timeout is None or timeout > 0
            self.thread = threading.get_ident()
            self.is_at_rest = False


class TableLoop(asyncio.SelectorEventLoop):
    """An event loop with a `WatchedSelector`."""

    def __init__(self) -> None:
        self.selector = WatchedSelector()
        super().__init__(self.selector)


def run(main: Coroutine[Any, Any, T], loop: asyncio.AbstractEventLoop) -> T:
    """Run *main* on the new *loop*, and return its result.

    ``sys.exit()`` in a callback or a task of a plug-in would end the loop: the loop's exception handler gets it.
    """
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        task = runner.get_loop().create_task(main)
        while True:
            try:
                return loop.run_until_complete(task)
            except SystemExit as error:
                if task.done():
                    raise
                loop.call_exception_handler({"message": "sys.exit() was called", "exception": error})


@contextmanager
def watched(loop: asyncio.AbstractEventLoop, progress: Progress, blame: Blame | None = None) -> Iterator[None]:
    """Log each place in a plug-in that blocks *loop*, never waits, or fails in a callback, and pass it to *blame*."""
    watch = _Watch(loop, progress, blame)
    thread = threading.Thread(target=watch.run, name="watch of the loop", daemon=True)
    loop.set_exception_handler(watch.handle)
    thread.start()
    try:
        yield
    finally:
        loop.set_exception_handler(None)
        watch.over.set()
        thread.join()


class _Watch:
    def __init__(self, loop: asyncio.AbstractEventLoop, progress: Progress, blame: Blame | None) -> None:
        self.over = threading.Event()
        self._loop = loop
        self._progress = progress
        self._blame = blame
        self._counts = Repeats()

    def run(self) -> None:
        progress = self._progress
        turns = waits = reported = -1
        while not self.over.wait(BLOCKED_S):
            turned, waited = progress.turns - turns, progress.waits - waits
            turns, waits = progress.turns, progress.waits
            if progress.is_at_rest or turns == reported:
                continue
            if turned == 0:
                reported = turns
                self._report(self._place(1), f"has blocked the whole table for {BLOCKED_S:g} s")
            elif waited == 0 and turned >= BUSY_TURNS:
                self._report(self._place(SAMPLES), "keeps the table busy without a pause")

    def handle(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Handle the exception of a callback, or of a task that nothing awaits."""
        error = context.get("exception")
        place = place_in_plug_in(walk_tb(error.__traceback__)) if error else None
        if not error or not place:
            loop.default_exception_handler(context)
            return
        what = f"it called sys.exit({error.code!r})" if isinstance(error, SystemExit) else failure(error)
        cause = f"a callback or a task failed: {what}"
        self._counts.report(log, f"{named(place)}: {cause}", error)
        if self._blame:
            self._blame(place, cause)

    def _report(self, place: Place | None, what: str) -> None:
        if not place:
            return
        cause = f"{place} {what}. {REMEDY}"
        if count := self._counts.count(cause):
            log.warning("%s %s. %s%s", named(place), what, REMEDY, f" ({count} times)" if count > 1 else "")
        if self._blame:
            self._loop.call_soon_threadsafe(self._blame, place, cause)

    def _place(self, samples: int) -> Place | None:
        for _ in range(samples):
            frame = sys._current_frames().get(self._progress.thread)
            if frame and (place := place_in_plug_in(reversed(list(walk_stack(frame))))):
                return place
            time.sleep(SAMPLE_S)
        return None
