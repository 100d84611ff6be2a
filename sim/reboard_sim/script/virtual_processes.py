"""Child processes of a program. They run in real time, so a play does not run ahead of them."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from math import inf
from multiprocessing.connection import Connection
from multiprocessing.synchronize import SemLock
from typing import Any

from reboard_sim.script.replacements import only_here
from reboard_sim.script.scheduler import ScheduledThread
from reboard_sim.script.virtual_files import POLL_S

LONGEST_DELAY_S = 1.0
"""The longest time that a play waits at one look at a child process, in seconds."""

_real_sleep, _real_time, _real_wait = time.sleep, time.monotonic, os.waitpid

_looks: dict[int, tuple[float, float]] = {}
"""The virtual and the real time of the latest look at each child process that runs."""


def _catch_up(thread: ScheduledThread, child: int) -> None:
    """In a play, let as much real time pass as virtual time has since the latest look, unless the *child* ends."""
    loop = thread.scheduler.loop
    if loop.clock.pace is not None:
        return
    now = _real_time()
    then, really_then = _looks.get(child, (loop.time(), now))
    until = now + min(LONGEST_DELAY_S, loop.time() - then - (now - really_then))
    while (is_running := _is_running(child)) and (left := until - _real_time()) > 0:
        _real_sleep(min(POLL_S, left))
    if is_running:
        _looks[child] = loop.time(), _real_time()
    else:
        _looks.pop(child, None)


def _wait_outside(thread: ScheduledThread, longest_s: float = POLL_S) -> None:
    """Wait for something that another process does."""
    thread.wait(min(POLL_S, longest_s))
    if thread.scheduler.loop.clock.pace is None:
        _real_sleep(POLL_S)


def _is_running(child: int) -> bool:
    if not hasattr(os, "waitid"):  # macOS before Python 3.13
        return True
    with suppress(ChildProcessError):
        return not os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    return False


@only_here(os.waitpid)
def _wait(thread: ScheduledThread, child: int, options: int) -> tuple[int, int]:
    while True:
        if child > 0:
            _catch_up(thread, child)
        ended = _real_wait(child, options | os.WNOHANG)
        if ended[0] or options & os.WNOHANG:
            return ended
        _wait_outside(thread)


@only_here(subprocess.Popen.poll)
def _poll(thread: ScheduledThread, process: Any) -> int | None:
    if process.returncode is None:
        _catch_up(thread, process.pid)
    return _real_poll(process)


_real_poll = subprocess.Popen.poll


@only_here(Connection._recv)  # type: ignore[attr-defined]
def _receive(thread: ScheduledThread, connection: Any, *size: Any) -> Any:
    connection._poll(None)
    return _real_receive(connection, *size)


_real_receive = Connection._recv  # type: ignore[attr-defined]


def _make_methods(lock: Any) -> None:
    """Replace the method that gives the locks of ``multiprocessing`` those of their C class."""
    _real_make_methods(lock)
    real = lock.acquire

    @only_here(real)
    def acquire(thread: ScheduledThread, block: bool = True, timeout: float | None = None) -> bool:
        now = thread.scheduler.loop.time
        until = inf if timeout is None else now() + timeout
        while not real(False):
            if not block or now() >= until:
                return False
            _wait_outside(thread, until - now())
        return True

    lock.acquire = acquire


_real_make_methods = SemLock._make_methods  # type: ignore[attr-defined]

METHODS: Mapping[tuple[Any, str], Any] = {
    (os, "waitpid"): _wait,
    (subprocess.Popen, "poll"): _poll,
    (Connection, "_recv"): _receive,
    (SemLock, "_make_methods"): _make_methods,
    (SemLock, "__enter__"): lambda lock: lock.acquire(),
}
"""The replacement of each function and method that waits for a child process, or asks whether it runs."""
