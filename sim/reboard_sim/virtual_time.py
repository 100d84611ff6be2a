"""An event loop whose clock jumps over waiting, or runs at any pace.

`asyncio` waits in one place only: its selector. The loop below has a selector that looks for what is ready
*first*; only when nothing is, and no worker thread has a job, does its clock move on, by exactly as long as the
loop wanted to wait. So code that waits by the loop's clock (all of reboard does) runs unchanged, thousands of
times faster than life and in the same order each time.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import selectors
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar, TypeVarTuple, Unpack

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

POLL_EVERY = 32
"""A loop with callbacks to run has no need to look for input; it does so after as many rounds, so that none starves."""

LONGEST_JOB_S = 30.0
"""A job in a worker thread that takes longer than this is taken to hang."""

PATIENCE_S = 2.0
"""How long a loop without a timer waits for some other thread (asyncio's own, closing down, is one) to wake it."""

LONGEST_NAP_S = 0.05
"""How long a paced loop sleeps at the most before it looks at its pace again."""


_here = threading.local()
"""In a worker thread: the `loop` that gave it the job that it is at, and the `executor` that it belongs to."""


class NothingWillHappen(RuntimeError):  # noqa: N818 - it tells what is the case
    """The loop waits without end: no timer is set, nothing is at work, nobody is left to wake it."""


class VirtualClock:
    """Seconds since its making, moved by hand (``pace=None``) or *pace* times as fast as life (``0``: stands still).

    Changing `pace` is safe from any thread.
    """

    def __init__(self, pace: float | None = None) -> None:
        self._lock = threading.Lock()
        self._pace = pace
        self._seconds = 0.0
        self._real = time.monotonic()

    @property
    def pace(self) -> float | None:
        """Virtual seconds per real one; ``None`` jumps."""
        return self._pace

    @pace.setter
    def pace(self, pace: float | None) -> None:
        with self._lock:
            self._settle()
            self._pace = pace

    def now(self) -> float:
        """The time in seconds."""
        if self._pace is None:
            return self._seconds
        with self._lock:
            self._settle()
            return self._seconds

    def jump(self, seconds: float) -> None:
        """Move on by *seconds*; only a clock without a pace can."""
        with self._lock:
            self._seconds += seconds

    def _settle(self) -> None:
        real = time.monotonic()
        if self._pace is not None:
            self._seconds += (real - self._real) * self._pace
        self._real = real


class JumpingSelector(selectors.BaseSelector):
    """A selector that polls, and moves the clock only when there is nothing else to do."""

    def __init__(self, clock: VirtualClock, jobs_at_work: Callable[[], int]) -> None:
        self._inner = selectors.DefaultSelector()
        self._clock = clock
        self._jobs_at_work = jobs_at_work
        self._unpolled = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Like any selector's, in virtual seconds."""
        if timeout is not None and timeout <= 0 and self._unpolled < POLL_EVERY:
            self._unpolled += 1
            return []
        self._unpolled = 0
        ready = self._inner.select(0)
        if ready or (timeout is not None and timeout <= 0):
            return ready
        pace = self._clock.pace
        if pace is not None:
            return self._select_paced(timeout, pace)
        if self._jobs_at_work():
            ready = self._inner.select(LONGEST_JOB_S)
            if not ready:
                raise NothingWillHappen(f"a job in a worker thread took over {LONGEST_JOB_S:g} s")
            return ready
        if timeout is None:
            ready = self._inner.select(PATIENCE_S)
            if not ready:
                raise NothingWillHappen("every task waits, and no timer is set that could wake one")
            return ready
        self._clock.jump(timeout)
        return []

    def _select_paced(self, timeout: float | None, pace: float) -> list[tuple[selectors.SelectorKey, int]]:
        real = LONGEST_NAP_S
        if timeout is not None and pace > 0:
            real = min(real, timeout / pace)
        return self._inner.select(real)

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        """See `selectors.BaseSelector`."""
        return self._inner.register(fileobj, events, data)

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        """See `selectors.BaseSelector`."""
        return self._inner.unregister(fileobj)

    def modify(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        """See `selectors.BaseSelector`."""
        return self._inner.modify(fileobj, events, data)

    def get_map(self) -> Any:
        """See `selectors.BaseSelector`."""
        return self._inner.get_map()

    def close(self) -> None:
        """See `selectors.BaseSelector`."""
        self._inner.close()


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """An event loop on a `VirtualClock`.

    With ``pace=None`` it jumps from one timer to the next. A worker thread's job takes no virtual time, but where it
    calls `stall`: the clock stands until every job handed to ``run_in_executor`` is done or stalls.
    """

    def __init__(self, pace: float | None = None) -> None:
        self.clock = VirtualClock(pace)
        self._jobs: Counter[concurrent.futures.Executor | None] = Counter()
        self._stalled: set[concurrent.futures.Executor | None] = set()
        self._stalls: set[threading.Event] = set()
        super().__init__(JumpingSelector(self.clock, lambda: self.jobs_at_work))
        # timers due within the resolution fire together: one nanosecond keeps virtual instants apart
        self._clock_resolution = 1e-9

    def time(self) -> float:
        """Virtual seconds."""
        return self.clock.now()

    def run_in_executor(
        self, executor: concurrent.futures.Executor | None, func: Callable[[Unpack[Ts]], T], *args: *Ts
    ) -> asyncio.Future[T]:
        """Like any loop's, but counted, so that the clock waits for the job."""

        def job() -> T:
            _here.loop, _here.executor = self, executor
            return func(*args)

        future = super().run_in_executor(executor, job)
        self._jobs[executor] += 1
        future.add_done_callback(lambda _: self._jobs.subtract([executor]))
        return future

    @property
    def jobs_at_work(self) -> int:
        """How many jobs the clock waits for. Those behind one that stalls wait as well."""
        return sum(jobs for executor, jobs in self._jobs.items() if executor not in self._stalled)

    def stall(self, seconds: float, executor: concurrent.futures.Executor | None) -> None:
        """See `stall`, of which this is the loop's part."""
        over = threading.Event()
        self._stalls.add(over)
        with suppress(RuntimeError):  # the loop is closed
            self.call_soon_threadsafe(self._begin_stall, seconds, executor, over)
            over.wait()
        self._stalls.discard(over)

    def close(self) -> None:
        """Like any loop's. No job stalls any longer."""
        super().close()
        for over in tuple(self._stalls):
            over.set()

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:
        """Like any loop's. It waits in a thread of asyncio's own, which counts as a job."""
        self._jobs[None] += 1
        try:
            await super().shutdown_default_executor()
        finally:
            self._jobs[None] -= 1

    def _begin_stall(self, seconds: float, executor: concurrent.futures.Executor | None, over: threading.Event) -> None:
        self._stalled.add(executor)
        self.call_later(seconds, self._end_stall, executor, over)

    def _end_stall(self, executor: concurrent.futures.Executor | None, over: threading.Event) -> None:
        self._stalled.discard(executor)
        over.set()


def stall(seconds: float) -> None:
    """Let a job in a worker thread take so many virtual seconds, which pass meanwhile.

    Only in jobs that a `VirtualTimeLoop` gave to an executor of one thread: its other jobs wait for this one.
    """
    loop: VirtualTimeLoop = _here.loop
    loop.stall(seconds, _here.executor)


def run(main: Callable[[], Any], *, pace: float | None = None) -> Any:
    """Run the coroutine function *main* to its end on a loop in virtual time and return what it returns."""
    with asyncio.Runner(loop_factory=lambda: VirtualTimeLoop(pace)) as runner:
        return runner.run(main())
