"""The scheduler of a program's threads: they take turns, and wait in virtual time."""

from __future__ import annotations

from asyncio import AbstractEventLoop, _get_running_loop, _set_running_loop
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import Any, NoReturn, Protocol, TypeVar

from reboard_sim.script.threads import PowerCut, current
from reboard_sim.virtual_time import HAS_THREADS, VirtualTimeLoop

if HAS_THREADS:
    from reboard_sim.script.threads import ProgramThread
else:
    from reboard_sim.script.stacks import ProgramThread  # type: ignore[assignment]

T = TypeVar("T")

PATIENCE_S = 0.25
"""The real time that a loop with a pace waits for a thread, in seconds. Then it runs on without the thread."""

LONGEST_TURN_S = 10.0
"""The real time after which a loop without a pace gives up a thread that does not wait, in seconds."""

CUT_S = 0.2
"""The real time in which a thread ends after a power cut, in seconds."""

FREE_CALLS = 100
"""The number of calls in a row, such as readings of the clock or a pin, before each takes time."""

SHORT_CALL_S = 1e-5
LONG_CALL_S = 1e-3
SHORT_CALLS = 10_000
"""The number of calls in a row after which each takes a millisecond. So 0.1 s of polling has a resolution of 10 µs,
enough for the echo of an HC-SR04, and a program that only polls does not keep the loop busy."""


class Process(Protocol):
    """What a program's threads see of their process besides threads: file, clock, terminal and end."""

    path: Path
    """The file of the program."""

    def wall_time(self) -> float:
        """Return the time in seconds since 1970."""

    def read_line(self, prompt: str) -> str:
        """Show *prompt*, wait for a line of input and return it without its end."""

    def write(self, text: str, *, is_error: bool) -> None:
        """Show *text* that the program prints."""

    def at_exit(self, function: Callable[[], object]) -> None:
        """Call *function* at the end of the program."""

    def show_error(self, error: BaseException) -> None:
        """Show an exception that a thread does not catch, as Python does."""

    def opened(self, device: object) -> None:
        """Note that the program has opened a *device* of gpiozero."""

    def exit_now(self, code: int) -> NoReturn:
        """End the program at once, without any clean-up."""

    def end(self, code: object) -> None:
        """End the program at the end of this turn. *code* is its exit code, or the signal that ends it."""

    signals: Any
    """The `reboard_sim.script.virtual_signals.ProcessSignals` of the program."""


EXIT_IN_CALLBACK = (
    "sys.exit() in a callback ends only the thread that runs callbacks, so no more are called. "
    "Call it in the main program."
)


class ScheduledThread(ProgramThread):
    """A thread of a program with its *scheduler*. A program does not wait at its end for a thread that *is_daemon*."""

    def __init__(self, scheduler: Scheduler, run: Callable[[], None], *, is_daemon: bool = False) -> None:
        super().__init__(run)
        self.scheduler = scheduler
        self.is_daemon = is_daemon
        self.joining: list[ScheduledThread] = []
        """The threads that wait for the end of this one."""
        self.ticket: object = object()
        """What the current wait is known by, or ``None`` while the thread runs."""
        self._is_woken = False
        self._calls = 0
        self._interruptions: deque[Callable[[], object]] = deque()

    @property
    def is_alive(self) -> bool:
        return not self.is_over and not self.scheduler.is_over

    def wait(self, seconds: float | None = None) -> bool:
        """Wait *seconds* of virtual time, or until `wake` or `interrupt`. Call it in the thread itself.

        Return whether the thread was woken. Raises `PowerCut`.
        """
        self._join_in()
        if seconds is None or seconds > 0:
            self._calls = 0
        is_woken = self._wait(seconds)
        self._hear()
        return is_woken

    def enter(self) -> None:
        """Begin a call of the thread that concerns the loop. Let a little time pass if there were many without a wait.

        After a power cut, the call has no effect, so that the thread can give back what it holds.
        """
        self._join_in()
        self._calls += 1
        if self._calls > FREE_CALLS and not self.is_cut and self.ticket is None:
            self._wait(SHORT_CALL_S if self._calls < SHORT_CALLS else LONG_CALL_S)
        if self._interruptions:
            self._hear()

    def interrupt(self, function: Callable[[], object]) -> None:
        """Have the thread call *function* soon, also during a wait: at once if it is the calling thread."""
        if current() is self:
            function()
        else:
            self._interruptions.append(function)
            self.wake()

    def _hear(self) -> None:
        while self._interruptions and not self.is_cut:
            self._interruptions.popleft()()

    def wake(self) -> None:
        """End the wait of the thread. Can be called in any thread."""
        if self.ticket is None or self._is_woken:
            return
        self._is_woken = True
        scheduler = self.scheduler
        if current():
            scheduler.loop.call_soon(scheduler.resume, self, self.ticket)
        elif not scheduler.is_over:
            scheduler.loop.call_soon_threadsafe(scheduler.resume, self, self.ticket)

    def _join_in(self) -> None:
        if not self.is_cut and self.call():
            self.ticket = object()
            self.scheduler.loop.call_soon_threadsafe(self.scheduler.resume, self, self.ticket)
            self.rejoin()

    def _wait(self, seconds: float | None) -> bool:
        if self.is_cut:
            raise PowerCut
        loop, resume = self.scheduler.loop, self.scheduler.resume
        # not None if the garbage collector runs a destructor at the begin of another wait of this thread
        interrupted = self.ticket
        self.ticket, self._is_woken = object(), False
        timer: Any = None
        if seconds is not None:
            timer = loop.call_later(seconds, resume, self, self.ticket)
        self.pause()
        if timer:
            timer.cancel()
        if self.is_cut:
            raise PowerCut
        is_woken = self._is_woken
        if interrupted is not None:
            self.ticket = interrupted
            loop.call_soon(resume, self, interrupted)
        return is_woken


