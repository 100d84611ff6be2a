"""What each part of the setup works with."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from reboard.board import Board, ReportMotor
from reboard.machine import Machine
from reboard.setup.draft import Draft
from reboard.setup.talk import Talk


@dataclass
class Visit:
    """One run of ``reboard setup``: whom it talks to, what it tries the parts on, and what it will write.

    *is_new*: there was no config before. *guard* stands behind whoever turns the motor on a pin.
    """

    talk: Talk
    board: Board
    machine: Machine
    draft: Draft
    guard: Callable[[int], AbstractAsyncContextManager[ReportMotor]]
    is_new: bool

    async def has(self, name: str, question: str) -> bool:
        """Ask whether there is the part or section *name*. One that there is not is in the config no longer."""
        probably = self.is_new or self.draft.get(name) is not None
        is_there = await self.talk.yes(question, probably)
        if not is_there:
            self.draft.drop(name)
        return is_there
