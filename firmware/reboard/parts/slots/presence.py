"""A card is in its slot for as long as its tag keeps coming."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from reboard.parts.slots.slot import to_nobody


class Presence:
    """Makes insertions and removals out of a tag that a reader repeats.

    A card is gone after *hold_s* seconds without its tag: longer than a cheap reader's flicker, shorter than
    anybody changes cards. Another tag means at once that the old card went and a new one came.
    """

    def __init__(self, hold_s: float) -> None:
        self._loop = asyncio.get_running_loop()
        self._hold_s = hold_s
        self._inserted: Callable[[str], None] = to_nobody
        self._removed: Callable[[str], None] = to_nobody
        self._seen_at = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self.tag: str | None = None

    def start(self, inserted: Callable[[str], None], removed: Callable[[str], None]) -> None:
        """Tell these from now on."""
        self._inserted, self._removed = inserted, removed

    def seen(self, tag: str) -> None:
        """The reader named *tag* just now."""
        self._seen_at = self._loop.time()
        if tag == self.tag:
            return
        self._gone()
        self.tag = tag
        if self._timer is None:
            self._timer = self._loop.call_at(self._seen_at + self._hold_s, self._look)
        self._inserted(tag)

    def done(self) -> None:
        """Nothing: this reader notices the card go."""

    def in_use(self, on: bool) -> None:
        """Nothing: this reader notices the card go."""

    def let_go(self, tag: str) -> bool:
        """No: this reader notices the card go."""
        return False

    def lost(self) -> None:
        """Nothing: the card is out when the reader was not back in time."""

    def close(self) -> None:
        """Forget the card and call nobody any more."""
        self.tag = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
        # A timer that is set anew only when it rings costs a lying card two rings a second, not one per frame.
        gone_at = self._seen_at + self._hold_s
        if self._loop.time() < gone_at:
            self._timer = self._loop.call_at(gone_at, self._look)
        else:
            self._timer = None
            self._gone()

    def _gone(self) -> None:
        tag, self.tag = self.tag, None
        if tag is not None:
            self._removed(tag)
