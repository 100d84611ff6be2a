"""The loops of asyncio of a program in a browser. Python has no sockets there, and Pyodide has a loop of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any
from weakref import WeakKeyDictionary

from reboard_sim.script.replacements import here_or, only_here
from reboard_sim.script.scheduler import ScheduledThread

_loops: WeakKeyDictionary[ScheduledThread, asyncio.AbstractEventLoop] = WeakKeyDictionary()


class ProgramLoop(asyncio.SelectorEventLoop):
    """A loop that other threads of the program wake without a socket."""

    _csock = None

    def _make_self_pipe(self) -> None: ...

    def _close_self_pipe(self) -> None: ...


@only_here(asyncio.set_event_loop)
def _set_loop(thread: ScheduledThread, loop: asyncio.AbstractEventLoop | None) -> None:
    if loop:
        _loops[thread] = loop
    else:
        _loops.pop(thread, None)


@only_here(asyncio.get_event_loop)
def _get_loop(thread: ScheduledThread) -> asyncio.AbstractEventLoop:
    loop = asyncio._get_running_loop() or _loops.get(thread)
    if not loop:
        raise RuntimeError("there is no current event loop in this thread")
    return loop


FUNCTIONS: Mapping[Any, Callable[..., Any]] = {
    asyncio.new_event_loop: here_or(asyncio.new_event_loop, ProgramLoop),
    asyncio.set_event_loop: _set_loop,
    asyncio.get_event_loop: _get_loop,
}
"""The replacement of each function."""
