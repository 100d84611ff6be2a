"""The pace of the bench's virtual clock, which the user can choose."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal, get_args

from reboard_sim.virtual_time import VirtualTimeLoop

Pace = Literal[0, 1, 10, "fast"]
"""A pace of the clock: 0 (paused), 1 (real time), 10 times real time, or `FAST` while the table is busy."""

PACES: tuple[Pace, ...] = get_args(Pace)

FAST = 1000.0
"""The rate of ``"fast"``, in virtual seconds per real second. At a higher rate, a page could not show the changes."""

QUIET_S = 5.0
"""The number of virtual seconds without an event or level change after which ``"fast"`` becomes real time."""

LONGEST_FAST_S = 300.0
"""The number of virtual seconds after the last act of the user after which events no longer keep ``"fast"`` awake.

The lamp of a table with a fault blinks for ever.
"""

LONGEST_STEP_S = 60.0

AT_ONCE = 1e6
"""The rate for work that must take almost no real time, in virtual seconds per real second."""


class Pacing:
    """A control for the pace of *loop*'s clock. Call all methods in the thread of the loop.

    ``"fast"`` becomes real time after `QUIET_S` without an event. Otherwise the display would fall asleep before each
    key press. While the user holds a device (*held* returns true), the clock runs in real time unless it is paused.
    Otherwise each click would be a long press. Events end to count *longest_fast_s* after the last act of the user.
    """

    def __init__(
        self,
        loop: VirtualTimeLoop,
        held: Callable[[], bool],
        chosen: Pace = 1,
        longest_fast_s: float = LONGEST_FAST_S,
    ) -> None:
        self.is_paused = asyncio.Event()
        self._loop = loop
        self._held = held
        self._chosen = chosen
        self._waiting = 0
        self._at_once = 0
        self._event_at = self._acted_at = 0.0
        self._longest_fast_s = longest_fast_s
        self._until_quiet: asyncio.TimerHandle | None = None
        self._step: asyncio.Future[None] | None = None

    @property
    def chosen(self) -> Pace:
        return self._chosen

    @property
    def rate(self) -> float:
        """The current maximum number of virtual seconds per real second."""
        return self._loop.clock.pace or 0.0

    @property
    def is_at_once(self) -> bool:
        """Whether `at_once` is in progress. A pace chosen meanwhile takes effect when `at_once` ends."""
        return self._at_once > 0

    def choose(self, pace: Pace) -> None:
        """Run the clock at *pace* from now on, and end a step in progress."""
        self._end_step()
        self._chosen = pace
        if pace == 0:
            self.is_paused.set()
        else:
            self.is_paused.clear()
        self._acted_at = self._loop.time()
        self._keep_awake()
        self._set_pace()

    async def step(self) -> None:
        """Run without delay to the next event or level change, for at most 60 s of virtual time, then pause."""
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
        """End a step in progress, and extend ``"fast"`` by `QUIET_S`. Call it at each event or level change."""
        self._end_step()
        self._keep_awake()

    def input_changed(self) -> None:
        """Set the pace that is now due. Call it when the user has pressed or released a device."""
        self._set_pace()

    @contextmanager
    def waited_for(self) -> Iterator[None]:
        """Prevent ``"fast"`` from becoming real time while the user waits for the work in the ``with`` block."""
        self._waiting += 1
        self._acted_at = self._loop.time()
        self._keep_awake()
        self._set_pace()
        try:
            yield
        finally:
            self._waiting -= 1
            self._acted_at = self._loop.time()
            self._set_pace()

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Run the clock at `AT_ONCE` during the ``with`` block, and at the chosen pace afterwards."""
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
        now = self._loop.time()
        if self._chosen == "fast" and now <= self._acted_at + self._longest_fast_s:
            self._event_at = now
            if not self._until_quiet:
                self._slow_down_at(self._event_at + QUIET_S)
                self._set_pace()

    def _slow_down_at(self, due: float) -> None:
        self._until_quiet = self._loop.call_at(due, self._slow_down, due)

    def _slow_down(self, due: float) -> None:
        # run in real time, unless a user waits or something happened a moment ago
        self._until_quiet = None
        at = (self._loop.time() if self._waiting else self._event_at) + QUIET_S
        if self._chosen == "fast" and at > due:
            self._slow_down_at(at)
        self._set_pace()

    def _end_step(self) -> None:
        step, self._step = self._step, None
        if step:
            self._set_pace()
            if not step.done():
                step.set_result(None)
