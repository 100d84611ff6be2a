"""A card is in its slot from one tap to the next, for readers that speak once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from reboard.parts.slots.slot import to_nobody

REPEAT_S = 1.0
"""The same card again within this time is one tap that was read twice."""

DONE_S = 5.0
"""How long a card stays when what it was put in for is done: the result can be read, and still be corrected."""


class Tap:
    """Makes insertions and removals out of a tag that a reader tells once per card.

    The first word of a card is its insertion and the next one its removal. Another card means that the old one went
    and a new one came.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._inserted: Callable[[str], None] = to_nobody
        self._removed: Callable[[str], None] = to_nobody
        self._heard: tuple[str, float] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._is_done = False
        self._is_used = False
        self.tag: str | None = None

    def start(self, inserted: Callable[[str], None], removed: Callable[[str], None]) -> None:
        """Tell these from now on."""
        self._inserted, self._removed = inserted, removed

    def seen(self, tag: str) -> None:
        """The reader named *tag* just now."""
        now = self._loop.time()
        heard, self._heard = self._heard, (tag, now)
        if heard and heard[0] == tag and now - heard[1] < REPEAT_S:
            return
        before = self.tag
        self._go()
        if tag != before:
            self.tag = tag
            self._is_done = False
            self._inserted(tag)

    def done(self) -> None:
        """What the card was put in for is done: it stays for `DONE_S` more."""
        self._is_done = True
        self._wait()

    def in_use(self, on: bool) -> None:
        """What is done is not done yet while it is in use; the `DONE_S` begin anew after that."""
        self._is_used = on
        self._wait()

    def let_go(self, tag: str) -> bool:
        """The card *tag* is long back in somebody's hand, or in another slot; another one may have come since."""
        if tag != self.tag:
            return False
        self._stop_timer()
        self.tag = None
        return True

    def lost(self) -> None:
        """The reader went away, and with it the card."""
        self._go()

    def close(self) -> None:
        """Forget the card and call nobody any more."""
        self._stop_timer()
        self.tag = None

    def _go(self) -> None:
        self._stop_timer()
        tag, self.tag = self.tag, None
        if tag is not None:
            self._removed(tag)

    def _wait(self) -> None:
        self._stop_timer()
        if self.tag is not None and self._is_done and not self._is_used:
            self._timer = self._loop.call_later(DONE_S, self._go)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
