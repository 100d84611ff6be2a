"""Plays: what hands do at a table and what must then be true, carried out line by line."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from reboard.errors import ReboardError
from reboard_sim.eyes import Eyes, NotSoError
from reboard_sim.hands import Hands
from reboard_sim.play_language import Line, PlayError
from reboard_sim.virtual_table import VirtualTable

BEFORE_POWER = ("edition", "seed", "config", "power", "fault", "mend")
"""What a play can say before the table is switched on; any other line switches it on, if the plug was not touched."""


class CheckFailed(NotSoError):  # noqa: N818 - it is the outcome of a play, not a defect of it
    """A check of a play that did not hold, with its line."""

    def __init__(self, line: Line, problem: NotSoError, *, path: str = "play") -> None:
        super().__init__(problem.expected, problem.found)
        self.args = (f"{path}:{line.number}: {problem}",)
        self.line = line.number


class Player:
    """Carries out lines at a virtual table. One player's checks look back to that player's own acts.

    One that *follows* another looks back as far as that one would.
    """

    def __init__(self, table: VirtualTable, *, path: str = "play", follows: Player | None = None) -> None:
        self._table = table
        self._hands = Hands(table)
        self._eyes = Eyes(table)
        self._path = path
        self._checked = True
        if follows:
            self._hands.since, self._eyes.since = follows._hands.since, follows._eyes.since
            self._checked = follows._checked

    async def perform(self, lines: Iterable[Line]) -> None:
        """Carry out every line in turn.

        Raises `CheckFailed` for the first check that does not hold, and `PlayError` for the first act that this table
        cannot be given. Called off, it lets go of what it holds.
        """
        for line in lines:
            try:
                await self._perform(line)
            except asyncio.CancelledError:
                self._hands.let_go()
                raise
            except NotSoError as problem:
                raise CheckFailed(line, problem, path=self._path) from None
            except ReboardError as problem:
                raise PlayError(line.number, str(problem), path=self._path) from None

    async def _perform(self, line: Line) -> None:
        if line.form.name not in BEFORE_POWER and not self._table.plug_was_touched:
            await self._table.power_on()
            self._eyes.look_from_here()
        if line.form.is_check:
            self._checked = True
            await self._eyes.check(line)
            return
        if self._checked:
            self._eyes.look_from_here()
            self._checked = False
        await self._hands.do(line)
