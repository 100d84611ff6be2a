"""What the bench needs of the table that it shows: to look at it, to work it, and to be told what happens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, Protocol

Stop = Callable[[], None]
"""Ends a subscription."""


class HandsOnTable(Protocol):
    """A table with a person's hands on it. Every method may be called from any thread."""

    def table(self) -> dict[str, Any]:
        """What the firmware knows: edition, game, display, cards, slots, block, deal, apple, pins …"""

    def hardware(self) -> dict[str, Any]:
        """What a person at the bench sees: lamp, motor, display dots, cards in slots, keys down, lever, faults."""

    def do(self, lines: list[str]) -> Future[None]:
        """Begin to do these lines of a play. Fails with `PlayError`, which names the line.

        Called off, what these lines hold is let go.
        """

    def subscribe_events(self, callback: Callable[[dict[str, Any]], None], /) -> Stop:
        """Call *callback* with every event from now on, in the table's thread."""

    def subscribe_sound(self, callback: Callable[[float, bytes], None], /) -> Stop:
        """Call *callback*, in the table's thread, with every block that the sound card plays and its time in s."""

    def vocabulary(self) -> Sequence[dict[str, str]]:
        """Every act of the play language: its ``usage`` and its ``meaning``."""
