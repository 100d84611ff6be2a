"""The deal timer: an auction's length that nobody can foresee."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable

from reboard.banker.needs import Speaker
from reboard.events import Emit

SHORTEST_S = 13.0
LONGEST_S = 50.0
"""The rule book of The World Edition: anywhere between 13 and 50 seconds, each deal random."""

TICK_S = 1.0


class Deal:
    """One deal at a time. Its ticks are always `TICK_S` apart, so that they tell nothing of how many are left.

    *rng* draws each length when its deal starts. *changed* is called when a deal starts and when it is over. It waits
    for nothing but the clock: no disk and no card delays its end.
    """

    def __init__(self, rng: random.Random, speaker: Speaker, *, emit: Emit, changed: Callable[[], None]) -> None:
        self._rng = rng
        self._speaker = speaker
        self._emit = emit
        self._changed = changed
        self._task: asyncio.Task[None] | None = None
        self.started_at = 0.0
        """When the latest deal started, on the loop's clock."""

    @property
    def running(self) -> bool:
        """Whether bids can be made."""
        return self._task is not None

    def start(self) -> None:
        """Start a deal; nothing happens while one runs."""
        if self._task is None:
            loop = asyncio.get_running_loop()
            self.started_at = loop.time()
            self._task = loop.create_task(self._run(self._rng.uniform(SHORTEST_S, LONGEST_S)), name="deal")
            self._emit("deal.started")
            self._changed()

    def cancel(self) -> None:
        """Call the deal off, if one runs."""
        if self._task is not None:
            self.close()
            self._emit("deal.cancelled")
            self._changed()

    def close(self) -> None:
        """End without a word. May be called twice."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _run(self, length_s: float) -> None:
        ticks = 0
        while ticks * TICK_S < length_s:
            await self._until(self.started_at + ticks * TICK_S)
            self._emit("deal.tick")
            self._speaker.play("deal_tick")
            ticks += 1
        await self._until(self.started_at + length_s)
        self._task = None
        self._emit("deal.ended")
        self._speaker.play("gavel")
        self._changed()

    async def _until(self, moment: float) -> None:
        await asyncio.sleep(moment - asyncio.get_running_loop().time())
