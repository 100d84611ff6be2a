"""Setting the game clock."""

from __future__ import annotations

from reboard.banker.desk import Desk
from reboard.banker.dialogs.dialog import PATIENCE_S, Dialog
from reboard.banker.game_clock import LENGTHS_MIN
from reboard.banker.texts import Text
from reboard.refusal import Refusal

CHOICES: tuple[int | None, ...] = (*LENGTHS_MIN, None)


class SetClock:
    """The lengths of a game in minutes, and off: ``GO`` shows the next, ``M`` sets it, ``C`` leaves."""

    patience_s = PATIENCE_S

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._at = 0

    @classmethod
    async def open(cls, desk: Desk) -> Dialog:
        """Begin with the shortest game, and say what is left of the clock that runs."""
        if desk.till.clock is not None:
            desk.say(desk.texts(Text.MINUTES_LEFT, minutes=desk.till.clock))
        return cls(desk)

    def lines(self) -> tuple[str, str]:
        """See `Dialog`."""
        minutes = CHOICES[self._at]
        text = Text.CLOCK_OFF if minutes is None else Text.CLOCK_MINUTES
        return self._desk.texts(text, minutes=minutes), self._desk.texts(Text.MENU_KEYS)

    async def key(self, key: str) -> Dialog | None:
        """See `Dialog`."""
        if key == "C":
            return None
        if key == "GO":
            self._at = (self._at + 1) % len(CHOICES)
        elif key == "M":
            first, _ = self.lines()
            await self._desk.till.set_clock(CHOICES[self._at])
            self._desk.speaker.play("key")
            self._desk.say(first)
            return None
        else:
            raise Refusal("dialog")
        return self
