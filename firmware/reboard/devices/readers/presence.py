"""Detection of a card's insertion and removal from the tags that a reader reports.

Some readers repeat a tag for as long as the card is there (`RepeatedTag`), or are asked for it again and again
(`PolledTag`). Others report a tag once, when the card arrives (`Tap`), or the card's removal, too (`Presence`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

HOLD_S = 0.5
"""The default time without its tag after which a card counts as removed, in seconds. An RDM6300 sends a frame every
65 ms, with gaps of up to 0.25 s (measured). Some PN532 modules miss a card several times in a row, for 0.1 s each
time."""

REPEAT_S = 1.0
"""The time in seconds within which a repeated tag counts as the same tap."""

TAPPED_S = 10.0
"""The time in seconds for which a tapped card counts as inserted after the last tap or key. Its player has it in hand
all the time, and may have walked away after a look at the balance."""


def _ignore(_tag: str) -> None:
    """Do nothing. This is the callback until `Presence.start` is called."""


class Presence:
    """A detector that turns the tags of a reader into insertions and removals of cards.

    This one is for readers that notice a removal themselves, and the base class of the others.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._inserted: Callable[[str], None] = _ignore
        self._removed: Callable[[str], None] = _ignore
        self._timer: asyncio.TimerHandle | None = None
        self.tag: str | None = None

    def start(self, inserted: Callable[[str], None], removed: Callable[[str], None]) -> None:
        """Start calling *inserted* and *removed* with the tag of the card."""
        self._inserted, self._removed = inserted, removed

    def seen(self, tag: str) -> None:
        """Process a *tag* that the reader reported. Another tag replaces the card at once."""
        if tag != self.tag:
            self.gone()
            self.tag = tag
            self._inserted(tag)

    def gone(self) -> None:
        """Remove the card, if there is one."""
        tag, self.tag = self.tag, None
        if tag is not None:
            self._removed(tag)

    def damaged(self) -> None:
        """React to damaged data, which can be the tag of the card. By default, do nothing."""

    def touched(self) -> None:
        """React to a pressed key or another tap (see `Slot.touched`). By default, do nothing."""

    def forget(self, tag: str) -> bool:
        """Remove the card *tag* without calling *removed* (see `Slot.forget`). By default, just return false."""
        return False

    def lost(self) -> None:
        """React to the loss of the reader. By default, do nothing."""

    def close(self) -> None:
        """Forget the card and stop the timer."""
        self._stop_timer()
        self.tag = None

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class RepeatedTag(Presence):
    """The detector for readers that repeat a tag. A card is removed after *hold_s* seconds without its tag.

    *hold_s* must exceed the gaps between a reader's frames, and be shorter than the time to change cards. If the reader
    is lost, its card is removed after the same time. While data arrives damaged, the card stays in, because then its
    removal cannot be noticed.
    """

    def __init__(self, hold_s: float) -> None:
        super().__init__()
        self._hold_s = hold_s
        self._seen_at = 0.0

    def seen(self, tag: str) -> None:
        self._seen_at = self._loop.time()
        if self._timer is None:
            self._wait()
        super().seen(tag)

    def damaged(self) -> None:
        self._seen_at = self._loop.time()

    def _wait(self) -> None:
        self._timer = self._loop.call_at(self._seen_at + self._hold_s, self._check, self._seen_at)

    def _check(self, seen_at: float) -> None:
        # the timer is not moved at each tag: a card costs two timers a second instead of one for each frame
        if self._seen_at != seen_at:
            self._wait()
        else:
            self._timer = None
            self.gone()


class PolledTag(Presence):
    """The detector for readers that are asked for a card, which is removed after *hold_s* seconds without an answer."""

    def __init__(self, hold_s: float) -> None:
        super().__init__()
        self._hold_s = hold_s
        self._missed_at: float | None = None

    @property
    def is_missed(self) -> bool:
        """Whether the card in the slot did not answer."""
        return self._missed_at is not None

    def seen(self, tag: str) -> None:
        self._missed_at = None
        super().seen(tag)

    def damaged(self) -> None:
        self._missed_at = None

    def missed(self) -> None:
        """Process a question that no card answered. Call this at least every *hold_s* seconds while `is_missed`."""
        now = self._loop.time()
        if self.tag is None:
            self._missed_at = None
        elif self._missed_at is None:
            self._missed_at = now
        elif now >= self._missed_at + self._hold_s:
            self._missed_at = None
            self.gone()


class Tap(Presence):
    """The detector for readers that report a tag once. The first tap inserts the card, and the next one removes it.

    Another tag replaces the card. A card is also removed when the reader is lost, and `TAPPED_S` after the last tap or
    key.
    """

    def __init__(self) -> None:
        super().__init__()
        self._latest: tuple[str, float] | None = None

    def seen(self, tag: str) -> None:
        now = self._loop.time()
        latest, self._latest = self._latest, (tag, now)
        if latest and latest[0] == tag and now - latest[1] < REPEAT_S:
            self.touched()
            return
        if tag == self.tag:
            self.gone()
        else:
            super().seen(tag)
            self.touched()

    def touched(self) -> None:
        self._stop_timer()
        if self.tag is not None:
            self._timer = self._loop.call_later(TAPPED_S, self.gone)

    def forget(self, tag: str) -> bool:
        if tag != self.tag:
            return False
        self._stop_timer()
        self.tag = None
        return True

    def lost(self) -> None:
        self.gone()

    def gone(self) -> None:
        self._stop_timer()
        super().gone()
