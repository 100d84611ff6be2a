"""The worm apple of Wiggly Worms: the lever lets go, worms dance, time is up."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from reboard.dance import USUAL_S, Pattern, Step
from reboard.either import either
from reboard.events import Emit, to_nobody
from reboard.parts.absent import AbsentMotor
from reboard.parts.contact import Lever
from reboard.parts.motor import Motor
from reboard.parts.speaker import Speaker

WORM_DANCE: Pattern = (
    Step(1.0, 0.9),
    Step(0.6, 0.5),
    Step(0.85, 0.7),
    Step(0.55, 0.4),
    Step(0.95, 0.8),
    Step(0.7, 0.5),
)
"""Worms that rise and fall but never stand still."""


class WormApple:
    """The story of the apple.

    The lever all the way back closes its contact: wound. Letting go starts the motor and with it the timer, as soon as
    it is sure that a hand let go. Pulling again while it runs stops the motor at the contact's first edge, and winds
    anew. At the end the motor stops and a sound says so. Whatever happens, the motor is off on the way out of the
    dance; one that cannot be driven ends it.

    *now* tells the seconds in which it is said since when the worms dance.
    """

    def __init__(
        self,
        lever: Lever,
        motor: Motor | AbsentMotor,
        speaker: Speaker,
        *,
        seconds: float = USUAL_S,
        pattern: Pattern = WORM_DANCE,
        now: Callable[[], float],
        emit: Emit = to_nobody,
    ) -> None:
        self.lever = lever
        self.motor = motor
        self.speaker = speaker
        self.seconds = seconds
        self.pattern = pattern
        self.is_wound = False
        self._started_at: float | None = None
        self._now = now
        self._emit = emit

    @property
    def is_running(self) -> bool:
        """Whether the worms dance."""
        return self._started_at is not None

    async def run(self) -> None:
        """Play for ever."""
        while True:
            await self.lever.pulled_back()
            self._tell_wound()
            await self.lever.let_go()
            if await self._dance():
                self.speaker.play("time_up")

    async def _dance(self) -> bool:
        """Dance until the time is up (true), or until the lever is pulled again or the motor stops (false)."""
        self.is_wound, self._started_at = False, self._now()
        try:
            async with self.motor.dancing(self.pattern):
                self._emit("apple.started", seconds=self.seconds)
                return await either(self._time_is_up(), self.lever.closed(), self.motor.stopped()) == 0
        finally:
            self._started_at = None
            self._emit("apple.stopped")

    async def _time_is_up(self) -> None:
        await asyncio.sleep(self.seconds)

    def _tell_wound(self) -> None:
        self.is_wound = True
        self._emit("apple.wound")
        self.speaker.play("wound")

    def snapshot(self) -> dict[str, object]:
        """The apple now: ``running``, ``wound``, the ``seconds`` of a turn, and since when one runs, ``started_at``."""
        return {
            "running": self.is_running,
            "wound": self.is_wound,
            "seconds": self.seconds,
            "started_at": self._started_at,
        }
