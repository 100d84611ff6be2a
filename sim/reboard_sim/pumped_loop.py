"""A driver of an event loop in virtual time that needs no thread: its owner, such as a web worker, turns the loop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import partial
from math import inf
from typing import Any, TypeVar

from reboard import aiotools
from reboard.aiotools import cancel_all, run_until_stopped
from reboard_sim.virtual_time import JumpingSelector, Ready, VirtualTimeLoop

T = TypeVar("T")


class PumpedLoop:
    """A `reboard.aiotools.LoopThread` without a thread. Its clock is paused at first.

    The owner calls `pump` when the time that the last `pump` returned is over, and after each *wake*.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        self.loop = VirtualTimeLoop(pace=0, make_selector=partial(_PumpedSelector, wake=wake))

    def pump(self, longest_s: float) -> float:
        """Run the loop for up to *longest_s* real seconds. Return the real seconds until it has work (0: at once)."""
        deadline = time.monotonic() + longest_s
        return self._run(lambda: time.monotonic() >= deadline, stops_at_rest=True)

    def call(self, job: Coroutine[Any, Any, T]) -> T:
        """Run the loop until *job* is done. Return its result or raise its exception.

        Raises ``TimeoutError`` after `reboard.aiotools.ANSWER_WITHIN_S`.
        """
        deadline = time.monotonic() + aiotools.ANSWER_WITHIN_S
        running = asyncio.run_coroutine_threadsafe(job, self.loop)
        self._run(lambda: running.done() or time.monotonic() >= deadline, stops_at_rest=False)
        if running.cancel():
            raise TimeoutError(f"the table did not answer within {aiotools.ANSWER_WITHIN_S:g} s: try again")
        return running.result()

    def close(self) -> None:
        """Cancel all tasks, wait for their clean-up, and close the loop. Can be called more than once."""
        if not self.loop.is_closed():
            self.call(cancel_all())
            self.loop.close()

    def _run(self, is_over: Callable[[], bool], *, stops_at_rest: bool) -> float:
        selector = self.loop.selector
        assert isinstance(selector, _PumpedSelector)
        with selector.pumped(is_over, stops_at_rest), _no_running_loop():
            run_until_stopped(self.loop)
        return selector.rest_s


class _PumpedSelector(JumpingSelector):
    """A selector that stops its loop where another one would wait."""

    def __init__(self, loop: VirtualTimeLoop, wake: Callable[[], None]) -> None:
        super().__init__(loop)
        self.rest_s = 0.0
        self._wake = wake
        self._is_pumped = False

    @contextmanager
    def pumped(self, is_over: Callable[[], bool], stops_at_rest: bool) -> Iterator[None]:
        self._is_over, self._stops_at_rest = is_over, stops_at_rest
        self.rest_s, self._is_pumped = 0.0, True
        try:
            yield
        finally:
            self._is_pumped = False

    def wait(self, timeout: float | None) -> Ready:
        if self._is_over():
            self.loop.stop()
        if self.loop.holds and (timeout is None or timeout > 0):
            return self.rest(inf)  # what holds the clock runs outside of the loop
        return super().wait(timeout)

    def rest(self, seconds: float) -> Ready:
        if self._stops_at_rest and seconds > 0:
            self.rest_s = seconds
            self.loop.stop()
        return []

    def wake(self) -> None:
        super().wake()
        if not self._is_pumped:
            self._wake()


@contextmanager
def _no_running_loop() -> Iterator[None]:
    """Set the running loop and its task aside, so that another loop can run in this thread."""
    loop = asyncio._get_running_loop()
    task = asyncio.current_task(loop) if loop else None
    if loop and task:
        asyncio.tasks._leave_task(loop, task)
    asyncio._set_running_loop(None)
    try:
        yield
    finally:
        asyncio._set_running_loop(loop)
        if loop and task:
            asyncio.tasks._enter_task(loop, task)
