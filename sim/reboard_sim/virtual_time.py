"""An asyncio event loop in virtual time. Its clock skips waiting times, or runs at any pace.

An asyncio loop waits only in its selector. The selector of this loop first looks for input, and then lets the loop do
the jobs of worker threads. If there are none, it advances the clock to the next timer. Code that waits by the clock of
the loop runs unchanged. It runs thousands of times faster than real time, and in the same order each time.

A pace only delays the clock. Without calls from outside the loop, a program behaves the same at every pace.
"""

from __future__ import annotations

import asyncio
import selectors
import sys
from collections import ChainMap
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from contextvars import Context
from functools import partial
from heapq import heappop, heappush
from itertools import count
from math import inf, ulp
from typing import Any, TypeVar, TypeVarTuple, Unpack

from reboard.aiotools import WorkerThread
from reboard.errors import Place, in_brackets
from reboard.service.table_loop import WatchedSelector, name_next
from reboard_sim.jobs import Jobs
from reboard_sim.pipes import is_pipe, readable_pipes
from reboard_sim.virtual_clock import SAME_S, VirtualClock

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

POLL_EVERY = 32
"""The number of rounds that a busy loop skips between two polls for input."""

PATIENCE_S = 30.0
"""The maximum real time, in seconds, that a loop without a pace waits for another thread."""

LONGEST_NAP_S = 0.05
"""The maximum real time, in seconds, that a paced loop sleeps before it reads its pace again."""

HAS_THREADS = sys.platform != "emscripten"
"""Whether Python can start threads here. In a browser (Pyodide), it cannot, and has no socket to wake a loop."""

MOST_TURNS = 500_000
LEAST_PROGRESS_S = 0.01
"""The virtual time that must pass in `MOST_TURNS` turns of a loop without a pace, in seconds. Without it, one task goes
round for ever, and the play would never end."""

NAMING_TURNS = 100
"""The number of further turns in which a task that goes round for ever is named."""

PATIENT_TURNS = 1_000
"""The number of turns without a wait after which the clock of a paced loop moves on, as that of a real table does."""


Ready = list[tuple[selectors.SelectorKey, int]]
"""The files and pipes that are ready, each with its events."""


class NothingWillHappen(RuntimeError):  # noqa: N818 - it names a state
    """An error for a loop that would wait forever: it has no timer, or another thread hangs."""


class NeverWaits(RuntimeError):  # noqa: N818 - it names what a task does
    """An error for a loop without a pace whose time stands still, because a task or callback never waits.

    *place* is the place in a plug-in, or ``None`` if there is none.
    """

    def __init__(self, place: Place | None) -> None:
        super().__init__(f"no time passes, because something never waits{in_brackets(place)}")
        self.place = place