class Scheduler:
    """The threads of one run of a program, its *process*, on *loop*. Each gets its turn when its wait is over.

    *stuck* is called with a thread that has not waited for `LONGEST_TURN_S`, if the loop has no pace.
    """

    def __init__(self, loop: VirtualTimeLoop, process: Process, stuck: Callable[[ScheduledThread], None]) -> None:
        self.loop = loop
        self.process = process
        self.is_over = False
        self.threads: list[ScheduledThread] = []
        self.loops: list[AbstractEventLoop] = []
        """The loops of asyncio that the program has created."""
        self._stuck = stuck
        self._callbacks: deque[Callable[[], None]] = deque()
        self._caller: ScheduledThread | None = None

    @property
    def main(self) -> ScheduledThread:
        """The main thread of the program."""
        return self.threads[0]

    def spawn(self, run: Callable[[], None], *, is_daemon: bool = False) -> ScheduledThread:
        """Start a thread that runs *run*. Its first turn comes after those that are due now."""

        def life() -> None:
            try:
                run()
            except SystemExit:
                pass
            except Exception as error:
                self.process.show_error(error)
            finally:
                for each in thread.joining:
                    each.wake()
                if thread in self.threads:
                    self.threads.remove(thread)

        thread = ScheduledThread(self, life, is_daemon=is_daemon)
        self.threads.append(thread)
        self.loop.call_soon(self.resume, thread, thread.ticket)
        return thread

    def resume(self, thread: ScheduledThread, ticket: object) -> None:
        """Let *thread* run if it still waits with this *ticket*. Call it on the loop."""
        if thread.ticket is not ticket or self.is_over:
            return
        thread.ticket = None
        is_paced = self.loop.clock.pace is not None
        if not thread.resume(PATIENCE_S if is_paced else LONGEST_TURN_S) and not is_paced:
            self._stuck(thread)

    def call_back(self, function: Callable[[], None]) -> None:
        """Have *function*, a callback of a pin, called in the thread for such callbacks. Call it on the loop."""
        self._callbacks.append(function)
        if self._caller:
            self._caller.wake()
        else:
            self._caller = self.spawn(self._call_all, is_daemon=True)

    def _call_all(self) -> None:
        assert self._caller
        while True:
            while self._callbacks:
                try:
                    self._callbacks.popleft()()
                except SystemExit:
                    self.process.write(f"{EXIT_IN_CALLBACK}\n", is_error=True)
                    raise
                except Exception as error:
                    self.process.show_error(error)
            self._caller.wait()

    def on_loop(self, function: Callable[[], T]) -> T:
        """Call *function* in a thread of the program as if on the loop, which waits for this thread."""
        before = _get_running_loop()
        _set_running_loop(self.loop)
        try:
            return function()
        finally:
            _set_running_loop(before)

    def join_others(self) -> None:
        """Wait in a thread of the program until all others have ended that are no daemons."""
        thread = current()
        assert isinstance(thread, ScheduledThread)
        for each in tuple(self.threads):
            while each is not thread and each.is_alive and not each.is_daemon:
                each.joining.append(thread)
                thread.wait()

    def end(self, ended: Callable[[], None]) -> None:
        """Cut the power of every thread, and call *ended* when they have ended. Call it on the loop."""
        self.is_over = True
        for thread in tuple(self.threads):
            thread.cut(CUT_S)
        if HAS_THREADS:
            self._close(ended)
        else:
            self.loop.come_last(-inf).add_done_callback(lambda _: self._close(ended))

    def _close(self, ended: Callable[[], None]) -> None:
        for loop in self.loops:
            with suppress(RuntimeError):  # its thread stands still
                loop.close()
        self.threads.clear()
        self.loops.clear()
        ended()


def here() -> ScheduledThread | None:
    """Return the calling thread if it is one of a program, after its `ScheduledThread.enter`."""
    thread = current()
    if isinstance(thread, ScheduledThread):
        thread.enter()
        return thread
    return None
