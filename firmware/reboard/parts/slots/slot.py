"""What a slot is: a place for a bank card that tells when one comes and when it goes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


def to_nobody(_tag: str) -> None:
    """Whom a slot tells of its cards before it is started."""


class Slot(Protocol):
    """A card slot, whatever reads it.

    A *tag* is what a reader knows a card by: 4 to 20 capital hex digits (``62E3086CED``), or ``bumps-5`` for an
    original card. Callbacks are called on the loop, insertions and removals strictly in turn.
    """

    @property
    def description(self) -> str:
        """What reads this slot and where, in words: ``RDM6300 on /dev/ttyAMA0``."""

    @property
    def health(self) -> str:
        """What the reader was heard to say so far, and how much of it was garbage: ``12 frames, 57 stray bytes``."""

    @property
    def tag(self) -> str | None:
        """The card that is in the slot now."""

    def start(self, inserted: Callable[[str], None], removed: Callable[[str], None]) -> None:
        """Begin to read. A reader that is not there is a ``fault`` event and is looked for until it is."""

    def done(self) -> None:
        """What the card was put in for is done.

        A reader that hears no removal lets it go soon; the others wait until it is taken out.
        """

    def in_use(self, on: bool) -> None:
        """Somebody works with the card, or (false) has just done something and may leave it.

        A reader that hears no removal lets no card go because its time is over while it is in use, and counts the time
        from here.
        """

    def let_go(self, tag: str) -> bool:
        """The card *tag* is surely not here any more. Returns whether it is out now because of that, which is not told.

        A reader that hears removals knows better where its card is, and says no.
        """

    def close(self) -> None:
        """Stop reading and give the line or pins back. May be called twice."""
