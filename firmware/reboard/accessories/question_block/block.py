"""The game of the question block: a press draws an outcome, and the block plays its sound."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from random import Random

from reboard.accessories.accessory import RunningAccessory
from reboard.accessories.question_block.outcomes import KINDS, Blink, Chance, Odds, Outcome, by_kind
from reboard.accessories.question_block.vocabulary import Drawn, Last, Pressed, Quiet, QuietSet, Snapshot
from reboard.aiotools import first_of
from reboard.devices.contact import Button
from reboard.devices.lamp import AbsentLamp, Lamp
from reboard.devices.speaker import Speaker
from reboard.events import Emit, ignore_event
from reboard.vocabulary.declared import Request

COIN_GAP_S = 0.4
"""The time between the starts of two coin sounds, in seconds. It is long enough for a child to count along."""

FAULT_RHYTHM: Sequence[Blink] = [(0.05, 0.15), (0.05, 5.0)]
"""The lamp's pattern while a device of the table has a fault: two short flashes about every five seconds."""


async def book_nothing(outcome: str, times: int = 1) -> None:
    """Transfer nothing, because the players move the money themselves."""


class QuestionBlock(RunningAccessory):
    """The question block of a running table.

    A press draws an outcome and plays its sound, with the lamp on. A press during a sound does nothing. In quiet mode,
    only the lamp shows the outcome: with a slow blink for each coin, or with the rhythm of the outcome. *book* is
    called before the sound and moves the money, as `TableContext.book` does. *tally* counts the outcomes.

    While *has_fault* is set, the lamp flashes between presses.
    """

    def __init__(
        self,
        button: Button,
        lamp: Lamp | AbsentLamp,
        speaker: Speaker,
        *,
        rng: Random,
        chance: Chance | None = None,
        quiet: bool = False,
        has_fault: asyncio.Event | None = None,
        tally: Counter[Outcome] | None = None,
        book: Callable[[str, int], Awaitable[None]] = book_nothing,
        emit: Emit = ignore_event,
    ) -> None:
        self.button = button
        self.lamp = lamp
        self.speaker = speaker
        self.chance = chance or Odds()
        self.quiet = quiet
        self.has_fault = has_fault or asyncio.Event()
        self.last: Outcome | None = None
        self.tally: Counter[Outcome] = Counter() if tally is None else tally
        self._rng = rng
        self._book = book
        self._emit = emit

    async def run(self, started: Callable[[], None]) -> None:
        """Wait for presses and show their outcomes until cancelled."""
        started()
        while True:
            await first_of(self.button.pressed(), self._flash_on_fault())
            self._emit(Pressed())
            self.last = self.chance.draw(self._rng)
            self.tally[self.last] += 1
            self._emit(Drawn(self.last.kind, self.last.coins))
            await self._book(self.last.kind, self.last.coins or 1)
            await self.show(self.last)

    async def show(self, outcome: Outcome) -> None:
        """Play the sound of *outcome* with the lamp on, or blink its pattern in quiet mode. Wait for the end."""
        try:
            if self.quiet:
                await self._blink([*KINDS[outcome.kind].rhythm] * (outcome.coins or 1))
            else:
                self.lamp.on()
                await self._sound(outcome)
        finally:
            self.lamp.off()

    async def _sound(self, outcome: Outcome) -> None:
        sound = KINDS[outcome.kind].sound
        for _ in range(outcome.coins - 1):
            self.speaker.play(sound)
            await asyncio.sleep(COIN_GAP_S)
        await self.speaker.played(sound)

    async def _flash_on_fault(self) -> None:
        try:
            while True:
                await self.has_fault.wait()
                await self._blink(FAULT_RHYTHM)
        finally:
            self.lamp.off()

    async def _blink(self, rhythm: Sequence[Blink]) -> None:
        for on_s, off_s in rhythm:
            self.lamp.on()
            await asyncio.sleep(on_s)
            self.lamp.off()
            await asyncio.sleep(off_s)

    def snapshot(self) -> Snapshot:
        last: Last | None = None if self.last is None else {"outcome": self.last.kind, "coins": self.last.coins}
        odds = by_kind(dict(self.chance.weighted()))
        return {"block": {"last": last, "quiet": self.quiet, "odds": odds, "tally": by_kind(self.tally)}}

    async def request(self, request: Request) -> object:
        match request:
            case Quiet(on=on):
                self.quiet = on
                self._emit(QuietSet(on))
                return None
            case _:
                return await super().request(request)

    def show_fault(self, part: str | None) -> None:
        (self.has_fault.clear if part is None else self.has_fault.set)()
