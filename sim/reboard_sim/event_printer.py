"""A play's events on standard output, one a line."""

from __future__ import annotations

import asyncio
import json

from reboard_sim.event_log import Told


class EventPrinter:
    """Prints every event that it is given, until that cannot be done any more: `failed` then says why."""

    def __init__(self) -> None:
        self._problem: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def __call__(self, told: Told) -> None:
        """Print one. It is called in the middle of the firmware's own doing, and never raises."""
        if not self._problem.done():
            try:
                print(json.dumps(told))
            except OSError as problem:
                self._problem.set_exception(problem)

    async def failed(self) -> None:
        """Wait for an event that could not be printed, and raise the ``OSError``."""
        await self._problem
