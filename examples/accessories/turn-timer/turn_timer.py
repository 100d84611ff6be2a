"""A turn timer: a button passes the turn on, and an LED ring shows the time that is left."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Annotated, Any

from reboard.kit import (
    BUTTON,
    RING,
    RING_SETTING,
    Event,
    FittedDevice,
    Game,
    GameAccessory,
    Number,
    Record,
    RingConfig,
    Section,
    first_of,
    pin,
)

GREEN, YELLOW, RED = (0, 255, 0), (255, 180, 0), (255, 0, 0)


class Started(Event, name="turn_timer.started"):
    """A turn began."""

    turn: int


class Over(Event, name="turn_timer.over"):
    """The time of a turn is up."""

    turn: int


class TimerConfig(Record):
    """The section ``[turn_timer]``. *seconds* is the length of a turn."""

    button: Annotated[int, pin]
    ring: Annotated[RingConfig, RING_SETTING]
    seconds: Annotated[float, Number(5, 600, "seconds")] = 60.0


class TurnTimer(GameAccessory[TimerConfig]):
    """The turn timer."""

    name = "turn_timer"
    title = "Turn timer"
    section = Section(TimerConfig)
    fitted: Sequence[FittedDevice[Any, Any]] = (
        FittedDevice("turn_timer.button", "timer's button", BUTTON, usual=5, is_required=True),
        FittedDevice("turn_timer.ring", "timer's ring", RING, usual=RingConfig(), is_required=True),
    )

    async def play(self, game: Game[TimerConfig]) -> None:
        """Wait for the first press. Each further press, also after the end of a turn, begins the next turn."""
        button = game.devices.button
        game.state.update(turn=0, running=False)
        await button.pressed()
        while True:
            game.state.update(turn=game.state["turn"] + 1, running=True)
            game.emit(Started(game.state["turn"]))
            game.speaker.play("key")
            if await first_of(button.pressed(), self.count_down(game)) == 0:
                continue
            game.state["running"] = False
            game.emit(Over(game.state["turn"]))
            game.speaker.play("time_up")
            await first_of(button.pressed(), self.blink(game))

    async def count_down(self, game: Game[TimerConfig]) -> None:
        """Switch one LED after the other off. The last quarter is yellow, and the last LED red."""
        ring = game.devices.ring
        for left in range(ring.count, 0, -1):
            colour = RED if left == 1 else YELLOW if left <= ring.count / 4 else GREEN
            ring.show(*[colour] * left)
            await asyncio.sleep(game.config.seconds / ring.count)

    async def blink(self, game: Game[TimerConfig]) -> None:
        """Blink the whole ring red."""
        ring = game.devices.ring
        while True:
            ring.show(*[RED] * ring.count)
            await asyncio.sleep(0.4)
            ring.show()
            await asyncio.sleep(0.4)


TURN_TIMER = TurnTimer()
