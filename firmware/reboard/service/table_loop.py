"""The event loop of a table: it survives ``sys.exit()``, and names the accessory that blocks it or never waits."""

from __future__ import annotations

import asyncio
import logging
import selectors
import sys
import threading
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from traceback import walk_tb
from types import FrameType
from typing import Any, Protocol, TypeVar

from reboard.accessories.installed import named
from reboard.errors import NOT_PLUG_INS, Place, Repeats, failure, place_in_plug_in, running_place

T = TypeVar("T")

BLOCKED_S = 1.0
"""The time in which a loop that is not blocked begins another turn, in seconds. The watchdog kills it after 5 s."""

BUSY_TURNS = 100
"""The least number of turns within `BLOCKED_S`, none of which waits, of a loop that an accessory keeps busy."""

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
    ``loop.stop()`` does nothing.
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
            except RuntimeError as error:
                if task.done() or type(error) is not RuntimeError:
                    raise
                log.warning("an accessory called loop.stop(), which does nothing here")


def next_place(loop: asyncio.AbstractEventLoop) -> Place | None:
    """Return the place in a plug-in of the task or callback that *loop* runs next, or ``None`` if there is none."""
    ready: Iterable[asyncio.Handle] = loop._ready  # type: ignore[attr-defined]
    timers: Sequence[asyncio.Handle] = loop._scheduled  # type: ignore[attr-defined]
    waiting = {id(getattr(task, "_fut_waiter", None)): task for task in asyncio.all_tasks(loop)}
    return next(filter(None, (_place_of(handle, waiting) for handle in (*ready, *timers[:1]))), None)


def _place_of(handle: asyncio.Handle, waiting: Mapping[int, asyncio.Task[Any]]) -> Place | None:
    """Return the place in a plug-in that *handle* runs. *waiting* are the tasks, by the id of what they wait for."""
    callback: Any = handle._callback  # type: ignore[attr-defined]
    args = handle._args
    task = getattr(callback, "__self__", None)
    if not isinstance(task, asyncio.Task):  # a sleep has the future that its task waits for
        task = waiting.get(id(args[0])) if args else None
    if not task:
        code: Any = getattr(callback, "__code__", None)
        package = str(getattr(callback, "__module__", "")).partition(".")[0]
        is_ours = not code or package in NOT_PLUG_INS
        return None if is_ours else Place(package, Path(code.co_filename).name, code.co_firstlineno)
    frames = []
    coroutine: Any = task.get_coro()
    while coroutine is not None:
        if frame := getattr(coroutine, "cr_frame", None):
            frames.append((frame, frame.f_lineno))
        coroutine = getattr(coroutine, "cr_await", None)
    return place_in_plug_in(frames)


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
            if turned == 0 and not progress.is_at_rest and turns != reported:
                reported = turns
                self._report_blocked(sys._current_frames().get(progress.thread))
            elif waited == 0 and turned >= BUSY_TURNS:
                self._call_soon(self._report_busy)

    def handle(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Handle the exception of a callback, or of a task that nothing awaits."""
        error = context.get("exception")
        place = place_in_plug_in(walk_tb(error.__traceback__)) if error else None
        if not error or not place:
            loop.default_exception_handler(context)
            return
        what = f"it called sys.exit() ({place})" if isinstance(error, SystemExit) else failure(error)
        cause = f"a callback or a task failed: {what}"
        self._counts.report(log, f"{named(place)}: {cause}", error)
        if self._blame:
            loop.call_soon(self._blame, place, cause)

    def _report_blocked(self, frame: FrameType | None) -> None:
        if frame and (place := running_place(frame)):
            what = f"has blocked the whole table for {BLOCKED_S:g} s. {REMEDY}"
            # logged at once: the watchdog may end a loop that is blocked
            if count := self._counts.count(f"{place} {what}"):
                log.warning("%s %s%s", named(place), what, f" ({count} times)" if count > 1 else "")
            if self._blame:
                self._call_soon(self._blame, place, f"{place} {what}")

    def _report_busy(self) -> None:
        if place := next_place(self._loop):
            what = f"keeps the table busy without a pause. {REMEDY}"
            if self._blame:
                self._blame(place, f"{place} {what}")
            elif count := self._counts.count(f"{place} {what}"):
                log.warning("%s %s%s", named(place), what, f" ({count} times)" if count > 1 else "")

    def _call_soon(self, call: Callable[..., object], *args: object) -> None:
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(call, *args)
