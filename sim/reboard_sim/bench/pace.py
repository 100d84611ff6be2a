"""The pace of the bench's clock."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal, get_args

from reboard_sim.virtual_time import VirtualTimeLoop

Pace = Literal[0, 1, 10, "fast"]
"""The pace of the clock: paused, real time, ten times faster, or as fast as possible."""

PACES: tuple[Pace, ...] = get_args(Pace)

FAST = 1000.0
"""The maximum number of virtual seconds per real second, so that a page can show them."""

QUIET_S = 5.0
"""The number of virtual seconds without an event after which ``"fast"`` becomes real time."""

LONGEST_STEP_S = 60.0

AT_ONCE = 1e6
"""The pace for work that must take almost no real time."""


class Pacing:
    """The pace of the clock of *loop*. Call all methods in the thread of the loop.

    ``"fast"`` is fast while the table is busy, and real time while nothing happens. Otherwise the display would sleep
    before each key. While the user holds a device (*held*), the clock runs in real time. Otherwise each click would be
    a long press.
    """

    def __init__(self, loop: VirtualTimeLoop, held: Callable[[], bool], chosen: Pace = 1) -> None:
        self.is_paused = asyncio.Event()
        self._loop = loop
        self._held = held
        self._chosen = chosen
        self._waiting = 0
        self._at_once = 0
        self._event_at = 0.0
        self._until_quiet: asyncio.TimerHandle | None = None
        self._step: asyncio.Future[None] | None = None

    @property
    def chosen(self) -> Pace:
        """The pace that the user has chosen."""
        return self._chosen

    @property
    def rate(self) -> float:
        """The maximum number of virtual seconds per real second."""
        return self._loop.clock.pace or 0.0

    @property
    def is_at_once(self) -> bool:
        """Whether `at_once` is in progress. A pace chosen meanwhile takes effect afterwards."""
        return self._at_once > 0

    def choose(self, pace: Pace) -> None:
        """Run the clock at *pace*."""
        self._end_step()
        self._chosen = pace
        if pace == 0:
            self.is_paused.set()
        else:
            self.is_paused.clear()
        self._keep_awake()
        self._set_pace()

    async def step(self) -> None:
        """Run at once to the next event or change of a line, at most 60 s, and pause."""
        self.choose(0)
        step = self._step = self._loop.create_future()
        too_long = self._loop.call_later(LONGEST_STEP_S, self._end_step)
        self._set_pace()
        try:
            await step
        finally:
            too_long.cancel()
            if self._step is step:
                self._end_step()

    def event_happened(self) -> None:
        """Report that an event happens now."""
        self._end_step()
        self._keep_awake()

    def input_changed(self) -> None:
        """Report that the user has pressed or released a device."""
        self._set_pace()

    @contextmanager
    def waited_for(self) -> Iterator[None]:
        """Run fast, if that pace is chosen, while the user waits for the work in this block."""
        self._waiting += 1
        self._keep_awake()
        self._set_pace()
        try:
            yield
        finally:
            self._waiting -= 1
            self._set_pace()

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Do the work in this block without real time; then continue as before."""
        self._end_step()
        self._at_once += 1
        self._set_pace()
        try:
            yield
        finally:
            self._at_once -= 1
            self.choose(self._chosen)

    def _set_pace(self) -> None:
        pace = self._due()
        if pace != self._loop.clock.pace:  # the clock catches up only while the pace stays the same
            self._loop.clock.pace = pace

    def _due(self) -> float:
        if self._at_once or self._step:
            return AT_ONCE
        if self._chosen == 0:
            return 0.0
        if self._held():
            return 1.0
        if self._chosen == "fast":
            return FAST if self._until_quiet else 1.0
        return float(self._chosen)

    def _keep_awake(self) -> None:
        if self._chosen == "fast":
            self._event_at = self._loop.time()
            if not self._until_quiet:
                self._until_quiet = self._loop.call_later(QUIET_S, self._slow_down)
                self._set_pace()

    def _slow_down(self) -> None:
        # run in real time, unless a user waits or something happened a moment ago
        self._until_quiet = None
        at = (self._loop.time() if self._waiting else self._event_at) + QUIET_S
        if self._chosen == "fast" and at > self._loop.time():
            self._until_quiet = self._loop.call_at(at, self._slow_down)
        self._set_pace()

    def _end_step(self) -> None:
        step, self._step = self._step, None
        if step:
            self._set_pace()
            if not step.done():
                step.set_result(None)
