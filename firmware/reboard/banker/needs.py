"""What the banker unit needs of its parts, whatever they are wired to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol

Side = Literal["left", "right"]
"""A slot: the left one receives, the right one pays."""


class Keypad(Protocol):
    """Sixteen keys: ``0`` to ``9``, ``.``, ``K``, ``M``, ``C``, ``GO`` and ``DEAL``."""

    def start(
        self,
        pressed: Callable[[str], None],
        released: Callable[[str], None],
        called_off: Callable[[], None],
        unclear: Callable[[], None],
    ) -> None:
        """Begin to read; *pressed* and *released* are called on the loop with the key's name.

        *called_off* is called when nobody can see any more which keys are down: a hold that is on counts no more.
        *unclear* is called when keys went down that cannot be told from one another: none of them is told.
        """


class Display(Protocol):
    """Two lines of sixteen characters."""

    def show(self, line1: str, line2: str) -> None:
        """Show this from now on. Returns at once."""

    def sleep(self) -> None:
        """Go dark."""

    def wake(self) -> None:
        """Show again what was shown last."""


class Speaker(Protocol):
    """What plays the table's sounds."""

    @property
    def volume(self) -> int:
        """0 (mute) to `reboard.volume.LOUDEST`."""

    @volume.setter
    def volume(self, volume: int) -> None:
        """Set it, which is an event of its own."""

    def play(self, name: str) -> float:
        """Start a sound over what plays, and return its length in seconds."""
