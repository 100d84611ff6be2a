"""The player, which carries out the lines of a play one after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable

from reboard.errors import ReboardError
from reboard_sim.plays.acts import Acts
from reboard_sim.plays.checks import CheckError, Checks
from reboard_sim.plays.play_language import Line, PlayError
from reboard_sim.virtual_table import VirtualTable

BEFORE_POWER = ("edition", "seed", "config", "without", "power", "fault", "mend")
"""The acts that do not need power. The first other line switches the power on, unless a ``power`` line came before."""


def seed_of(lines: Iterable[Line], given: int) -> int:
    """Return the seed with which a table with the seed *given* is first switched on by the play *lines*."""
    seed = given
    for line in lines:
        if line.form.name not in BEFORE_POWER or line.form.name == "power":
            break
        if line.form.name == "seed":
            seed = line.values["n"]
    return seed


EVENT_CHECKS = ("expect_heard", "expect_event")
"""The checks that depend on earlier events, not on the current state."""


class CheckFailed(CheckError):  # noqa: N818 - it is the outcome of a play, not a defect of it
    """An error for a failed check of a play, with its line number in `line`."""

    def __init__(self, line: Line, problem: CheckError, *, path: str = "play") -> None:
        super().__init__(problem.expected, problem.found)
        self.args = (f"{path}:{line.number}: {problem}",)
        self.line = line.number


class Player:
    """A player that carries out the lines of a play at a virtual table. *path* is the play's name in messages.

    A check of an event sees the events since the first act after the previous check. *follows* is the player
    that ran before at this table, or ``None``: the first checks see the events that its next checks would see.
    """

    def __init__(self, table: VirtualTable, *, path: str = "play", follows: Player | None = None) -> None:
        self._table = table
        self._user = Acts(table)
        self._meanwhile: list[tuple[Acts, asyncio.Task[None]]] = []
        self._checks = Checks(table)
        self._path = path
        self.line = 0
        """The number of the line that began last, or 0 before the first line."""
        self._checked = True
        if follows:
            self._user.since, self._checks.since = follows._user.since, follows._checks.since
            self._checked = follows._checked

    @property
    def holds(self) -> set[tuple[str, str]]:
        """The devices and keys that this player holds, as pairs like those of `VirtualPi.held`."""
        return self._user.holds.union(*(user.holds for user, _ in self._meanwhile))

    async def perform(self, lines: Iterable[Line]) -> None:
        """Carry out *lines* in order, and wait for the acts that run ``meanwhile``.

        Raises `CheckFailed` for the first check that fails, and `PlayError` for the first act that the table cannot
        carry out. A cancelled call releases every device and key that the player holds.
        """
        try:
            for line in lines:
                self.line = line.number
                await self._with_its_line(self._perform(line), line)
            for _, task in self._meanwhile:
                await task
        except asyncio.CancelledError:
            for user in (self._user, *(user for user, _ in self._meanwhile)):
                user.release_all()
            raise
        finally:
            for _, task in self._meanwhile:
                task.cancel()
            await asyncio.gather(*(task for _, task in self._meanwhile), return_exceptions=True)
            self._meanwhile.clear()

    async def _with_its_line(self, doing: Awaitable[None], line: Line) -> None:
        try:
            await doing
        except CheckError as problem:
            raise CheckFailed(line, problem, path=self._path) from None
        except ReboardError as problem:
            raise PlayError(line.number, str(problem), path=self._path) from None

    async def _perform(self, line: Line) -> None:
        act: Line = line.values["act"] if line.form.name == "meanwhile" else line
        if act.form.name not in BEFORE_POWER and not self._table.plug_was_touched:
            await self._table.power_on()
            self._checks.ignore_past()
        if act.form.is_check:
            self._checked = True
            await self._check(act)
            return
        if self._checked:
            self._checks.ignore_past()
            self._checked = False
        if act is line:
            await self._user.do(act)
        else:
            user = Acts(self._table)
            self._user.since = self._table.log.end
            doing = asyncio.ensure_future(self._with_its_line(user.do(act), line))
            self._meanwhile.append((user, doing))
            await asyncio.sleep(0)  # the act begins first

    async def _check(self, line: Line) -> None:
        # a check of events is not recorded: played again, it would look back to another act
        if line.form.name in EVENT_CHECKS:
            await self._checks.check(line)
            return
        check = self._table.done.begin(line.text, is_check=True)
        await self._checks.check(line)
        self._table.done.end(check)
