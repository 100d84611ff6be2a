"""The game clock: the minutes of play that a game has left before its final count."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from reboard.banker.ledger import Ledger

SETTING = "clock {game}"
"""The ledger's setting for the minutes that a game has left."""

LENGTHS_MIN = (30, 45, 60, 90, 120)
"""How long a game can be set to last."""

WARNING_MIN = 5
MINUTE_S = 60.0


class GameClock:
    """Calls *minute_passed* after every minute while it runs. The till keeps the minutes that are left."""

    def __init__(self, minute_passed: Callable[[], None]) -> None:
        self._minute_passed = minute_passed
        self._next: asyncio.TimerHandle | None = None

    def run(self, on: bool) -> None:
        """Let it run, or stop it. One that runs already keeps its place in the minute."""
        if on and self._next is None:
            self._next = asyncio.get_running_loop().call_later(MINUTE_S, self._over)
        elif not on and self._next is not None:
            self._next.cancel()
            self._next = None

    def _over(self) -> None:
        self._next = None
        self._minute_passed()


def keep_clock(ledger: Ledger, game: int, minutes: int | None) -> None:
    """Keep in *ledger* that *game* has so many minutes left; ``None``: it has no clock."""
    ledger.set_setting(SETTING.format(game=game), "" if minutes is None else str(minutes))


def kept_clock(ledger: Ledger, game: int) -> int | None:
    """Return the minutes that *game* has left, ``None`` when it has no clock or the file is damaged."""
    minutes = ledger.setting(SETTING.format(game=game)) or ""
    if not (minutes.isascii() and minutes.isdigit()):
        return None
    return min(int(minutes[:4]), max(LENGTHS_MIN))
