"""A person at a terminal: sees what is said, types, and works the virtual parts meanwhile."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random

from reboard.accessories.installed import accessories
from reboard.board import ReportMotor, unguarded
from reboard.commands.setup import BANK, set_up
from reboard.config.reading import parse_toml
from reboard.setup.prompts import Quit
from reboard.table_config import TableConfig, load_config, parse_config
from reboard_sim.board.sound_card import VirtualSoundCard
from reboard_sim.virtual_pi import VirtualPi
from tests.reboard.doctor.made_up import MadeUpMachine

PATIENCE_S = 120.0
"""What is not said within so many virtual seconds will not be said."""


class Person:
    """A `reboard.setup.prompts.Terminal` with somebody at it."""

    def __init__(self, pi: VirtualPi, file: Path) -> None:
        self.pi = pi
        self.file = file
        self.has_written = False
        self.said = ""
        self.guarded: list[int] = []
        self._unseen = ""
        self._more = asyncio.Event()
        self._typed: asyncio.Queue[str | None] = asyncio.Queue()

    @property
    def config(self) -> TableConfig:
        """The config that is there now."""
        return load_config(self.file)

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


@asynccontextmanager
async def set_up_at(machine: MadeUpMachine, wired: str, *, before: str | None = None) -> AsyncIterator[Person]:
    """Run the whole setup at a Pi that is *wired* as a config says, for the person who acts in the ``async with``.

    *before* is the config that is there, if any. The terminal is closed at the end.
    """
    file = machine.root / "table.toml"
    if before is not None:
        file.write_text(before)
    document, _ = parse_toml(wired.encode(), file)
    clock = asyncio.get_running_loop().time
    pi = VirtualPi(parse_config(document, path=file), clock, rng=Random(5), sound_card=VirtualSoundCard())
    pi.power_on()
    machine.devices = pi
    person = Person(pi, file)
    pi.guard_motor = person.guard  # type: ignore[method-assign]
    setting_up = asyncio.create_task(set_up(file, person, pi, machine))
    try:
        if not file.exists() and BANK in accessories():
            await person.answers("Is anything connected to this Pi", "y")
        yield person
        person.hangs_up()
        person.has_written = await setting_up
    finally:
        setting_up.cancel()
        await asyncio.wait({setting_up})
        pi.close()
        if not setting_up.cancelled():
            setting_up.result()  # why it said nothing more
