"""The deal timer."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable

from reboard.accessories.banker_unit.vocabulary import DealCancelled, DealEnded, DealStarted, DealTick
from reboard.devices.speaker import Speaker
from reboard.events import Emit

SHORTEST_DEAL_S = 13.0
LONGEST_DEAL_S = 50.0
"""The longest deal, in seconds. The rule book of the World Edition says "anywhere between 13 and 50 seconds"."""

TICK_S = 1.0


class DealTimer:
    """The timer of a deal (an auction), which ticks for a random time. Only one deal can run at a time.

    The ticks are always `TICK_S` apart, so that they do not reveal how much time is left. *rng* draws the length when
    a deal starts. *ended* is called with the start of a deal that ends by itself.
    """

    def __init__(self, rng: random.Random, speaker: Speaker, *, emit: Emit, ended: Callable[[float], None]) -> None:
        self._rng = rng
        self._speaker = speaker
        self._emit = emit
        self._ended = ended
        self._task: asyncio.Task[None] | None = None

    @property
    def is_running(self) -> bool:
        return self._task is not None

    def start(self, at: float) -> None:
        """Start a deal *at* the current time, unless one is running."""
        if self._task is None:
            length_s = self._rng.uniform(SHORTEST_DEAL_S, LONGEST_DEAL_S)
            self._task = asyncio.get_running_loop().create_task(self._run(at, length_s), name="deal")
            self._emit(DealStarted())

    def cancel(self) -> None:
        if self._task is not None:
            self.close()
            self._emit(DealCancelled())

    def close(self) -> None:
        """Stop the running deal without an event. Can be called more than once."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _run(self, began: float, length_s: float) -> None:
        ticks = 0
        while ticks * TICK_S < length_s:
            await self._until(began + ticks * TICK_S)
            self._emit(DealTick())
            self._speaker.play("deal_tick")
            ticks += 1
        await self._until(began + length_s)
        self._task = None
        self._emit(DealEnded())
        self._speaker.play("gavel")
        self._ended(began)

    async def _until(self, moment: float) -> None:
        await asyncio.sleep(moment - asyncio.get_running_loop().time())
