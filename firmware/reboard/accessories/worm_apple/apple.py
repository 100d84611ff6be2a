"""The game of the worm apple: releasing the lever starts the motor for the time of a turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from reboard.accessories.accessory import RunningAccessory
from reboard.accessories.worm_apple.vocabulary import Snapshot, Started, Stopped, Wound
from reboard.aiotools import first_of
from reboard.devices.contact import Lever
from reboard.devices.motor import AbsentMotor, Motor, Pattern, Step
from reboard.devices.speaker import Speaker
from reboard.events import Emit, FaultState, ignore_event

USUAL_S = 13.0
"""The default length of a turn in seconds, measured on an old unit. The rule book does not give it."""

WORM_DANCE: Pattern = (
    Step(1.0, 0.9),
    Step(0.6, 0.5),
    Step(0.85, 0.7),
    Step(0.55, 0.4),
    Step(0.95, 0.8),
    Step(0.7, 0.5),
)
"""The built-in pattern of the motor: the speed rises and falls and is never 0."""


TIME_UP, TOUCHED = 0, 1
MARGIN_S = 0.05
"""The time by which the motor's limit is longer than a turn, in seconds, so that it does not end a normal one."""

PULL_S = 0.1
"""The time after its first edge within which a lever that is pulled is steadily back, in seconds."""

SPARK = (
    "a spark on the lever's wire stopped the worms: keep the wire away from the motor and its wires, and check the "
    "resistor and the capacitor at its pin"
)


class WormApple(RunningAccessory):
    """The worm apple of a running table.

    Pulling the lever all the way back winds the apple. Releasing the lever starts the motor for *seconds*. Pulling
    the lever during a turn stops the motor at the first edge of the contact, and winds the apple. If that edge was only
    a spark, it is a fault until the next turn ends in another way. A complete turn ends with a sound. The motor is
    always off after a turn.

    *now* returns the time for ``started_at`` in the snapshot.
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
        emit: Emit = ignore_event,
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
        self._fault = FaultState("apple", emit)

    @property
    def is_running(self) -> bool:
        """Whether a turn is running."""
        return self._started_at is not None

    async def run(self, started: Callable[[], None]) -> None:
        """Run turns until cancelled."""
        started()
        while True:
            await self.lever.pulled_back()
            self._set_wound()
            await self.lever.released()
            end = await self._turn()
            if end == TIME_UP:
                self.speaker.play("time_up")
            is_spark = end == TOUCHED and await first_of(self.lever.closed(), asyncio.sleep(PULL_S)) == 1
            self._fault.set(SPARK if is_spark else None)

    async def _turn(self) -> int:
        """Run the motor for a turn, and return what ended it: `TIME_UP`, `TOUCHED`, or 2 for the motor."""
        self.is_wound, self._started_at = False, self._now()
        try:
            async with self.motor.running(self.pattern, longest_s=self.seconds + MARGIN_S):
                self._emit(Started(self.seconds))
                return await first_of(self._time_is_up(), self.lever.touched(), self.motor.stopped())
        finally:
            self._started_at = None
            self._emit(Stopped())

    async def _time_is_up(self) -> None:
        await asyncio.sleep(self.seconds)

    def _set_wound(self) -> None:
        self.is_wound = True
        self._emit(Wound())
        self.speaker.play("wound")

    def snapshot(self) -> Snapshot:
        return {
            "apple": {
                "running": self.is_running,
                "wound": self.is_wound,
                "seconds": self.seconds,
                "started_at": self._started_at,
            }
        }
