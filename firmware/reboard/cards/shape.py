"""How a bank card is made: ``hardware/cards.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

WEIGHTS = (1, 2, 4)
"""What each of a card's three places adds to its code."""

MOST_CARDS = 7
"""As many as three places can tell apart: with none of them bumped there is no card."""


@dataclass(frozen=True, slots=True)
class Card:
    """A card's size in mm; it goes in with its upper edge first."""

    width: float
    length: float
    corner: float
    thickness: float


@dataclass(frozen=True, slots=True)
class Sticker:
    """Where an RFID sticker goes: on the card's middle line, in mm."""

    diameter: float
    from_upper_edge: float


@dataclass(frozen=True, slots=True)
class Bumps:
    """The three *places* that may have a bump, in mm from the card's middle line, and what a bump is."""

    places: Sequence[float]
    from_upper_edge: float
    diameter: float
    height: float

    def of(self, code: int) -> list[float]:
        """The places that have a bump on the card of a *code*, 1 to 7."""
        return [place for weight, place in zip(WEIGHTS, self.places, strict=True) if code & weight]


@dataclass(frozen=True, slots=True)
class Shape:
    """All of it."""

    card: Card
    sticker: Sticker
    bumps: Bumps


@cache
def card_shape() -> Shape:
    """What ``hardware/cards.toml`` says."""
    said = tomllib.loads(resources.files("reboard.cards").joinpath("cards.toml").read_text(encoding="utf-8"))
    return Shape(Card(**said["card"]), Sticker(**said["sticker"]), Bumps(**said["bumps"]))
