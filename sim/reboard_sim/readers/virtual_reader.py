"""What every virtual card reader can be made to do."""

from __future__ import annotations

from typing import Protocol

from reboard.errors import ReboardError


class NoSuchCardError(ReboardError, ValueError):
    """A card that this kind of reader cannot read."""


class VirtualReader(Protocol):
    """A card reader in a slot, as hands and mishaps treat it. It lives by the loop's clock.

    `card` is what lies there: ten hex digits, of the deck's or a stranger's card. It stays there while the reader
    has no power.
    """

    card: str | None

    speaks_once: bool
    """Whether it tells only that a card came, never that it went: such a reader is tapped."""

    @staticmethod
    def says(card: str, /) -> str:
        """The tag that the firmware reads from *card*. Raises `NoSuchCardError`."""

    def put(self, card: str, /) -> None:
        """Put a card in, instead of one that is there. Raises `NoSuchCardError`."""

    def take(self) -> None:
        """Take the card away, if one is there."""

    def noise(self, on: bool, /) -> None:
        """Disturb what it says."""

    def flicker(self, on: bool, /) -> None:
        """Miss a card that lies still, now and then."""

    def plug(self) -> None:
        """Put its plug in: it has power and is heard. Nothing happens when it is in already."""

    def unplug(self) -> None:
        """Pull its plug. May be called twice."""

    def close(self) -> None:
        """Fall silent and give everything back. May be called twice."""
