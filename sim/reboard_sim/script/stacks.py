"""Threads and locks for a browser, where Python has no threads: each thread is a stack of its own.

The browser switches the stacks by JavaScript Promise Integration. So the event loop and the threads have to be run in a
call that can be suspended (``callPromising`` of Pyodide). Another call can begin meanwhile, and takes the turn of
`reboard_sim.pumped_loop.PumpedLoop` after it. A thread that never waits keeps its web worker busy for ever.
"""

from __future__ import annotations

import _thread
from collections import deque
from collections.abc import Callable
from itertools import count
from typing import Any

from pyodide.code import run_js  # type: ignore[import-not-found]
from pyodide.ffi import create_proxy, run_sync  # type: ignore[import-not-found]

from reboard_sim.pumped_loop import no_running_loop

_begin = run_js("(run) => { void run.callPromising().finally(() => run.destroy()); }")
# Pyodide restores a stack a few microtasks before it runs. Two in one task would run on each other's
_promise = run_js("""(() => {
  const tasks = new MessageChannel();
  const resolving = [];
  tasks.port1.onmessage = () => resolving.shift()();
  return () => {
    const { promise, resolve } = Promise.withResolvers();
    return { promise, resolve() { resolving.push(resolve); tasks.port2.postMessage(null); } };
  };
})()""")
_identifiers = count(1)
_current = 0
_values: dict[int, dict[str, Any]] = {}


def get_ident() -> int:
    """Return the number of the current stack, or the identifier of the only thread if the loop runs on it."""
    return _current or _thread.get_ident()


def start_new_thread(function: Callable[[], None], args: tuple[()]) -> int:
    """Begin a stack that runs *function*, as soon as the current stack waits. Return its number."""
    number = next(_identifiers)

    def begin() -> None:
        global _current
        _current = number
        try:
            with no_running_loop():
                function(*args)
        finally:
            _current = 0
            _values.pop(number, None)

    _begin(create_proxy(begin))
    return number


class Lock:
    """A ``_thread.lock`` for which stacks wait. They have no timeout."""

    def __init__(self) -> None:
        self._is_locked = False
        self._waiting: deque[Any] = deque()

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        global _current
        number = _current
        while self._is_locked:
            if not blocking:
                return False
            turn = _promise()
            self._waiting.append(turn)
            _current = 0  # of a call of JavaScript that begins meanwhile
            with no_running_loop():
                run_sync(turn.promise)
            _current = number
        self._is_locked = True
        return True

    def release(self) -> None:
        self._is_locked = False
        if self._waiting:
            self._waiting.popleft().resolve()

    __enter__ = acquire

    def __exit__(self, *_: object) -> None:
        self.release()


allocate_lock = Lock


class Local:
    """A ``threading.local`` of stacks."""

    def __setattr__(self, name: str, value: object) -> None:
        _values.setdefault(_current, {})[name] = value

    def __getattr__(self, name: str) -> Any:
        try:
            return _values[_current][name]
        except KeyError:
            raise AttributeError(name) from None
