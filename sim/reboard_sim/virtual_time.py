"""An asyncio event loop in virtual time. Its clock skips waiting times, or runs at any pace.

An asyncio loop waits only in its selector. The selector of this loop first polls for input. If there is no input and
no job in a worker thread, the selector advances the clock to the next timer. Code that waits by the clock of the loop
runs unchanged. It runs thousands of times faster than real time, and in the same order each time.

A pace only delays the clock. Without calls from outside the loop, a program behaves the same at every pace.
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
from math import inf, ulp
from typing import Any, TypeVar, TypeVarTuple, Unpack

from reboard.errors import Place, in_brackets
from reboard.service.table_loop import WatchedSelector, name_next

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

POLL_EVERY = 32
"""The number of rounds that a busy loop skips between two polls for input."""

LONGEST_JOB_S = 30.0
"""The maximum real time of a job in a worker thread, in seconds, for a loop without a pace."""

PATIENCE_S = 10.0
"""The maximum real time, in seconds, that a loop without a timer or pace waits for another thread."""

LONGEST_NAP_S = 0.05
"""The maximum real time, in seconds, that a paced loop sleeps before it reads its pace again."""

LONGEST_LAG_S = 0.25
"""The maximum delay, in real seconds, that a paced loop makes up for."""

SAME_S = 1e-9
"""The maximum difference, in seconds, between virtual times that count as equal."""


MOST_TURNS = 500_000
LEAST_PROGRESS_S = 0.01
"""The virtual time that must pass in `MOST_TURNS` turns of a loop without a pace, in seconds. Without it, one task goes
round for ever, and the play would never end."""

NAMING_TURNS = 100
"""The number of further turns in which a task that goes round for ever is named."""

PATIENT_TURNS = 1_000
"""The number of turns without a wait after which the clock of a paced loop moves on, as that of a real table does."""

_here = threading.local()
"""The `loop` and the `executor` of the current job in a worker thread, separate for each thread."""


class NothingWillHappen(RuntimeError):  # noqa: N818 - it names a state
    """An error for a loop that would wait forever: it has no timer and no job, or a job hangs."""


class NeverWaits(RuntimeError):  # noqa: N818 - it names what a task does
    """An error for a loop without a pace whose time stands still, because a task or callback never waits.

    *place* is the place in a plug-in, or ``None`` if there is none.
    """

    def __init__(self, place: Place | None) -> None:
        super().__init__(f"no time passes, because something never waits{in_brackets(place)}")
        self.place = place


class VirtualClock:
    """A clock that counts virtual seconds from 0. The loop advances it.

    *pace* is the maximum number of virtual seconds per real second: ``None`` for no limit, ``0`` to stop the clock.
    Any thread can set `pace`.
    """

    def __init__(self, pace: float | None = None) -> None:
        self._lock = threading.Lock()
        self._pace = pace
        self._seconds = 0.0
        self._held_since = (time.monotonic(), 0.0)

    @property
    def pace(self) -> float | None:
        """The maximum number of virtual seconds per real second, or ``None`` for no limit."""
        return self._pace

    @pace.setter
    def pace(self, pace: float | None) -> None:
        with self._lock:
            self._pace = pace
            self._held_since = (time.monotonic(), self._seconds)

    def now(self) -> float:
        return self._seconds

    def real_seconds_to(self, instant: float) -> float:
        """Return the real seconds until the pace allows the clock to reach *instant*, or infinity while paused."""
        with self._lock:
            if self._pace is None:
                return 0.0
            if self._pace == 0:
                return inf
            real, begin = self._held_since
            return max(0.0, real + (instant - begin) / self._pace - time.monotonic())

    def move_on(self, instant: float) -> None:
        """Advance the clock to *instant*, or as far as the pace currently allows."""
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

    def reach(self, instant: float) -> None:
        """Advance the clock to *instant*, which is at most `SAME_S` away, at any pace."""
        if instant > self._seconds:
            with self._lock:
                self._seconds = instant


class JumpingSelector(WatchedSelector):
    """A selector that polls for input, and advances the clock of *loop* if there is no other work.

    It sets the clock to the time of the next timer. If it added waiting times to the clock, the rounding error would
    depend on the number of steps.
    """

    def __init__(self, loop: VirtualTimeLoop) -> None:
        super().__init__()
        self._clock = loop.clock
        self._loop = loop
        self._unpolled = 0
        self._unwaited = 0
        self._then = -inf
        self._is_stuck = False
        self._never_wait: list[Place] = []

    def wait(self, timeout: float | None) -> list[tuple[selectors.SelectorKey, int]]:
        """Poll for ready files and return them. If there are none and *timeout* is not 0, let virtual time pass.

        Raises `NothingWillHappen` if the loop would wait forever.
        """
        paced = self._clock.pace is not None
        if self._is_stuck:
            self._raise_stuck()
        elif self.turns % MOST_TURNS == 0:
            self._check_progress(paced)
        waits = timeout is None or timeout > 0
        self._unwaited = 0 if waits else self._unwaited + 1
        if not waits and self._unpolled < POLL_EVERY:
            self._unpolled += 1
            return []
        self._unpolled = 0
        ready = super().wait(0)
        is_busy = self._unwaited > PATIENT_TURNS and not self._loop.jobs_at_work
        if paced and is_busy and not self._loop.finish_instant():
            self._clock.move_on(self._loop.next_timer())
        if ready or not waits:
            return ready
        if self._loop.jobs_at_work:
            ready = super().wait(LONGEST_NAP_S if paced else LONGEST_JOB_S)
            if not ready and not paced:
                raise NothingWillHappen(f"A job in a worker thread has been running for over {LONGEST_JOB_S:g} s.")
            return ready
        if self._loop.finish_instant():
            return []
        instant = self._loop.next_timer()
        if paced:
            # another thread may always call: a wait without end is possible
            ready = super().wait(min(LONGEST_NAP_S, self._clock.real_seconds_to(instant)))
        elif timeout is None:
            ready = super().wait(PATIENCE_S)
            if not ready:
                raise NothingWillHappen("Every task is waiting, and there is no timer.")
            return ready
        self._clock.move_on(instant)
        return ready

    def _check_progress(self, paced: bool) -> None:
        """If the virtual time has hardly moved since the previous call, look which plug-in the next turns run."""
        then, self._then = self._then, self._clock.now()
        if not paced and self._then - then < LEAST_PROGRESS_S:
            self._is_stuck = True
            name_next(self._never_wait.append)

    def _raise_stuck(self) -> None:
        if self._never_wait or self.turns % MOST_TURNS > NAMING_TURNS:
            self._is_stuck = False
            raise NeverWaits(self._never_wait.pop() if self._never_wait else None)


class _Timer(asyncio.TimerHandle):
    __slots__ = ("number",)
    number: int
    _loop: VirtualTimeLoop
    _when: float

    def __lt__(self, other: object) -> bool:
        assert isinstance(other, _Timer)
        when, others = self._when, other._when
        return when < others or (when == others and self.number < other.number)

    def _run(self) -> None:
        # asyncio calls a timer up to the clock's resolution early. Code that then compares the clock with its deadline
        # would set another timer, and a busy loop would call that one early, too, and so on for ever
        self._loop.clock.reach(self.when())
        super()._run()


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """An event loop with a `VirtualClock`.

    With ``pace=None`` it skips the time between timers. A job in a worker thread takes no virtual time, except in
    `stall`. At any pace, the clock waits until every job of ``run_in_executor`` is done or in `stall`. When a timer
    fires, `time` has reached its ``when()``.
    """

    def __init__(self, pace: float | None = None) -> None:
        self.clock = VirtualClock(pace)
        self._jobs: Counter[concurrent.futures.Executor | None] = Counter()
        self._unreported: list[tuple[asyncio.Future[Any], asyncio.Future[Any]]] = []
        self._last: list[tuple[float, int, asyncio.Future[None]]] = []
        self._count = count()
        self._stalled: set[concurrent.futures.Executor | None] = set()
        self._stalls: set[threading.Event] = set()
        self.selector = JumpingSelector(self)
        super().__init__(self.selector)
        # timers due within the resolution fire together
        self._clock_resolution = SAME_S

    def time(self) -> float:
        return self.clock.now()

    def run_in_executor(
        self, executor: concurrent.futures.Executor | None, func: Callable[[Unpack[Ts]], T], *args: *Ts
    ) -> asyncio.Future[T]:
        """Run *func* in a worker thread and return a future for its result. The clock waits for the job."""

        def job() -> T:
            _here.loop, _here.executor = self, executor
            return func(*args)

        done = super().run_in_executor(executor, job)
        self._jobs[executor] += 1
        done.add_done_callback(lambda _: self._job_done(executor))
        reported: asyncio.Future[T] = self.create_future()
        reported.add_done_callback(lambda _: done.cancel())
        self._unreported.append((done, reported))
        return reported

    def _job_done(self, executor: concurrent.futures.Executor | None) -> None:
        self._jobs[executor] -= 1
        if not self._jobs[executor]:
            del self._jobs[executor]  # a loop with many tables has hundreds, and counts the jobs at every turn

    def come_last(self, rank: float = inf) -> asyncio.Future[None]:
        """Return a future that completes when there is no other work at this instant.

        Of several futures, the one with the lowest *rank* completes first. The next one completes after all the work
        that the previous one caused.
        """
        turn: asyncio.Future[None] = self.create_future()
        heappush(self._last, (rank, next(self._count), turn))
        return turn

    def finish_instant(self) -> bool:
        """Report finished jobs, or complete the next future of `come_last`. Return whether there was work to do."""
        return self._report_jobs() or self._let_one_come()

    def _let_one_come(self) -> bool:
        while self._last:
            _, _, turn = heappop(self._last)
            if not turn.done():
                turn.set_result(None)
                return True
        return False

    def _report_jobs(self) -> bool:
        # in the order of their start, so that the speed of threads has no effect
        are_done = [(done, reported) for done, reported in self._unreported if done.done()]
        self._unreported = [(done, reported) for done, reported in self._unreported if not done.done()]
        for done, reported in are_done:
            problem = None if done.cancelled() else done.exception()
            if reported.done():
                continue
            if done.cancelled():
                reported.cancel()
            elif problem:
                reported.set_exception(problem)
            else:
                reported.set_result(done.result())
        return bool(are_done)

    @property
    def jobs_at_work(self) -> int:
        """The number of jobs that the clock waits for. Jobs of an executor in a stall do not count."""
        return sum(jobs for executor, jobs in self._jobs.items() if executor not in self._stalled)

    def call_at(
        self, when: float, callback: Callable[[Unpack[Ts]], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """Set a timer and return its handle. Timers for the same instant run in the order in which they were set."""
        timer = _Timer(when, callback, args, self, context)
        timer.number = next(self._count)
        heappush(self._timers, timer)
        timer._scheduled = True  # type: ignore[attr-defined]
        return timer

    def call_later(
        self, delay: float, callback: Callable[[Unpack[Ts]], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """Set a timer that fires in *delay* seconds. Any positive delay moves the clock, however small it is."""
        now = self.time()
        return self.call_at(now + (max(delay, ulp(now)) if delay > 0 else delay), callback, *args, context=context)

    @property
    def _timers(self) -> list[asyncio.TimerHandle]:
        timers: list[asyncio.TimerHandle] = self._scheduled  # type: ignore[attr-defined]
        return timers

    def next_timer(self) -> float:
        """Return the virtual time of the next timer, or infinity if there is none."""
        return self._timers[0].when() if self._timers else inf

    def stall(self, seconds: float, executor: concurrent.futures.Executor | None) -> None:
        """Block the calling job of *executor* for *seconds* of virtual time, or until the loop is closed."""
        over = threading.Event()

        def begin() -> None:
            self._stalled.add(executor)
            self.call_later(seconds, end)

        def end() -> None:
            self._stalled.discard(executor)
            over.set()

        self._stalls.add(over)
        with suppress(RuntimeError):  # the loop is closed
            self.call_soon_threadsafe(begin)
            over.wait()
        self._stalls.discard(over)

    def close(self) -> None:
        """Close the loop and release every job that is in a `stall`."""
        super().close()
        for over in tuple(self._stalls):
            over.set()

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:
        """Shut down the default executor, ignoring *timeout*. The thread in which asyncio waits counts as a job."""
        self._jobs[None] += 1
        await super().shutdown_default_executor()


def stall(seconds: float) -> None:
    """Block the current job in a worker thread for *seconds* of virtual time.

    Call it only in a job of a `VirtualTimeLoop`, in an executor with one thread. Later jobs of the executor wait.
    """
    loop: VirtualTimeLoop = _here.loop
    loop.stall(seconds, _here.executor)


def run(main: Callable[[], Any], *, pace: float | None = None) -> Any:
    """Run the coroutine function *main* on a loop in virtual time and return its result."""
    with asyncio.Runner(loop_factory=lambda: VirtualTimeLoop(pace)) as runner:
        return runner.run(main())
