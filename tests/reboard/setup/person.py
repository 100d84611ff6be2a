"""A person at a terminal: sees what is said, types, and works the virtual parts meanwhile."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random

from reboard.board import ReportMotor, unguarded
from reboard.commands.setup import set_up
from reboard.config.reading import parse_toml
from reboard.setup.prompts import Quit
from reboard.table_config import TableConfig, load_config, parse_config
from reboard_sim.board.sound_card import VirtualSoundCard
from reboard_sim.virtual_pi import VirtualPi
from reboard_sim.virtual_time import run
from tests.reboard.doctor.made_up import MadeUpMachine

PATIENCE_S = 120.0
"""What is not said within so many virtual seconds will not be said."""


class Person:
    """A `reboard.setup.prompts.Terminal` with somebody at it."""

    def __init__(self, pi: VirtualPi) -> None:
        self.pi = pi
        self.said = ""
        self.guarded: list[int] = []
        self._unseen = ""
        self._more = asyncio.Event()
        self._typed: asyncio.Queue[str | None] = asyncio.Queue()

    @asynccontextmanager
    async def guard(self, pin: int) -> AsyncIterator[ReportMotor]:
        """Stands behind the motor on *pin*, which is in `guarded` meanwhile."""
        self.guarded.append(pin)
        try:
            yield unguarded
        finally:
            self.guarded.remove(pin)

    def say(self, text: str, *, end: str = "\n") -> None:
        self.said += text + end
        self._unseen = re.sub(r"\s+", " ", self._unseen + text + end)
        self._more.set()

    async def line(self) -> str:
        line = await self._typed.get()
        if line is None:
            self._typed.put_nowait(None)
            raise Quit
        return line

    async def sees(self, words: str) -> None:
        """Wait until *words* are said, after what was seen before; how the lines are broken does not matter."""
        async with asyncio.timeout(PATIENCE_S):
            while words not in self._unseen:
                self._more.clear()
                await self._more.wait()
        self._unseen = self._unseen.partition(words)[2]

    def types(self, *lines: str) -> None:
        """Type *lines*, an Enter after each."""
        for line in lines:
            self._typed.put_nowait(line)

    def hangs_up(self) -> None:
        """Close the terminal."""
        self._typed.put_nowait(None)

    async def answers(self, question: str, answer: str = "", *more: str) -> None:
        """Wait for *question* and answer it; *more* questions and answers may follow."""
        texts = (question, answer, *more)
        for asked, answered in zip(texts[::2], texts[1::2], strict=True):
            await self.sees(asked)
            self.types(answered)


Acts = Callable[[Person], Awaitable[None]]


class Outcome:
    """What came of a setup: whether the config was written, what was said, and the config that is there."""

    def __init__(self, is_written: bool, said: str, file: Path) -> None:
        self.is_written = is_written
        self.said = said
        self.file = file

    @property
    def config(self) -> TableConfig:
        return load_config(self.file)


def set_up_with(machine: MadeUpMachine, wired: str, acts: Acts, *, before: str | None = None) -> Outcome:
    """Run the whole setup in virtual time, at a Pi that is *wired* as a config says, with a person who *acts*.

    *before* is the config that is there, if any.
    """
    file = machine.root / "table.toml"
    if before is not None:
        file.write_text(before)

    async def main() -> Outcome:
        loop = asyncio.get_running_loop()
        document, _ = parse_toml(wired.encode(), file)
        pi = VirtualPi(parse_config(document, path=file), loop.time, rng=Random(5), sound_card=VirtualSoundCard())
        pi.power_on()
        machine.devices = pi
        person = Person(pi)
        pi.guard_motor = person.guard  # type: ignore[method-assign]
        acting = asyncio.create_task(_act(person, acts))
        try:
            is_written = await set_up(file, person, pi, machine)
            await acting
        finally:
            acting.cancel()
            pi.close()
        return Outcome(is_written, person.said, file)

    outcome: Outcome = run(main)
    return outcome


async def _act(person: Person, acts: Acts) -> None:
    try:
        await acts(person)
    finally:
        person.hangs_up()  # whatever is asked after the last act is asked of nobody
