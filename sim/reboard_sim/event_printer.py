"""Events as lines of JSON, and a play's on standard output."""

from __future__ import annotations

import asyncio
import json

from reboard_sim.event_log import Told


def as_line(told: Told) -> str:
    """One event, without the line's end."""
    return json.dumps(told)


class EventPrinter:
    """Prints every event that it is given, until that cannot be done any more: `failed` then says why."""

    def __init__(self) -> None:
        self._problem: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def __call__(self, told: Told) -> None:
        """Print one. It is called in the middle of the firmware's own doing, and never raises."""
        if not self._problem.done():
            try:
                print(as_line(told))
            except OSError as problem:
                self._problem.set_exception(problem)

    async def failed(self) -> None:
        """Wait for an event that could not be printed, and raise the ``OSError``."""
        await self._problem
