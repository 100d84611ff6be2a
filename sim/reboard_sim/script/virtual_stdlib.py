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
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from types import BuiltinFunctionType, FunctionType
from typing import Any, NoReturn

from reboard_sim.script import program_loops, threads, virtual_datetime, virtual_signals, virtual_traceback
from reboard_sim.script.replacements import here_or, only_here
from reboard_sim.script.scheduler import ScheduledThread
from reboard_sim.script.virtual_files import (
    InputStream,
    PrintStream,
    make_loop,
    select_files,
    selector_of,
    write_to_self,
)
from reboard_sim.script.virtual_threading import VirtualLock, is_alive, join, start, start_new_thread
from reboard_sim.virtual_clock import SAME_S
from reboard_sim.virtual_time import HAS_THREADS

if HAS_THREADS:  # and so processes
    from reboard_sim.script import virtual_processes

    OF_PROCESSES = virtual_processes.METHODS
else:
    OF_PROCESSES = {}


@only_here(time.sleep)
def _sleep(thread: ScheduledThread, seconds: float) -> None:
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    now = thread.scheduler.loop.time
    until = now() + seconds
    thread.wait(seconds)
    while (left := until - now()) > SAME_S:  # a handler of a signal has run
        thread.wait(left)


def _identifier() -> int:
    thread = threads.current()
    return thread.identifier if thread else _real_get_ident()


_real_get_ident = _thread.get_ident


@only_here(signal.pause)
def _pause(thread: ScheduledThread) -> None:
    thread.wait()


def _seconds(thread: ScheduledThread) -> float:
    return thread.scheduler.loop.time()


def _calendar(thread: ScheduledThread) -> float:
    return thread.scheduler.process.wall_time()


def _now_by_default(real: Callable[..., Any]) -> Callable[..., Any]:
    # time.localtime() and its like
    return only_here(real)(lambda thread, seconds=None: real(_calendar(thread) if seconds is None else seconds))


@only_here(time.strftime)
def _strftime(thread: ScheduledThread, text: str, *when: Any) -> str:
    return _real_strftime(text, *(when or (time.localtime(_calendar(thread)),)))


_real_strftime = time.strftime


@only_here(atexit.register)
def _at_exit(thread: ScheduledThread, function: Any, *args: Any, **kwargs: Any) -> Any:
    thread.scheduler.process.at_exit(lambda: function(*args, **kwargs))
    return function


@only_here(builtins.input)
def _input(thread: ScheduledThread, prompt: object = "", /) -> str:
    return thread.scheduler.process.read_line(str(prompt))


@only_here(os._exit)
def _exit_now(thread: ScheduledThread, code: int) -> NoReturn:
    thread.scheduler.process.exit_now(code)


def _clock(real: Callable[..., Any], clock: Callable[[ScheduledThread], float], *, in_ns: bool = False) -> Any:
    return only_here(real)(lambda thread: round(clock(thread) * 1e9) if in_ns else clock(thread))


CORES = 4
"""The cores of a Pi since the Pi 2. They set the number of threads of a pool."""

FUNCTIONS: Mapping[Any, Any] = {
    time.sleep: _sleep,
    time.time: _clock(time.time, _calendar),
    time.time_ns: _clock(time.time_ns, _calendar, in_ns=True),
    **{each: _clock(each, _seconds) for each in (time.monotonic, time.perf_counter)},
    **{each: _clock(each, _seconds, in_ns=True) for each in (time.monotonic_ns, time.perf_counter_ns)},
    **{each: _now_by_default(each) for each in (time.localtime, time.gmtime, time.ctime)},
    time.strftime: _strftime,
    signal.pause: _pause,
    **virtual_signals.FUNCTIONS,
    _thread.allocate_lock: here_or(_thread.allocate_lock, VirtualLock),
    threading.Lock: here_or(threading.Lock, VirtualLock),
    threading._CRLock: here_or(threading._CRLock, threading._PyRLock),  # type: ignore[attr-defined]
    queue.SimpleQueue: here_or(queue.SimpleQueue, queue._PySimpleQueue),  # type: ignore[attr-defined]
    _thread.start_new_thread: start_new_thread,
    _thread.get_ident: _identifier,
    atexit.register: _at_exit,
    builtins.input: _input,
    os._exit: _exit_now,
    select.select: select_files,
    **({} if HAS_THREADS else program_loops.FUNCTIONS),
    **{
        each: only_here(each)(lambda _: CORES)
        for name in ("cpu_count", "process_cpu_count")
        if (each := getattr(os, name, None))
    },
}
"""The replacement of each function, also where a module has imported it by name."""

SELECTORS = [
    kind
    for name in ("SelectSelector", "PollSelector", "EpollSelector", "KqueueSelector")
    if (kind := getattr(selectors, name, None))  # of this system
]

OF_THREADS = (_thread.start_new_thread, _thread.interrupt_main)
"""The functions of ``_thread`` that are replaced in that module, too."""

METHODS: Mapping[tuple[Any, str], Any] = {
    **{(_thread, each.__name__): FUNCTIONS[each] for each in OF_THREADS},
    **virtual_datetime.PLACES,
    **OF_PROCESSES,
    **virtual_traceback.METHODS,
    (threading.Thread, "start"): start,
    **{(kind, "select"): selector_of(kind) for kind in SELECTORS},
    (asyncio.selector_events.BaseSelectorEventLoop, "_write_to_self"): write_to_self,
    (asyncio.selector_events.BaseSelectorEventLoop, "__init__"): make_loop,
}


_STREAMS: Mapping[str, Callable[[Any], Any]] = {
    "stdout": lambda real: PrintStream(real, is_error=False),
    "stderr": lambda real: PrintStream(real, is_error=True),
    "stdin": InputStream,
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
    threading.Thread.join, threading.Thread.is_alive = join, is_alive  # type: ignore[method-assign]
    for module in [module for name, module in sys.modules.copy().items() if name not in NOT_HERE]:
        for name, value in getattr(module, "__dict__", {}).copy().items():
            if _is_replaced(value):
                _replace(module, name, FUNCTIONS[value])
    for (owner, name), replacement in METHODS.items():
        _replace(owner, name, replacement)
    for name, stream in _STREAMS.items():
        _replace(sys, name, stream(getattr(sys, name)))


NOT_HERE = {
    __name__,
    *(f"{__package__}.{name}" for name in ("replacements", "threads")),
    *(f"{__package__}.virtual_{name}" for name in ("files", "processes", "signals", "threading")),
    "_thread",
}
"""The modules that keep the real functions. Imports take their locks from ``_thread``."""


def _is_replaced(value: object) -> bool:
    return isinstance(value, CALLABLES) and value in FUNCTIONS


CALLABLES = (type, BuiltinFunctionType, FunctionType)


def _replace(owner: Any, name: str, replacement: Any) -> None:
    _undo.append(partial(setattr, owner, name, getattr(owner, name)))
    setattr(owner, name, replacement)