class JumpingSelector(WatchedSelector):
    """A selector that polls for input, and advances the clock of *loop* if there is no other work.

    It sets the clock to the time of the next timer. If it added waiting times to the clock, the rounding error would
    depend on the number of steps.
    """

    def __init__(self, loop: VirtualTimeLoop) -> None:
        super().__init__()
        self._pipes: dict[int, selectors.SelectorKey] = {}
        self._files = 0
        self._is_woken = False
        self._has_worked = False
        self.on_work: list[Callable[[], None]] = []
        """The functions to call when a paced loop comes to rest after a timer fired."""
        self._clock = loop.clock
        self.loop = loop
        self._unpolled = 0
        self._unwaited = 0
        self._then = -inf
        self._is_stuck = False
        self._never_wait: list[Place] = []

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        if not is_pipe(fileobj):
            self._files += 1
            return super().register(fileobj, events, data)
        key = self._pipes[fileobj] = selectors.SelectorKey(fileobj, fileobj, events, data)
        return key

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        if is_pipe(fileobj):
            return self._pipes.pop(fileobj)
        self._files -= 1
        return super().unregister(fileobj)

    def modify(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self.register(fileobj, events, data) if is_pipe(fileobj) else super().modify(fileobj, events, data)

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        return ChainMap(self._pipes, super().get_map())  # type: ignore[arg-type]

    def wait(self, timeout: float | None) -> Ready:
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
        ready = self._poll()
        loop = self.loop
        is_busy = self._unwaited > PATIENT_TURNS and not loop.holds
        if paced and is_busy and not loop.finish_instant():
            self._clock.move_on(loop.next_timer())
        if ready or not waits:
            return ready
        if not loop.holds and loop.finish_instant():
            return []
        instant = inf if loop.holds else loop.next_timer()
        if paced:
            if self._has_worked and not loop.holds:
                self._has_worked = False
                for listener in self.on_work:
                    listener()
            # another thread may always call: a wait without end is possible
            ready = self.rest(self._clock.real_seconds_to(instant))
        elif instant == inf:
            ready = self._poll(PATIENCE_S)
            if not ready:
                raise NothingWillHappen("A thread hangs." if loop.holds else "Every task waits, and there is no timer.")
            return ready
        if not loop.holds:
            self._clock.move_on(instant)
            self._has_worked |= self._clock.seconds >= instant
        return ready

    def rest(self, seconds: float) -> Ready:
        """Wait up to *seconds* of real time for a ready file, or less if the pace may have changed by then."""
        return self._poll(min(LONGEST_NAP_S, seconds))

    def wake(self) -> None:
        """React to a call from outside the loop. A byte in the loop's own file also ends a wait."""
        self._is_woken = True

    def _poll(self, seconds: float = 0.0) -> Ready:
        """Return the ready pipes and files. If there are none, wait up to *seconds* of real time for a file."""
        ready = [(self._pipes[number], selectors.EVENT_READ) for number in readable_pipes() if number in self._pipes]
        # the kernel is asked only for files that can be ready: those of other programs, and the loop's own, into which
        # calls from outside and signals write
        if seconds or self._is_woken or self._files > 1 or self.loop.handles_signals:
            self._is_woken = False
            ready += super().wait(0.0 if ready else seconds)
        return ready

    def _check_progress(self, paced: bool) -> None:
        """If the virtual time has hardly moved since the previous call, look which plug-in the next turns run."""
        then, self._then = self._then, self._clock.seconds
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

    def __lt__(self, other: _Timer) -> bool:  # type: ignore[override]
        when, others = self._when, other._when
        return when < others or (when == others and self.number < other.number)

    def _run(self) -> None:
        # asyncio calls a timer up to the clock's resolution early. Code that then compares the clock with its deadline
        # would set another timer, and a busy loop would call that one early, too, and so on for ever
        self._loop.clock.reach(self._when)
        super()._run()


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """An event loop with a `VirtualClock`.

    With ``pace=None`` it skips the time between timers. A job of ``run_in_executor`` takes no virtual time, except in
    `Jobs.stall`. When a timer fires, `time` has reached its ``when()``.
    """

    def __init__(
        self,
        pace: float | None = None,
        *,
        make_selector: Callable[[VirtualTimeLoop], JumpingSelector] = JumpingSelector,
    ) -> None:
        self.clock = VirtualClock(pace)
        self.jobs = Jobs(self)
        self.holds = 0
        """The number of reasons why the clock may not move, such as threads that may still call this loop.

        Change it on the thread of this loop. While there is one, jobs and the futures of `come_last` wait, too.
        """
        self._last: list[tuple[float, int, asyncio.Future[None]]] = []
        self._count = count()
        self.selector = make_selector(self)
        super().__init__(self.selector)
        # timers due within the resolution fire together
        self._clock_resolution = SAME_S

    def time(self) -> float:
        return self.clock.seconds

    def run_in_executor(
        self, executor: Executor | None, func: Callable[[Unpack[Ts]], T], *args: *Ts
    ) -> asyncio.Future[T]:
        """Do the job of a `WorkerThread` when the instant has no other work, without the thread.

        Any other executor is that of a plug-in, and runs the job on a thread of its own. The clock waits for it. Raises
        ``RuntimeError`` for a `WorkerThread` that was shut down.
        """
        if is_worker := isinstance(executor, WorkerThread):
            executor.check_open()
        if is_worker or not HAS_THREADS:
            return self.jobs.add(executor, partial(func, *args))
        self.holds += 1
        done = super().run_in_executor(executor, func, *args)
        done.add_done_callback(self._release)
        # reported in the order in which the jobs were started, so that the speed of threads has no effect
        reported = self.jobs.add(executor, done.result)
        reported.add_done_callback(lambda _: done.cancel())
        return reported

    def _release(self, _: object) -> None:
        self.holds -= 1

    def come_last(self, rank: float = inf) -> asyncio.Future[None]:
        """Return a future that completes when there is no other work at this instant.

        Of several futures, the one with the lowest *rank* completes first. The next one completes after all the work
        that the previous one caused.
        """
        turn: asyncio.Future[None] = self.create_future()
        heappush(self._last, (rank, next(self._count), turn))
        return turn

    def finish_instant(self) -> bool:
        """Do the jobs, or complete the next future of `come_last`. Return whether there was work to do."""
        return (bool(self.jobs.waiting) and self.jobs.do_all()) or (bool(self._last) and self._let_one_come())

    def _let_one_come(self) -> bool:
        while self._last:
            _, _, turn = heappop(self._last)
            if not turn.done():
                turn.set_result(None)
                return True
        return False

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
    def handles_signals(self) -> bool:
        """Whether a signal calls a function of the loop."""
        return bool(self._signal_handlers)  # type: ignore[attr-defined]

    @property
    def _timers(self) -> list[asyncio.TimerHandle]:
        timers: list[asyncio.TimerHandle] = self._scheduled  # type: ignore[attr-defined]
        return timers

    def next_timer(self) -> float:
        """Return the virtual time of the next timer, or infinity if there is none."""
        timers = self._timers
        return timers[0].when() if timers else inf

    if HAS_THREADS:

        def _write_to_self(self) -> None:
            self.selector.wake()
            super()._write_to_self()  # type: ignore[misc]

    else:

        def _write_to_self(self) -> None:
            self.selector.wake()

        def _make_self_pipe(self) -> None: ...

        _close_self_pipe = _make_self_pipe

    def close(self) -> None:
        """Do the jobs that have not begun, and close the loop."""
        if not self.is_closed():
            self.jobs.do_all()
        super().close()

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:
        """Shut down the default executor, ignoring *timeout*. The clock waits for the thread in which asyncio waits."""
        self.holds += 1
        try:
            await super().shutdown_default_executor()
        finally:
            self.holds -= 1


def running_loop() -> VirtualTimeLoop:
    """Return the running event loop, which is in virtual time."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualTimeLoop)
    return loop


def run(main: Callable[[], Any], *, pace: float | None = None) -> Any:
    """Run the coroutine function *main* on a loop in virtual time and return its result."""
    with asyncio.Runner(loop_factory=lambda: VirtualTimeLoop(pace)) as runner:
        return runner.run(main())
