"""An event loop whose clock jumps over waiting, or runs at any pace.

`asyncio` waits in one place only: its selector. The loop below has a selector that looks for what is ready
*first*; only when nothing is, and no worker thread has a job, does its clock move on, to exactly the instant that the
loop wanted to wait for. So code that waits by the loop's clock (all of reboard does) runs unchanged, thousands of
times faster than life and in the same order each time.

A pace only holds the clock back: it moves to the same instants, and each as late as life has come so far. So what
happens is the same at every pace, but for when somebody outside calls.
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
from contextvars import Context
from heapq import heappop, heappush
from itertools import count
from math import inf
from typing import Any, Protocol, TypeVar, TypeVarTuple, Unpack

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

LONGEST_LAG_S = 0.25
"""What a paced loop is late by, in real seconds, it makes up for; beyond this it is forgotten."""

SAME_S = 1e-9
"""Virtual instants so close to each other are one."""


_here = threading.local()
"""In a worker thread: the `loop` that gave it the job that it is at, and the `executor` that it belongs to."""


class NothingWillHappen(RuntimeError):  # noqa: N818 - it tells what is the case
    """The loop waits without end: no timer is set, nothing is at work, nobody is left to wake it."""


class VirtualClock:
    """Seconds since its making. It stands until it is moved on.

    Without a *pace* it can be moved on at any time; with one, as far as life has gone on, *pace* times as fast (``0``:
    not at all). Changing `pace` is safe from any thread.
    """

    def __init__(self, pace: float | None = None) -> None:
        self._lock = threading.Lock()
        self._pace = pace
        self._seconds = 0.0
        self._held_since = (time.monotonic(), 0.0)

    @property
    def pace(self) -> float | None:
        """Virtual seconds per real one; ``None`` jumps."""
        return self._pace

    @pace.setter
    def pace(self, pace: float | None) -> None:
        with self._lock:
            self._pace = pace
            self._held_since = (time.monotonic(), self._seconds)

    def now(self) -> float:
        """The time in seconds."""
        return self._seconds

    def real_seconds_to(self, instant: float) -> float:
        """How long, in real seconds, it is not to be moved on to *instant* yet; infinite when it stands."""
        with self._lock:
            if self._pace is None:
                return 0.0
            if self._pace == 0:
                return inf
            real, begin = self._held_since
            return max(0.0, real + (instant - begin) / self._pace - time.monotonic())

    def move_on(self, instant: float) -> None:
        """Move on to *instant*, or as near to it as its pace lets it by now."""
        with self._lock:
            if self._pace is not None:
                now = time.monotonic()
                real, begin = self._held_since
                may_be = begin + (now - real) * self._pace
                if may_be < instant - SAME_S:
                    instant = may_be
                elif may_be - instant > LONGEST_LAG_S * self._pace:
                    self._held_since = (now, instant)
            self._seconds = max(self._seconds, instant)


class World(Protocol):
    """What a `JumpingSelector` waits for."""

    @property
    def jobs_at_work(self) -> int:
        """How many jobs in worker threads the clock waits for."""

    def finish_instant(self) -> bool:
        """Do what is left to be done now that nothing else is; whether there was anything."""

    def next_timer(self) -> float:
        """The instant of the next timer, infinity when none is set."""


class JumpingSelector(selectors.BaseSelector):
    """A selector that polls, and moves the clock only when there is nothing else to do.

    It moves to the instant of the next timer: a clock moved by how long the loop would wait is a rounding error away
    from there, and what happens would depend on where it stood in between.
    """

    def __init__(self, clock: VirtualClock, world: World) -> None:
        self._inner = selectors.DefaultSelector()
        self._clock = clock
        self._world = world
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
        paced = self._clock.pace is not None
        if self._world.jobs_at_work:
            ready = self._inner.select(LONGEST_NAP_S if paced else LONGEST_JOB_S)
            if not ready and not paced:
                raise NothingWillHappen(f"a job in a worker thread took over {LONGEST_JOB_S:g} s")
            return ready
        if self._world.finish_instant():
            return []
        instant = self._world.next_timer()
        if paced:
            # somebody outside may always call: a wait without end is none
            ready = self._inner.select(min(LONGEST_NAP_S, self._clock.real_seconds_to(instant)))
        elif timeout is None:
            ready = self._inner.select(PATIENCE_S)
            if not ready:
                raise NothingWillHappen("every task waits, and no timer is set that could wake one")
            return ready
        self._clock.move_on(instant)
        return ready

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


class _Timer(asyncio.TimerHandle):
    __slots__ = ("number",)
    number: int

    def __lt__(self, other: object) -> bool:
        assert isinstance(other, _Timer)
        return (self.when(), self.number) < (other.when(), other.number)


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """An event loop on a `VirtualClock`.

    With ``pace=None`` it jumps from one timer to the next. A worker thread's job takes no virtual time, but where it
    calls `stall`: at any pace the clock stands until every job handed to ``run_in_executor`` is done or stalls.
    """

    def __init__(self, pace: float | None = None) -> None:
        self.clock = VirtualClock(pace)
        self._jobs: Counter[concurrent.futures.Executor | None] = Counter()
        self._untold: list[tuple[asyncio.Future[Any], asyncio.Future[Any]]] = []
        self._last: list[tuple[float, int, asyncio.Future[None]]] = []
        self._count = count()
        self._stalled: set[concurrent.futures.Executor | None] = set()
        self._stalls: set[threading.Event] = set()
        super().__init__(JumpingSelector(self.clock, self))
        # timers due within the resolution fire together
        self._clock_resolution = SAME_S

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

        done = super().run_in_executor(executor, job)
        self._jobs[executor] += 1
        done.add_done_callback(lambda _: self._jobs.subtract([executor]))
        told: asyncio.Future[T] = self.create_future()
        told.add_done_callback(lambda _: done.cancel())
        self._untold.append((done, told))
        return told

    def come_last(self, rank: float = inf) -> asyncio.Future[None]:
        """Wait until nothing else is to be done at this instant. Of several who wait the lowest rank comes first.

        The next one comes when all is done that the one before brought about.
        """
        turn: asyncio.Future[None] = self.create_future()
        heappush(self._last, (rank, next(self._count), turn))
        return turn

    def finish_instant(self) -> bool:
        """Hand on what came of jobs that are done, or let the next one come who wanted to be last; whether any did."""
        return self._tell_of_jobs() or self._let_one_come()

    def _let_one_come(self) -> bool:
        while self._last:
            _, _, turn = heappop(self._last)
            if not turn.done():
                turn.set_result(None)
                return True
        return False

    def _tell_of_jobs(self) -> bool:
        """Hand on, in the order of their giving: which thread was faster is not the virtual world's business."""
        are_done = [(done, told) for done, told in self._untold if done.done()]
        self._untold = [(done, told) for done, told in self._untold if not done.done()]
        for done, told in are_done:
            problem = None if done.cancelled() else done.exception()
            if told.done():
                continue
            if done.cancelled():
                told.cancel()
            elif problem:
                told.set_exception(problem)
            else:
                told.set_result(done.result())
        return bool(are_done)

    @property
    def jobs_at_work(self) -> int:
        """How many jobs the clock waits for. Those behind one that stalls wait as well."""
        return sum(jobs for executor, jobs in self._jobs.items() if executor not in self._stalled)

    def call_at(
        self, when: float, callback: Callable[[Unpack[Ts]], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """Like any loop's, but of timers for the same instant the one that was set first comes first."""
        timer = _Timer(when, callback, args, self, context)
        timer.number = next(self._count)
        heappush(self._timers, timer)
        timer._scheduled = True  # type: ignore[attr-defined]
        return timer

    @property
    def _timers(self) -> list[asyncio.TimerHandle]:
        timers: list[asyncio.TimerHandle] = self._scheduled  # type: ignore[attr-defined]
        return timers

    def next_timer(self) -> float:
        """The instant of the next timer, infinity when none is set."""
        return self._timers[0].when() if self._timers else inf

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
