"""The parts of the standard library that wait or tell the time, for the threads of a program: in virtual time.

Every replacement asks which thread calls it. All other threads of this process, such as the server of the bench, get
the real thing.
"""

from __future__ import annotations

import _thread
import asyncio.selector_events
import atexit
import builtins
import os
import queue
import select
import selectors
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial, wraps
from math import inf
from typing import Any, NoReturn

from reboard_sim.script import threads
from reboard_sim.script.scheduler import ScheduledThread
from reboard_sim.script.threads import current

POLL_S = 0.01
"""The time between two looks at files for which a program waits, such as sockets, in virtual seconds."""


def here() -> ScheduledThread | None:
    """Return the calling thread if it is one of a program, after its `ScheduledThread.enter`."""
    thread = current()
    if isinstance(thread, ScheduledThread):
        thread.enter()
        return thread
    return None


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


def _only_here(real: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator: the function gets the thread of a program that calls it. Other threads call *real*."""

    def decorate(virtual: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(real)
        def function(*args: Any, **kwargs: Any) -> Any:
            thread = here()
            return virtual(thread, *args, **kwargs) if thread else real(*args, **kwargs)

        return function

    return decorate


@_only_here(time.sleep)
def _sleep(thread: ScheduledThread, seconds: float) -> None:
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    thread.wait(seconds)


@_only_here(signal.pause)
def _pause(thread: ScheduledThread) -> None:
    thread.wait()


@_only_here(signal.signal)
def _signal(thread: ScheduledThread, number: int, handler: object) -> object:
    return signal.SIG_DFL  # no signal reaches the program: the power cut ends it


def _seconds(thread: ScheduledThread) -> float:
    return thread.scheduler.loop.time()


def _calendar(thread: ScheduledThread) -> float:
    return thread.scheduler.process.wall_time()


def _now_by_default(real: Callable[..., Any]) -> Callable[..., Any]:
    # time.localtime() and its like
    return _only_here(real)(lambda thread, seconds=None: real(_calendar(thread) if seconds is None else seconds))


@_only_here(time.strftime)
def _strftime(thread: ScheduledThread, text: str, *when: Any) -> str:
    return _real_strftime(text, *(when or (time.localtime(_calendar(thread)),)))


_real_strftime = time.strftime


@_only_here(_thread.start_new_thread)
def _start_new_thread(thread: ScheduledThread, function: Any, args: Any, kwargs: Any = None) -> int:
    thread.scheduler.spawn(lambda: function(*args, **(kwargs or {})), is_daemon=True)
    return 0  # the identifier is known only when it runs


_real_join, _real_is_alive = threading.Thread.join, threading.Thread.is_alive


@_only_here(threading.Thread.start)
def _start(thread: ScheduledThread, self: Any) -> None:
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
    self._set_tstate_lock = lambda: None  # Python 3.12 and earlier wait for it at the end of the interpreter
    with threading._active_limbo_lock:  # type: ignore[attr-defined]
        threading._limbo[self] = self  # type: ignore[attr-defined]
    self.scheduled = thread.scheduler.spawn(self._bootstrap_inner, is_daemon=self.daemon)
    self._started.wait()


@wraps(_real_join)
def _join(self: Any, timeout: float | None = None) -> None:
    scheduled: ScheduledThread | None = getattr(self, "scheduled", None)
    thread = here()
    if not scheduled:
        _real_join(self, timeout)
    elif scheduled is thread:
        raise RuntimeError("cannot join current thread")
    elif thread:  # no other thread waits: the process ends, or collects garbage
        now = thread.scheduler.loop.time
        until = inf if timeout is None else now() + max(timeout, 0)
        while _is_alive(self) and now() < until:
            scheduled.joining.append(thread)
            thread.wait(None if until == inf else until - now())


@wraps(_real_is_alive)
def _is_alive(self: Any) -> bool:
    scheduled: ScheduledThread | None = getattr(self, "scheduled", None)
    return scheduled.is_alive if scheduled else _real_is_alive(self)


@_only_here(atexit.register)
def _at_exit(thread: ScheduledThread, function: Any, *args: Any, **kwargs: Any) -> Any:
    thread.scheduler.process.at_exit(lambda: function(*args, **kwargs))
    return function


@_only_here(builtins.input)
def _input(thread: ScheduledThread, prompt: object = "", /) -> str:
    return thread.scheduler.process.read_line(str(prompt))


@_only_here(os._exit)
def _exit_now(thread: ScheduledThread, code: int) -> NoReturn:
    thread.scheduler.process.exit_now(code)


_selecting: set[ScheduledThread] = set()
"""The threads that wait for files."""


def _select_in_turn(real: Callable[..., Any], count: Callable[..., float]) -> Callable[..., Any]:
    """Return a function that waits for files in virtual time, with the timeout as the last argument of *real*.

    *count* returns the number of files. A loop of asyncio has one, to which its other threads write.
    """

    @_only_here(real)
    def select(thread: ScheduledThread, *files: Any, timeout: float | None = None) -> Any:
        now = thread.scheduler.loop.time
        until = inf if timeout is None else now() + timeout
        while True:
            ready = real(*files, 0)
            is_any = any(ready) if isinstance(ready, tuple) else bool(ready)
            if is_any or now() >= until:
                return ready
            longest = min(until - now(), inf if count(*files) <= 1 else POLL_S)
            _selecting.add(thread)
            try:
                thread.wait(None if longest == inf else longest)
            finally:
                _selecting.discard(thread)

    return select


_real_select = select.select
_select_files = _select_in_turn(_real_select, lambda *_: inf)


@wraps(_real_select)
def _select(reads: Any, writes: Any, others: Any, timeout: float | None = None) -> Any:
    return (
        _select_files(reads, writes, others, timeout=timeout)
        if current()
        else _real_select(reads, writes, others, timeout)
    )


def _selector_of(kind: Any) -> Callable[..., Any]:
    real = kind.select
    virtual = _select_in_turn(real, lambda selector: len(selector.get_map()))

    @wraps(real)
    def select(self: Any, timeout: float | None = None) -> Any:
        return virtual(self, timeout=timeout) if current() else real(self, timeout)

    return select


_real_write_to_self = asyncio.selector_events.BaseSelectorEventLoop._write_to_self  # type: ignore[attr-defined]


def _write_to_self(self: Any) -> None:
    _real_write_to_self(self)
    for thread in tuple(_selecting):
        thread.wake()


class _Stream:
    """A stream for ``sys.stdout`` or ``sys.stderr``: what a program prints goes to its `Process`."""

    def __init__(self, real: Any, *, is_error: bool) -> None:
        self._real = real
        self._is_error = is_error

    def write(self, text: str) -> int:
        thread = current()
        if not thread:
            self._real.write(text)
        elif (thread := here()) and not thread.is_cut:
            thread.scheduler.process.write(text, is_error=self._is_error)
        return len(text)

    def writelines(self, texts: Iterable[str]) -> None:
        for text in texts:
            self.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


class _Input:
    """The ``sys.stdin`` of a program, which reads lines from its `Process`."""

    def __init__(self, real: Any) -> None:
        self._real = real

    def readline(self, size: int = -1) -> str:
        thread = here()
        line: str = thread.scheduler.process.read_line("") + "\n" if thread else self._real.readline(size)
        return line

    def __iter__(self) -> Iterator[str]:
        while line := self.readline():
            yield line

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


def _here_or(real: Callable[..., Any], virtual: Callable[..., Any]) -> Callable[..., Any]:
    return _only_here(real)(lambda thread, *args, **kwargs: virtual(*args, **kwargs))


def _clock(real: Callable[..., Any], clock: Callable[[ScheduledThread], float], *, in_ns: bool = False) -> Any:
    return _only_here(real)(lambda thread: round(clock(thread) * 1e9) if in_ns else clock(thread))


FUNCTIONS: Mapping[Any, Any] = {
    time.sleep: _sleep,
    time.time: _clock(time.time, _calendar),
    time.time_ns: _clock(time.time_ns, _calendar, in_ns=True),
    **{each: _clock(each, _seconds) for each in (time.monotonic, time.perf_counter)},
    **{each: _clock(each, _seconds, in_ns=True) for each in (time.monotonic_ns, time.perf_counter_ns)},
    **{each: _now_by_default(each) for each in (time.localtime, time.gmtime, time.ctime)},
    time.strftime: _strftime,
    signal.pause: _pause,
    signal.signal: _signal,
    _thread.allocate_lock: _here_or(_thread.allocate_lock, VirtualLock),
    threading.Lock: _here_or(threading.Lock, VirtualLock),
    threading._CRLock: _here_or(threading._CRLock, threading._PyRLock),  # type: ignore[attr-defined]
    queue.SimpleQueue: _here_or(queue.SimpleQueue, queue._PySimpleQueue),  # type: ignore[attr-defined]
    _thread.start_new_thread: _start_new_thread,
    atexit.register: _at_exit,
    builtins.input: _input,
    os._exit: _exit_now,
    select.select: _select,
}
"""The replacement of each function, also where a module has imported it by name."""

METHODS: Mapping[tuple[Any, str], Any] = {
    (threading.Thread, "start"): _start,
    **{
        (kind, "select"): _selector_of(kind)
        for kind in (selectors.SelectSelector, selectors.PollSelector, selectors.EpollSelector)
    },
    (asyncio.selector_events.BaseSelectorEventLoop, "_write_to_self"): _write_to_self,
}


_STREAMS: Mapping[str, Callable[[Any], Any]] = {
    "stdout": lambda real: _Stream(real, is_error=False),
    "stderr": lambda real: _Stream(real, is_error=True),
    "stdin": _Input,
}

_open = 0


@contextmanager
def virtual_stdlib() -> Iterator[None]:
    """Put the replacements in their places during the ``with`` block. Blocks can overlap."""
    global _open
    if not _open:
        _install()
    _open += 1
    try:
        yield
    finally:
        _open -= 1
        if not _open:
            while _undo:
                _undo.pop()()


_undo: list[Callable[[], None]] = []


def _install() -> None:
    # these stay: the interpreter joins the threads of programs at its end
    threading.Thread.join, threading.Thread.is_alive = _join, _is_alive  # type: ignore[method-assign]
    for module in tuple(sys.modules.values()):
        for name, value in tuple(getattr(module, "__dict__", {}).items()):
            if module not in NOT_HERE and _is_replaced(value):
                _replace(module, name, FUNCTIONS[value])
    for (owner, name), replacement in METHODS.items():
        _replace(owner, name, replacement)
    for name, stream in _STREAMS.items():
        _replace(sys, name, stream(getattr(sys, name)))


NOT_HERE = (sys.modules[__name__], threads, _thread)
"""The modules that keep the real functions. Imports take their locks from the last one."""


def _is_replaced(value: object) -> bool:
    return isinstance(value, CALLABLES) and value in FUNCTIONS


CALLABLES = (type, type(time.sleep), type(_sleep))


def _replace(owner: Any, name: str, replacement: Any) -> None:
    _undo.append(partial(setattr, owner, name, getattr(owner, name)))
    setattr(owner, name, replacement)
