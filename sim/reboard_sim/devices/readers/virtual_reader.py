"""The base class of the virtual card readers, and the deck of cards."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping

from reboard.errors import ReboardError
from reboard_sim.devices.device import VirtualDevice

DECK = (
    "3A00C41F07",
    "3A00C4B26E",
    "3A00D10A93",
    "3A00D17C58",
    "3A00E835DA",
    "3A00E8A641",
    "3A00F719BC",
    "3A00F7E02D",
)
"""The tags of cards 1 to 8, with ten hex digits each, as on an EM4100 card. ``DECK[0]`` is card 1."""


def card_name(card: str) -> str:
    """Return the name of *card* in a play: its number in the deck, or ``tag 62E3086CED`` for any other card."""
    return f"{DECK.index(card) + 1}" if card in DECK else f"tag {card}"


class NoSuchCardError(ReboardError, ValueError):
    """An error for a card that the reader cannot read."""


class VirtualReader(VirtualDevice, ABC):
    """A virtual card reader in a slot.

    `card` has the hex digits of the card in the slot, or ``None``. The card stays in the slot when the reader loses its
    power.
    """

    card: str | None = None

    reports_once = False
    """Whether the reader reports only the insertion of a card, not its removal. Users tap cards on such a reader."""

    is_garbled = False
    """Whether the reader sends damaged data: noise, cut answers, or a comma in the tag."""

    @staticmethod
    def says(card: str, /) -> str:
        """Return the tag that the firmware reads from *card*. Raises `NoSuchCardError` if it cannot be read."""
        return card

    @abstractmethod
    def put(self, card: str, /) -> None:
        """Insert *card*, replacing any card in the slot. Raises `NoSuchCardError` if it cannot be read."""

    @abstractmethod
    def take(self) -> None:
        """Remove the card from the slot, if there is one."""

    @abstractmethod
    def noise(self, on: bool, /) -> None:
        """Begin or end noise: the reader sends disturbances, or its contacts chatter."""

    @abstractmethod
    def flicker(self, on: bool, /) -> None:
        """Begin or end flicker: the reader sometimes loses a card that stays in the slot, or reports it again."""

    def garble(self, on: bool, /) -> None:
        """Begin or end `is_garbled`."""
        self.is_garbled = on

    @abstractmethod
    def plug(self) -> None:
        """Plug the reader in, unless it is plugged in already."""

    @abstractmethod
    def unplug(self) -> None:
        """Unplug the reader. Can be called more than once."""

    def power_on(self) -> None:
        self.plug()

    def power_off(self) -> None:
        self.unplug()

    def acts(self) -> Mapping[str, Callable[..., None]]:
        return {"insert": self.put, "remove": self.take}

    def faults(self) -> Mapping[str, Callable[[bool], None]]:
        return {
            "reader": lambda on: (self.unplug if on else self.plug)(),
            "noise": self.noise,
            "flicker": self.flicker,
        }

    def shows(self) -> Collection[str]:
        return [card_name(self.card) if self.card else "empty"]

    def state(self) -> object:
        return {"card": self.card, "name": self.card and card_name(self.card), "taps": self.reports_once}
