"""A thread of a program in a browser, where Python has no threads: a stack of its own.

The browser switches stacks by JavaScript Promise Integration. A thread runs between two turns of the event loop, whose
clock is held meanwhile, and only one thread runs at a time. A thread that never waits keeps its web worker busy for
ever.
"""

from __future__ import annotations

from asyncio import _get_running_loop, _set_running_loop
from collections import deque
from collections.abc import Callable
from itertools import count
from typing import Any

from pyodide.code import run_js  # type: ignore[import-not-found]
from pyodide.ffi import create_proxy, run_sync  # type: ignore[import-not-found]

from reboard_sim.script.threads import MOST_CUTS, PowerCut, _here
from reboard_sim.virtual_time import VirtualTimeLoop

_begin_stack = run_js("(run) => { void run.callPromising().finally(() => run.destroy()); }")
_make_promise = run_js("() => Promise.withResolvers()")
_soon = run_js("(call) => queueMicrotask(() => call())")

_identifiers = count(1)
_due: deque[ProgramThread] = deque()
"""The threads that are to run, in the order of their turns. The first one runs."""


class ProgramThread:
    """A `reboard_sim.script.threads.ProgramThread` on a stack. It runs when the loop gives control to the browser."""

    is_away = False

    def __init__(self, run: Callable[[], None]) -> None:
        self.is_over = False
        self.is_cut = False
        self.identifier = 0
        self._run = run
        self._cuts = 0
        self._loop: Any = None
        self._browsers: Any = None
        self._programs: Any = None
        self._go: Any = None

    def resume(self, patience_s: float) -> bool:
        self._loop = _get_running_loop()
        assert isinstance(self._loop, VirtualTimeLoop)
        self._loop.holds += 1
        _due.append(self)
        if len(_due) == 1:
            _soon(_run_first)
        return True

    def pause(self) -> None:
        self._go = _make_promise()
        self._leave()
        run_sync(self._go.promise)
        self._enter()

    def call(self) -> bool:
        return False

    def rejoin(self) -> None:
        raise AssertionError("no thread of a browser is away")

    def cut(self, patience_s: float) -> None:
        if self.is_over:
            return
        self.is_cut = True
        if self in _due:
            return
        if self.identifier:
            self.resume(patience_s)
        else:
            self.is_over = True

    def count_cut(self) -> None:
        self._cuts += 1
        if self._cuts > MOST_CUTS:
            self._end()
            run_sync(_make_promise().promise)  # for ever

    def _begin(self) -> None:
        self._enter()
        try:
            if not self.is_cut:  # or the power was cut before its first turn
                self._run()
        except PowerCut:
            pass
        finally:
            self._end()

    def _end(self) -> None:
        if not self.is_over:
            self.is_over = True
            self._leave()

    def _enter(self) -> None:
        _here.thread = self
        self._browsers = _get_running_loop()
        _set_running_loop(self._programs)

    def _leave(self) -> None:
        self._programs = _get_running_loop()
        _set_running_loop(self._browsers)
        _here.thread = None
        _due.popleft()
        self._loop.holds -= 1
        if _due:
            _soon(_run_first)
        else:
            self._loop.selector.wake()


@create_proxy  # type: ignore[untyped-decorator]
def _run_first() -> None:
    thread = _due[0]
    if thread.identifier:
        thread._go.resolve()
    else:
        thread.identifier = next(_identifiers)
        _begin_stack(create_proxy(thread._begin))
