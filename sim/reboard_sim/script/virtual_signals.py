"""Signals that a program sends to itself, for its main thread. One from outside, such as Ctrl-C, is for the bench."""

from __future__ import annotations

import _thread
import os
import signal
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from errno import EINVAL
from functools import partial
from math import ceil
from typing import Any

from reboard_sim.script.replacements import only_here
from reboard_sim.script.scheduler import ScheduledThread, Scheduler
from reboard_sim.script.threads import PowerCut, current
from reboard_sim.script.virtual_files import wake_selecting


def _of_system(*names: str) -> set[int]:
    return {getattr(signal, name) for name in names if hasattr(signal, name)}


IGNORED = _of_system("SIGCHLD", "SIGCONT", "SIGPIPE", "SIGURG", "SIGWINCH")
"""The signals that do nothing in a Python program without a handler."""

FIXED = _of_system("SIGKILL", "SIGSTOP")
"""The signals that a program cannot handle."""


class ProcessSignals:
    """The signals of one run of a program, whose threads *scheduler* has."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._handlers: dict[int, Any] = {signal.SIGINT: signal.default_int_handler}
        self._wakeup_file = -1
        self._timer: Any = None
        self._interval_s = 0.0

    def handler(self, number: int) -> Any:
        return self._handlers.get(number, signal.SIG_DFL)

    def handle(self, number: int, handler: Any) -> Any:
        if number not in signal.valid_signals():  # those in real time have no name
            raise ValueError("signal number out of range")
        if number in FIXED:
            raise OSError(EINVAL, os.strerror(EINVAL))
        if not callable(handler) and handler not in (signal.SIG_DFL, signal.SIG_IGN):
            raise TypeError("signal handler must be signal.SIG_IGN, signal.SIG_DFL, or a callable object")
        before, self._handlers[number] = self.handler(number), handler
        return before

    def set_wakeup_file(self, file: int) -> int:
        """Have the number of each handled signal written to *file*, unless it is -1, and return the one before it."""
        before, self._wakeup_file = self._wakeup_file, file
        return before

    def send(self, number: int) -> None:
        """Send a signal to the main thread. Can be called in any thread of the program, and on the loop.

        0 has no effect: a program only asks whether there is such a process or thread.
        """
        if not number:
            return
        handler = self.handler(number)
        if handler == signal.SIG_DFL:
            if number not in IGNORED:
                self._scheduler.process.end(signal.Signals(number))
                if current():
                    raise PowerCut
        elif handler != signal.SIG_IGN:
            if self._wakeup_file >= 0:
                with suppress(OSError):
                    os.write(self._wakeup_file, bytes([number]))
                    wake_selecting()
            self._scheduler.main.interrupt(partial(handler, number, None))

    def set_timer(self, seconds: float, interval_s: float = 0.0) -> tuple[float, float]:
        """Send SIGALRM after *seconds*, and then each *interval_s*. Return the rest and the interval of the one before.

        0 seconds means never.
        """
        loop = self._scheduler.loop
        before = (max(0.0, self._timer.when() - loop.time()), self._interval_s) if self._timer else (0.0, 0.0)
        if self._timer:
            self._timer.cancel()
        self._timer, self._interval_s = loop.call_later(seconds, self._ring) if seconds else None, interval_s
        return before

    def _ring(self) -> None:
        if not self._scheduler.is_over:
            self.set_timer(self._interval_s, self._interval_s)
            self.send(signal.SIGALRM)


def _of(thread: ScheduledThread) -> ProcessSignals:
    signals: ProcessSignals = thread.scheduler.process.signals
    return signals


@only_here(signal.signal)
def _signal(thread: ScheduledThread, number: int, handler: Any) -> Any:
    if thread is not thread.scheduler.main:
        raise ValueError("signal only works in main thread of the main interpreter")
    return _of(thread).handle(number, handler)


def _kill(thread: ScheduledThread, process: int, number: int) -> None:
    if process not in (0, os.getpid()):
        _real_kill(process, number)
    else:
        _of(thread).send(number)


_real_kill: Any = getattr(os, "kill", None)


def _alarm(thread: ScheduledThread, seconds: int) -> int:
    return ceil(_of(thread).set_timer(seconds)[0])


def _set_timer(thread: ScheduledThread, which: int, seconds: float, interval: float = 0.0) -> tuple[float, float]:
    # the two others count the processor's time, of which a virtual Pi has none
    return _of(thread).set_timer(seconds, interval) if which == signal.ITIMER_REAL else (0.0, 0.0)


@only_here(threading.main_thread)
def _main_thread(thread: ScheduledThread) -> Any:
    main = thread.scheduler.main
    return threading._active.get(main.identifier) or threading.current_thread()  # type: ignore[attr-defined]


def _in_program(module: Any, name: str, virtual: Callable[..., Any]) -> Mapping[Any, Any]:
    # some systems lack a function
    return {real: only_here(real)(virtual)} if (real := getattr(module, name, None)) else {}


FUNCTIONS: Mapping[Any, Any] = {
    signal.signal: _signal,
    **_in_program(os, "kill", _kill),
    threading.main_thread: _main_thread,
    **_in_program(signal, "getsignal", lambda thread, number: _of(thread).handler(number)),
    **_in_program(signal, "raise_signal", lambda thread, number: _of(thread).send(number)),
    **_in_program(signal, "pthread_kill", lambda thread, _, number: _of(thread).send(number)),
    **_in_program(signal, "set_wakeup_fd", lambda thread, file, **_: _of(thread).set_wakeup_file(file)),
    **_in_program(signal, "siginterrupt", lambda *_: None),
    **_in_program(signal, "alarm", _alarm),
    **_in_program(signal, "setitimer", _set_timer),
    **_in_program(_thread, "interrupt_main", lambda thread, number=signal.SIGINT: _of(thread).send(number)),
}
"""The replacement of each function of the standard library that sets or sends a signal."""
