"""Parts that are not there: what a table without a lamp, a motor, a keypad or a display has in their place.

Each has the methods of the part it stands for; none does anything.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from reboard.dance import Pattern


class Absent:
    """What all of them share."""

    def close(self) -> None:
        """There is nothing to give back."""

    def __repr__(self) -> str:
        return f"<reboard.{type(self).__name__} object>"


class AbsentLamp(Absent):
    """No lamp: always dark."""

    is_on = False

    def on(self) -> None:
        """Light nothing."""

    def off(self) -> None:
        """Put nothing out."""


class AbsentMotor(Absent):
    """No motor: the body of the dance runs, nothing turns."""

    level = 0.0

    @asynccontextmanager
    async def dancing(self, pattern: Pattern) -> AsyncIterator[None]:
        """Turn nothing while the body runs."""
        yield

    async def stopped(self) -> None:
        """Wait for ever."""
        await asyncio.get_running_loop().create_future()


class AbsentKeypad(Absent):
    """No keypad: no key is ever pressed."""

    down: frozenset[str] = frozenset()

    def start(
        self,
        pressed: Callable[[str], None],
        released: Callable[[str], None],
        called_off: Callable[[], None],
        unclear: Callable[[], None],
    ) -> None:
        """Never call any of them."""


class AbsentDisplay(Absent):
    """No display: whatever is shown is shown to nobody, and no ``display`` event tells otherwise."""

    description = "no display"

    def show(self, line1: str, line2: str) -> None:
        """Show nothing."""

    def sleep(self) -> None:
        """Nothing goes dark."""

    def wake(self) -> None:
        """Nothing lights up."""
