"""Files of a program: its terminal, and those for which it waits in virtual time."""

from __future__ import annotations

import asyncio.selector_events
import select
import selectors
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from math import inf
from typing import Any
from weakref import WeakSet

from reboard_sim.script.replacements import only_here
from reboard_sim.script.scheduler import ScheduledThread, here
from reboard_sim.script.threads import current

POLL_S = 0.01
"""The time between two looks at files for which a program waits, such as pipes, in seconds."""

_selecting: set[ScheduledThread] = set()
"""The threads that wait for files."""


_of_loops: WeakSet[selectors.BaseSelector] = WeakSet()
"""The selectors of the program's loops of asyncio. Each has a file to which its other threads write."""


def _select_in_turn(real: Callable[..., Any], is_outside: Callable[..., bool]) -> Callable[..., Any]:
    """Return a function that waits for files in virtual time, with the timeout as the last argument of *real*.

    *is_outside* returns whether a file can get data from outside the virtual Pi, such as the pipe of a process.
    """

    @only_here(real)
    def select_in_turn(thread: ScheduledThread, *files: Any, timeout: float | None = None) -> Any:
        loop = thread.scheduler.loop
        until = inf if timeout is None else loop.time() + timeout
        really_s = 0.0
        while True:
            ready = real(*files, really_s)
            is_any = any(ready) if isinstance(ready, tuple) else bool(ready)
            if is_any or loop.time() >= until:
                return ready
            longest = until - loop.time()
            if is_outside(*files):  # so a play cannot run ahead
                longest = min(longest, POLL_S)
                really_s = POLL_S if loop.clock.pace is None else 0.0
            _selecting.add(thread)
            try:
                thread.wait(None if longest == inf else longest)
            finally:
                _selecting.discard(thread)

    return select_in_turn


_real_select = select.select
_virtual_select = _select_in_turn(_real_select, lambda *_: True)


@wraps(_real_select)
def select_files(reads: Any, writes: Any, others: Any, timeout: float | None = None) -> Any:
    """Replace ``select.select``."""
    return (
        _virtual_select(reads, writes, others, timeout=timeout)
        if current()
        else _real_select(reads, writes, others, timeout)
    )


def selector_of(kind: Any) -> Callable[..., Any]:
    """Return the replacement of the method ``select`` of a *kind* of selector."""
    real = kind.select
    virtual = _select_in_turn(real, lambda selector: len(selector.get_map()) > (selector in _of_loops))

    @wraps(real)
    def select(self: Any, timeout: float | None = None) -> Any:
        return virtual(self, timeout=timeout) if current() else real(self, timeout)

    return select


_real_write_to_self = asyncio.selector_events.BaseSelectorEventLoop._write_to_self  # type: ignore[attr-defined]


def write_to_self(self: Any) -> None:
    """Replace the method by which a loop of asyncio wakes itself: wake the threads that wait for files, too."""
    _real_write_to_self(self)
    wake_selecting()


def wake_selecting() -> None:
    """Have the threads that wait for files look at them now."""
    for thread in tuple(_selecting):
        thread.wake()


_real_init = asyncio.selector_events.BaseSelectorEventLoop.__init__


@wraps(_real_init)
def make_loop(self: Any, *args: Any, **kwargs: Any) -> None:
    """Replace the constructor of asyncio's loops: the power cut closes those of a program."""
    _real_init(self, *args, **kwargs)
    if isinstance(thread := current(), ScheduledThread):
        thread.scheduler.loops.append(self)
        _of_loops.add(self._selector)


class PrintStream:
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


class InputStream:
    """The ``sys.stdin`` of a program, which reads lines from its `Process`."""

    def __init__(self, real: Any) -> None:
        self._real = real

    def readline(self, size: int = -1) -> str:
        thread = here()
        if thread:
            return thread.scheduler.process.read_line("") + "\n"
        return self._real.readline(size) if self._real else ""  # closed, as that of a service can be

    def __iter__(self) -> Iterator[str]:
        while line := self.readline():
            yield line

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)
