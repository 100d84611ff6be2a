"""The event loop of a table: it survives ``sys.exit()``, and names the accessory that blocks it or never waits."""

from __future__ import annotations

import asyncio
import logging
import selectors
import signal
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from traceback import walk_stack, walk_tb
from types import FrameType
from typing import Any, TypeVar

from reboard.accessories.installed import named
from reboard.errors import Place, ReboardError, Repeats, failure, place_in_plug_in, running_place

T = TypeVar("T")

BLOCKED_S = 1.0
"""The time in which a loop that is not blocked begins another turn, in seconds.

The watchdog kills a blocked table after 2.5 to 5 s. The watch of a table at rest looks only after twice this time,
because each look wakes the processor.
"""

BUSY_TURNS = 100
"""The least number of turns between two looks, none of which waits, of a loop that an accessory keeps busy."""

MOST_CALLS = 2_000
"""The number of calls of functions on a busy loop, the first of which in a plug-in is named."""

REMEDY = "Use `await asyncio.sleep(…)` with a time above 0, and await in each loop"

log = logging.getLogger(__name__)

Blame = Callable[[Place, str], None]
"""A function that is called on the loop with a place in a plug-in, and what it did."""


class WatchedSelector(selectors.DefaultSelector):
    """A selector that counts the turns of its loop, and how many of them waited, or would have without input.

    The turn *began* at that time of `time.monotonic`, on the *thread* with this identifier.
    """

    turns = waits = thread = 0
    began = 0.0
    is_at_rest = True
    """Whether the loop waits, and runs no code of a task."""

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.is_at_rest = True
        try:
            return self.wait(timeout)
        finally:
            self.turns += 1
            self.waits += timeout is None or timeout > 0
            self.thread = threading.get_ident()
            self.began = time.monotonic()
            self.is_at_rest = False

    def wait(self, timeout: float | None) -> list[tuple[selectors.SelectorKey, int]]:
        """Wait up to *timeout* seconds for ready files, and return them."""
        return super().select(timeout)


class TableLoop(asyncio.SelectorEventLoop):
    """An event loop with a `WatchedSelector`."""

    def __init__(self) -> None:
        self.selector = WatchedSelector()
        super().__init__(self.selector)


def run(main: Coroutine[Any, Any, T], loop: asyncio.AbstractEventLoop) -> T:
    """Run *main* on the new *loop*, and return its result.

    ``sys.exit()`` or ``KeyboardInterrupt`` in a callback or a task of a plug-in would end the loop: the loop's
    exception handler gets it. ``loop.stop()`` does nothing. As in `asyncio.run`, Ctrl-C cancels *main*.
    Raises ``RuntimeError`` if another loop is running in this thread.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        pass
    else:
        main.close()
        loop.close()
        raise RuntimeError("another event loop is running in this thread")
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        task = runner.get_loop().create_task(main)
        task.add_done_callback(lambda _: loop.stop())
        with _cancelled_by_ctrl_c(loop, task):
            while not task.done():
                try:
                    loop.run_forever()
                except (SystemExit, KeyboardInterrupt) as error:
                    if task.done():
                        raise
                    loop.call_exception_handler({"message": "a callback or a task failed", "exception": error})
                else:
                    if not task.done():
                        log.warning("an accessory called loop.stop(), which does nothing here")
            return task.result()


@contextmanager
def _cancelled_by_ctrl_c(loop: asyncio.AbstractEventLoop, task: asyncio.Task[Any]) -> Iterator[None]:
    """Cancel *task* at Ctrl-C, and then raise ``KeyboardInterrupt``. The second Ctrl-C ends the process."""
    is_pressed = False

    def cancel(number: int, frame: FrameType | None) -> None:
        nonlocal is_pressed
        is_pressed = True
        signal.signal(number, signal.SIG_DFL)
        task.cancel()
        loop.call_soon_threadsafe(lambda: None)  # wakes it
        if frame and running_place(frame):
            raise KeyboardInterrupt  # a plug-in may never end

    is_default = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not is_default or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, cancel)
    try:
        yield
    except asyncio.CancelledError:
        if is_pressed:
            raise KeyboardInterrupt from None
        raise ReboardError("a plug-in cancelled all tasks of the table: it must cancel only its own") from None
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def name_next(found: Callable[[Place], None]) -> None:
    """Call *found* with the place in a plug-in that the current thread runs next, unless `MOST_CALLS` are elsewhere."""
    calls = 0

    def look(frame: FrameType, event: str, _: object) -> None:
        nonlocal calls
        calls += 1
        place = place_in_plug_in([(frame, frame.f_lineno)]) if event == "call" else None
        if place or calls == MOST_CALLS:
            sys.setprofile(None)
        if place:
            found(place)

    sys.setprofile(look)


def unfinished(loop: asyncio.AbstractEventLoop) -> str:
    """Return the threads and tasks of plug-ins that have not ended, or else other threads that Python waits for."""
    found, others = [], []
    frames = sys._current_frames()
    for thread in threading.enumerate():
        stack = [*walk_stack(frames[thread.ident])] if thread.ident in frames else []
        if place := place_in_plug_in(reversed(stack)):
            found.append(f"{named(place)} on the thread {thread.name}")
        elif stack and not thread.daemon and thread is not threading.main_thread() and not _is_pythons(stack):
            others.append(f"the thread {thread.name}")
    found += [f"{named(place)} in a task" for place in map(_place_of, asyncio.all_tasks(loop)) if place]
    return ", ".join(found or others)


def _is_pythons(stack: list[tuple[FrameType, int]]) -> bool:
    """Return whether *stack* is that of an executor's idle thread, or of the thread that shuts the executor down."""
    is_idle = stack[0][0].f_code.co_name == "_worker"
    return is_idle or any(frame.f_globals.get("__name__") == "asyncio.base_events" for frame, _ in stack)


