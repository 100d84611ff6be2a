"""How fast the bench's clock goes: as a person chose it, and as the table gives cause."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal, get_args

from reboard_sim.virtual_time import VirtualTimeLoop

Pace = Literal[0, 1, 10, "fast"]
"""Standing still, as in life, ten times as fast, and as fast as it goes."""

PACES: tuple[Pace, ...] = get_args(Pace)

FAST = 1000.0
"""Virtual seconds per real one at the most, so that a page can follow."""

LULL_S = 5.0
"""As fast as it goes, nothing is waited for until so long, in virtual seconds, nothing has happened."""

LONGEST_STEP_S = 60.0

AT_ONCE = 1e6
"""The pace of what nobody is to wait for."""


class Pacing:
    """The pace of *loop*'s clock. Everything but its making is for the loop's own thread.

    ``"fast"`` is fast while there is something to wait for, and as in life when nothing goes on: otherwise whoever sits
    at the table would find the display asleep before each key. What a person holds, as *held* tells, is held at the
    pace of life, whatever else is done meanwhile: otherwise each click would be a long one.
    """

    def __init__(self, loop: VirtualTimeLoop, held: Callable[[], bool], chosen: Pace = 1) -> None:
        self.stands = asyncio.Event()
        self._loop = loop
        self._held = held
        self._chosen = chosen
        self._waiting = 0
        self._at_once = 0
        self._stirred_at = 0.0
        self._lull: asyncio.TimerHandle | None = None
        self._step: asyncio.Future[None] | None = None

    @property
    def chosen(self) -> Pace:
        """What was asked for."""
        return self._chosen

    @property
    def rate(self) -> float:
        """Virtual seconds per real one, at the most."""
        return self._loop.clock.pace or 0.0

    @property
    def is_at_once(self) -> bool:
        """Whether something is done that nobody is to wait for. What is chosen meanwhile is for afterwards."""
        return self._at_once > 0

    def choose(self, pace: Pace) -> None:
        """Go on at *pace*."""
        self._end_step()
        self._chosen = pace
        if pace == 0:
            self.stands.set()
        else:
            self.stands.clear()
        self._keep_awake()
        self._set_pace()

    async def step(self) -> None:
        """Stand still but for going on, at once, to the next time that something happens; 60 s at the most."""
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

    def stir(self) -> None:
        """Something happens now."""
        self._end_step()
        self._keep_awake()

    def touched(self) -> None:
        """A hand has taken hold of something, or let it go."""
        self._set_pace()

    @contextmanager
    def waited_for(self) -> Iterator[None]:
        """Somebody waits for what is done in here."""
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
        """Nobody is to wait for what is done in here; then go on as before."""
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
        if pace != self._loop.clock.pace:  # what the clock is late by is made up for at the same pace only
            self._loop.clock.pace = pace

    def _due(self) -> float:
        if self._at_once or self._step:
            return AT_ONCE
        if self._chosen == 0:
            return 0.0
        if self._held():
            return 1.0
        if self._chosen == "fast":
            return FAST if self._lull else 1.0
        return float(self._chosen)

    def _keep_awake(self) -> None:
        if self._chosen == "fast":
            self._stirred_at = self._loop.time()
            if not self._lull:
                self._lull = self._loop.call_later(LULL_S, self._doze)
                self._set_pace()

    def _doze(self) -> None:
        """Be in no hurry any more, unless somebody waits or something happened a moment ago."""
        self._lull = None
        at = (self._loop.time() if self._waiting else self._stirred_at) + LULL_S
        if self._chosen == "fast" and at > self._loop.time():
            self._lull = self._loop.call_at(at, self._doze)
        self._set_pace()

    def _end_step(self) -> None:
        step, self._step = self._step, None
        if step:
            self._set_pace()
            if not step.done():
                step.set_result(None)
