"""The question block of Monopoly Super Mario Celebration: a press becomes an outcome becomes a sound."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from random import Random

from reboard.either import either
from reboard.events import Emit, to_nobody
from reboard.odds import Chance, Odds, Outcome, by_kind
from reboard.parts.absent import AbsentLamp
from reboard.parts.contact import Button
from reboard.parts.lamp import Lamp
from reboard.parts.speaker import Speaker

COIN_GAP_S = 0.4
"""From one ping to the next: slow enough for a child to count along."""

Blink = tuple[float, float]
"""Seconds lit, then seconds dark."""

COIN_BLINK: Blink = (0.3, 0.3)
QUIET_RHYTHMS: dict[str, Sequence[Blink]] = {
    "power_up": [(0.08, 0.08)] * 12,
    "laugh": [(0.12, 0.12), (0.12, 0.5)] * 3,
    "game_over": [(2.5, 0.0)],
}
"""How the lamp tells in quiet mode what the sounds would: a flutter, three ha-has, one long glow."""

TROUBLE_RHYTHM: Sequence[Blink] = [(0.05, 0.15), (0.05, 5.0)]
"""Two short flashes every five seconds: some part of this table is at fault."""


async def no_booking(_: Outcome) -> None:
    """What an outcome costs or brings is counted by hand."""


class QuestionBlock:
    """The story of the block.

    A press draws one outcome and plays its sound, the lamp lit meanwhile; a press during a sound does nothing. In
    quiet mode the lamp alone tells the outcome: one slow blink a coin, a rhythm of its own for each of the others.
    What *book* does with the outcome is done before the table hears of it. *tally* counts the outcomes, on from what it
    has already.

    While *trouble* is set and nobody presses, the lamp flashes now and then.
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
        trouble: asyncio.Event | None = None,
        tally: Counter[Outcome] | None = None,
        book: Callable[[Outcome], Awaitable[None]] = no_booking,
        emit: Emit = to_nobody,
    ) -> None:
        self.button = button
        self.lamp = lamp
        self.speaker = speaker
        self.chance = chance or Odds()
        self.quiet = quiet
        self.trouble = trouble or asyncio.Event()
        self.last: Outcome | None = None
        self.tally: Counter[Outcome] = Counter() if tally is None else tally
        self._rng = rng
        self._book = book
        self._emit = emit

    async def run(self) -> None:
        """Play for ever."""
        while True:
            await either(self.button.pressed(), self._flash_in_trouble())
            self._emit("block.pressed")
            self.last = self.chance.draw(self._rng)
            self.tally[self.last] += 1
            self._emit("block.outcome", outcome=self.last.kind, coins=self.last.coins)
            await self._book(self.last)
            await self.show(self.last)

    async def show(self, outcome: Outcome) -> None:
        """Tell *outcome* to the table, by sound or, in quiet mode, by light: in 4 s at the most."""
        try:
            if self.quiet:
                await self._blink(QUIET_RHYTHMS.get(outcome.kind, [COIN_BLINK] * outcome.coins))
            else:
                self.lamp.on()
                await self._sound(outcome)
        finally:
            self.lamp.off()

    async def _sound(self, outcome: Outcome) -> None:
        for _ in range(outcome.coins - 1):
            self.speaker.play("coin")
            await asyncio.sleep(COIN_GAP_S)
        await self.speaker.played("coin" if outcome.coins else outcome.kind)

    async def _flash_in_trouble(self) -> None:
        try:
            while True:
                await self.trouble.wait()
                await self._blink(TROUBLE_RHYTHM)
        finally:
            self.lamp.off()

    async def _blink(self, rhythm: Sequence[Blink]) -> None:
        for lit_s, dark_s in rhythm:
            self.lamp.on()
            await asyncio.sleep(lit_s)
            self.lamp.off()
            await asyncio.sleep(dark_s)

    def snapshot(self) -> dict[str, object]:
        """The block now: ``last`` (an outcome and its coins, or ``None``), ``quiet``, ``odds`` and ``tally``."""
        last = None if self.last is None else {"outcome": self.last.kind, "coins": self.last.coins}
        odds = by_kind(dict(self.chance.weighted()))
        return {"last": last, "quiet": self.quiet, "odds": odds, "tally": by_kind(self.tally)}
