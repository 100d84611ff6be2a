"""Locks and threads of a program, whose waits are in virtual time."""

from __future__ import annotations

import _thread
import threading
from collections import deque
from collections.abc import Callable
from contextvars import Context
from functools import wraps
from math import inf
from typing import Any

from reboard_sim.script.replacements import only_here
from reboard_sim.script.scheduler import ScheduledThread, here


class VirtualLock:
    """A lock for which the threads of a program wait in virtual time, and other threads really."""

    def __init__(self) -> None:
        self._lock = _real_lock()
        self._waiting: deque[ScheduledThread] = deque()

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        if not (thread := here()):
            return self._lock.acquire(blocking, timeout)
        now = thread.scheduler.loop.time
        until = now() + timeout if timeout >= 0 else inf
        while not self._lock.acquire(False):
            if not blocking or now() >= until:
                return False
            self._waiting.append(thread)
            try:
                thread.wait(None if until == inf else until - now())
            finally:
                if thread in self._waiting:
                    self._waiting.remove(thread)
        return True

    def release(self) -> None:
        self._lock.release()
        if self._waiting:
            self._waiting.popleft().wake()

    def locked(self) -> bool:
        return self._lock.locked()

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()

    def _at_fork_reinit(self) -> None:
        self._lock = _real_lock()


_real_lock = _thread.allocate_lock


@only_here(_thread.start_new_thread)
def start_new_thread(thread: ScheduledThread, function: Any, args: Any, kwargs: Any = None) -> int:
    """Replace ``_thread.start_new_thread``."""
    thread.scheduler.spawn(lambda: function(*args, **(kwargs or {})), is_daemon=True)
    return 0  # the identifier is known only when it runs


def as_main_thread(run: Callable[[], None]) -> Callable[[], None]:
    """Return a function that calls *run* in a thread that is the main thread of a program for ``threading``."""

    def run_as_main() -> None:
        main: Any = threading.current_thread()
        main.name, main._daemonic = "MainThread", False  # the threads that it starts are no daemons either
        main._tstate_lock = _real_lock()  # a child process with Python 3.12 or earlier expects it
        main._tstate_lock.acquire()
        try:
            run()
        finally:
            threading._active.pop(main.ident, None)  # type: ignore[attr-defined]

    return run_as_main


_real_join, _real_is_alive = threading.Thread.join, threading.Thread.is_alive


@only_here(threading.Thread.start)
def start(thread: ScheduledThread, self: Any) -> None:
    """Replace ``threading.Thread.start``."""
    if self._started.is_set():
        raise RuntimeError("threads can only be started once")
    run = self.run

    def run_until_cut() -> None:
        try:
            run()
        except SystemExit:
            pass
        except BaseException as error:
            if not self.scheduled.is_cut:
                process = thread.scheduler.process
                process.write(f"Exception in thread {self.name}:\n", is_error=True)
                process.show_error(error)

    self.run = run_until_cut
    self._context = getattr(self, "_context", None) or Context()  # of Python 3.14
    self._set_tstate_lock = lambda: None  # Python 3.12 and earlier wait for it at the end of the interpreter
    with threading._active_limbo_lock:  # type: ignore[attr-defined]
        threading._limbo[self] = self  # type: ignore[attr-defined]
    self.scheduled = thread.scheduler.spawn(self._bootstrap_inner, is_daemon=self.daemon)
    self._started.wait()


@wraps(_real_join)
def join(self: Any, timeout: float | None = None) -> None:
    """Replace ``threading.Thread.join``."""
    scheduled: ScheduledThread | None = getattr(self, "scheduled", None)
    thread = here()
    if not scheduled:
        _real_join(self, timeout)
    elif scheduled is thread:
        raise RuntimeError("cannot join current thread")
    elif thread:  # no other thread waits: the process ends, or collects garbage
        now = thread.scheduler.loop.time
        until = inf if timeout is None else now() + max(timeout, 0)
        while is_alive(self) and now() < until:
            scheduled.joining.append(thread)
            try:
                thread.wait(None if until == inf else until - now())
            finally:  # or the end of the other thread would interrupt a later wait of this one
                scheduled.joining.remove(thread)


@wraps(_real_is_alive)
def is_alive(self: Any) -> bool:
    """Replace ``threading.Thread.is_alive``."""
    scheduled: ScheduledThread | None = getattr(self, "scheduled", None)
    return scheduled.is_alive if scheduled else _real_is_alive(self)
