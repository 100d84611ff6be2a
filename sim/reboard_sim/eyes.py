"""What eyes and ears at the table find: one method for each check of a play."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from reboard.errors import ReboardError
from reboard_sim.event_log import Told
from reboard_sim.play_language import Line
from reboard_sim.virtual_table import VirtualTable

GLANCE_S = 0.3
"""How long eyes look before they call a thing not so: a display takes a moment, and so does a person."""
LOOK_EVERY_S = 0.01

EAR_S = 0.1
"""A sound is heard when the sound card plays something this soon after it began."""


class NotSoError(ReboardError, AssertionError):
    """A check that did not hold: what was expected, and what was found."""

    def __init__(self, expected: str, found: str) -> None:
        super().__init__(f"expected {expected}; found {found}")
        self.expected = expected
        self.found = found


class Eyes:
    """Eyes and ears at *table*.

    Checks of what *is* look for up to `GLANCE_S`. Checks of what *happened* look back to the acts in front of them:
    to the first act that follows the previous check, which began at the place `since` in the table's log.
    """

    def __init__(self, table: VirtualTable) -> None:
        self._table = table
        self.since = 0

    def look_from_here(self) -> None:
        """What happened until now counts no longer."""
        self.since = self._table.log.end

    async def check(self, line: Line) -> None:
        """Look whether the line is so. Raises `NotSoError` when it is not."""
        look: Callable[..., tuple[bool, str]] = getattr(self, line.form.name)
        values = dict(line.values)
        wanted = values.pop("negated", None) is None
        loop = asyncio.get_running_loop()
        until = loop.time() + GLANCE_S
        while True:
            is_so, found = look(**values)
            if is_so is wanted:
                return
            if loop.time() >= until:
                raise NotSoError(line.text.removeprefix("expect").strip(), found)
            await asyncio.sleep(LOOK_EVERY_S)

    def expect_display(self, text: str) -> tuple[bool, str]:
        """One of the display's lines reads *text*."""
        lines = self._table.pi.lcd.lines()
        return text.strip() in [line.strip() for line in lines], " and ".join(f'"{line.strip()}"' for line in lines)

    def expect_balance(self, card: str, amount: str) -> tuple[bool, str]:
        """The card holds *amount*, as the edition writes it."""
        shown = self._table.shown_balance(card)
        return shown == amount, shown or "a card without an account"

    def expect_state(self, thing: str, state: str) -> tuple[bool, str]:
        """The motor, the lamp, the deal timer or the apple is on or off."""
        is_on: dict[str, Callable[[], bool]] = {
            "motor": lambda: self._table.pi.motor.is_on,
            "lamp": lambda: self._table.pi.lamp.level,
            "deal": lambda: self._running("deal"),
            "apple": lambda: self._running("apple"),
        }
        found = "on" if is_on[thing]() else "off"
        return found == state, f"{thing} {found}"

    def _running(self, accessory: str) -> bool:
        state: dict[str, Any] = self._table.snapshot().get(accessory) or {}
        return bool(state.get("running"))

    def expect_heard(self, sound: str, count: int | None = None) -> tuple[bool, str]:
        """The sound came out of the loudspeaker, or did *count* times."""
        heard = self._count(lambda told: told["event"] == "sound" and told["name"] == sound and self._audible(told))
        return (heard > 0 if count is None else heard == count), f"{sound} heard {heard} times"

    def _audible(self, told: Told) -> bool:
        sound = self._table.sounds[str(told["name"])]
        began = float(str(told["t"]))
        # what is heard may be another sound that plays at the same time: this one must be one that can be heard
        return any(sound.samples) and self._table.sound_card.heard_between(began, began + EAR_S)

    def expect_event(self, event: str) -> tuple[bool, str]:
        """The event happened."""
        names = [str(told["event"]) for _, told in self._table.log.since(self.since)]
        return event in names, f"only {', '.join(dict.fromkeys(names)) or 'nothing'}"

    def _count(self, fits: Callable[[Told], bool]) -> int:
        return sum(fits(told) for _, told in self._table.log.since(self.since))
