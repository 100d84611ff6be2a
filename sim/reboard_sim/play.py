"""Plays: what hands do at a table and what must then be true, carried out line by line."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable

from reboard.errors import ReboardError
from reboard_sim.eyes import Eyes, NotSoError
from reboard_sim.hands import Hands
from reboard_sim.play_language import Line, PlayError
from reboard_sim.virtual_table import VirtualTable

BEFORE_POWER = ("edition", "seed", "config", "without", "power", "fault", "mend")
"""What a play can say before the table is switched on; any other line switches it on, if the plug was not touched."""


LOOKS_BACK = ("expect_heard", "expect_event")
"""Checks of what happened."""


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
        self._other_hands: list[tuple[Hands, asyncio.Task[None]]] = []
        self._eyes = Eyes(table)
        self._path = path
        self.line = 0
        """The number of the line that was begun last."""
        self._checked = True
        if follows:
            self._hands.since, self._eyes.since = follows._hands.since, follows._eyes.since
            self._checked = follows._checked

    @property
    def holds(self) -> set[str]:
        """What its hands hold, as `VirtualPi.held` names it."""
        return self._hands.holds.union(*(hands.holds for hands, _ in self._other_hands))

    async def perform(self, lines: Iterable[Line]) -> None:
        """Carry out every line in turn, and wait for what goes on meanwhile.

        Raises `CheckFailed` for the first check that does not hold, and `PlayError` for the first act that this table
        cannot be given. Called off, it lets go of what it holds.
        """
        try:
            for line in lines:
                self.line = line.number
                await self._told_with_its_line(self._perform(line), line)
            for _, task in self._other_hands:
                await task
        except asyncio.CancelledError:
            for hands in (self._hands, *(hands for hands, _ in self._other_hands)):
                hands.let_go()
            raise
        finally:
            for _, task in self._other_hands:
                task.cancel()
            await asyncio.gather(*(task for _, task in self._other_hands), return_exceptions=True)
            self._other_hands.clear()

    async def _told_with_its_line(self, doing: Awaitable[None], line: Line) -> None:
        try:
            await doing
        except NotSoError as problem:
            raise CheckFailed(line, problem, path=self._path) from None
        except ReboardError as problem:
            raise PlayError(line.number, str(problem), path=self._path) from None

    async def _perform(self, line: Line) -> None:
        act: Line = line.values["act"] if line.form.name == "meanwhile" else line
        if act.form.name not in BEFORE_POWER and not self._table.plug_was_touched:
            await self._table.power_on()
            self._eyes.look_from_here()
        if act.form.is_check:
            self._checked = True
            await self._check(act)
            return
        if self._checked:
            self._eyes.look_from_here()
            self._checked = False
        if act is line:
            await self._hands.do(act)
        else:
            hands = Hands(self._table)
            self._hands.since = self._table.log.end
            doing = asyncio.ensure_future(self._told_with_its_line(hands.do(act), line))
            self._other_hands.append((hands, doing))
            await asyncio.sleep(0)  # they begin first

    async def _check(self, line: Line) -> None:
        """Look. What is so now is worth recording; what happened is found only by who looks back as far."""
        if line.form.name in LOOKS_BACK:
            await self._eyes.check(line)
            return
        check = self._table.done.begin(line.text, is_check=True)
        await self._eyes.check(line)
        self._table.done.end(check)
