"""The checks of a play, which are its ``expect`` lines."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from functools import partial
from typing import Any

from reboard.errors import ReboardError
from reboard_sim.accessories.installed import things
from reboard_sim.plays.play_language import Line
from reboard_sim.recording import LoggedEvent
from reboard_sim.virtual_table import VirtualTable

RETRY_S = 0.3
"""The time for which a check is repeated before it fails, in virtual seconds. A display needs time to change."""
RETRY_EVERY_S = 0.01

HEARD_WITHIN_S = 0.1
"""The time after the start of a sound, in seconds, in which the sound card must play audible samples."""


class CheckError(ReboardError, AssertionError):
    """An error for a failed check, with the expected and the found value."""

    def __init__(self, expected: str, found: str) -> None:
        super().__init__(f"expected {expected}; found {found}")
        self.expected = expected
        self.found = found


class Checks:
    """The checks of a play at *table*. A check is repeated for up to `RETRY_S` before it fails.

    A check of an event or a sound sees the events from the place `since` in the table's log. The player calls
    `ignore_past` before the first act after a check.
    """

    def __init__(self, table: VirtualTable) -> None:
        self._table = table
        self.since = 0

    def ignore_past(self) -> None:
        """Move `since` to the end of the log, so that later checks ignore earlier events."""
        self.since = self._table.log.end

    async def check(self, line: Line) -> None:
        """Carry out the check of *line*, and repeat it until it holds. Raises `CheckError` after `RETRY_S`."""
        check: Callable[..., tuple[bool, str]]
        check = partial(line.form.check, self._table) if line.form.check else getattr(self, line.form.name)
        values = dict(line.values)
        expected = values.pop("negated", None) is None
        loop = asyncio.get_running_loop()
        until = loop.time() + RETRY_S
        while True:
            holds, found = check(**values)
            if holds is expected:
                return
            if loop.time() >= until:
                raise CheckError(line.text.removeprefix("expect").strip(), found)
            await asyncio.sleep(RETRY_EVERY_S)

    def expect_device(self, device: str, text: str) -> tuple[bool, str]:
        """Check that *device* shows *text*. Return whether it does, and what it shows."""
        shown = self._table.pi[device].shows()
        return text in shown, f"{device} {' and '.join(map(repr, shown))}"

    def expect_state(self, setting: str, value: str) -> tuple[bool, str]:
        """Check that *setting*, the dotted name of a value in the snapshot, is *value*. Return also what it is."""
        found: Any = self._table.snapshot()
        for name in setting.split("."):
            found = found.get(name) if isinstance(found, dict) else None
        text = found if isinstance(found, str) else json.dumps(found)
        return text == value, f"{setting} {text}"

    def expect_thing(self, thing: str, state: str) -> tuple[bool, str]:
        """Check that *thing* is in *state*. Return whether it is, and the found state as text."""
        found = "on" if things()[thing](self._table) else "off"
        return found == state, f"{thing} {found}"

    def expect_heard(self, sound: str, count: int | None = None) -> tuple[bool, str]:
        """Check that *sound* was audible, exactly *count* times if given. Return whether it was, and what was found."""
        heard = sum(
            logged["event"] == "sound" and logged["name"] == sound and self._could_be_heard(logged)
            for _, logged in self._table.log.since(self.since)
        )
        times = "1 time" if heard == 1 else f"{heard} times"
        return (heard > 0 if count is None else heard == count), f"{sound} heard {times}"

    def _could_be_heard(self, logged: LoggedEvent) -> bool:
        sound = self._table.sounds[str(logged["name"])]
        began = float(str(logged["t"]))
        # the sound card may play another sound at the same time, so this one must not be silent
        return any(sound.samples) and self._was_audible(began)

    def _was_audible(self, began: float) -> bool:
        return self._table.sound_card.heard_between(began, began + HEARD_WITHIN_S)

    def expect_said(self, text: str) -> tuple[bool, str]:
        """Check that *text* was part of audible words. Return whether it was, and all words that were said."""
        said = [
            str(logged["words"])
            for _, logged in self._table.log.since(self.since)
            if logged["event"] == "said" and self._was_audible(float(str(logged["t"])))
        ]
        return any(text in words for words in said), " and ".join(map(repr, said)) or "nothing"

    def expect_event(self, event: str) -> tuple[bool, str]:
        """Check that *event* happened since the place `since`. Return whether it did, and the names of the events."""
        names = [str(logged["event"]) for _, logged in self._table.log.since(self.since)]
        return event in names, f"only {', '.join(dict.fromkeys(names))}" if names else "no event"