def _place_of(task: asyncio.Task[Any]) -> Place | None:
    """Return the place in a plug-in where *task* waits. `asyncio.Task.get_stack` has the outermost function only."""
    frames = []
    coroutine: Any = task.get_coro()
    while coroutine is not None:
        if frame := getattr(coroutine, "cr_frame", None):
            frames.append((frame, frame.f_lineno))
        coroutine = getattr(coroutine, "cr_await", None)
    return place_in_plug_in(frames)


@contextmanager
def watched(loop: asyncio.AbstractEventLoop, progress: WatchedSelector, blame: Blame | None = None) -> Iterator[None]:
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
    def __init__(self, loop: asyncio.AbstractEventLoop, progress: WatchedSelector, blame: Blame | None) -> None:
        self.over = threading.Event()
        self._loop = loop
        self._progress = progress
        self._blame = blame
        self._counts = Repeats()

    def run(self) -> None:
        progress = self._progress
        turns = waits = 0
        pause_s = reported = 0.0
        while not self.over.wait(pause_s):
            turned, waited = progress.turns - turns, progress.waits - waits
            turns, waits, began = progress.turns, progress.waits, progress.began
            pause_s = 2 * BLOCKED_S
            if not progress.is_at_rest and began != reported:
                pause_s = max(0.0, began + BLOCKED_S - time.monotonic())
                if not pause_s:
                    reported = began
                    frame = sys._current_frames().get(progress.thread)
                    if frame and (place := running_place(frame)):
                        # logged at once: the watchdog may end a loop that is blocked
                        self._report(place, f"has blocked the whole table for {BLOCKED_S:g} s", is_urgent=True)
            if waited == 0 and turned >= BUSY_TURNS:
                self._call_soon(name_next, partial(self._report, what="keeps the table busy without a pause"))

    def handle(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Handle the exception of a callback, or of a task that nothing awaits."""
        error = context.get("exception")
        place = place_in_plug_in(walk_tb(error.__traceback__)) if error else None
        if not error or not place:
            loop.default_exception_handler(context)
            return
        cause = f"a callback or a task failed: {failure(error)}"
        self._counts.report(log, f"{named(place)}: {cause}", error)
        if self._blame:
            loop.call_soon(self._blame, place, cause)

    def _report(self, place: Place, what: str, *, is_urgent: bool = False) -> None:
        cause = f"{what}. {REMEDY}"
        is_logged = is_urgent or not self._blame
        if is_logged and (count := self._counts.count(f"{place} {cause}")):
            log.warning("%s %s%s", named(place), cause, f" ({count} times)" if count > 1 else "")
        if self._blame:
            self._call_soon(self._blame, place, f"{place} {cause}")

    def _call_soon(self, call: Callable[..., object], *args: object) -> None:
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(call, *args)
