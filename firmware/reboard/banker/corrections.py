"""What ``C`` can still take back: the rule book lets a mistake be corrected while the card is in the unit."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from reboard.banker.ledger import Transfer


@dataclass(frozen=True, slots=True)
class Retirement:
    """A card that had nothing went bankrupt: no money moved."""

    card: int


@dataclass(frozen=True, slots=True)
class Fresh:
    """What was done with cards that have not left since. *at*: the loop's clock."""

    what: Transfer | Retirement
    at: float

    def concerns(self, card: int) -> bool:
        """Whether it was done with this card."""
        if isinstance(self.what, Retirement):
            return self.what.card == card
        return card in (self.what.from_, self.what.to)


class Corrections:
    """What is fresh, in the order in which it was done."""

    def __init__(self) -> None:
        self._fresh: list[Fresh] = []

    @property
    def last(self) -> Fresh | None:
        """What is taken back first."""
        return self._fresh[-1] if self._fresh else None

    def booked(self, what: Transfer | Retirement) -> None:
        """It was done just now."""
        self._fresh.append(Fresh(what, asyncio.get_running_loop().time()))

    def undone(self, transfer: int) -> None:
        """It was taken back, and is not again."""
        self._fresh = [
            fresh for fresh in self._fresh if not (isinstance(fresh.what, Transfer) and fresh.what.id == transfer)
        ]

    def readmitted(self, card: int) -> None:
        """It plays again."""
        self._fresh = [fresh for fresh in self._fresh if fresh.what != Retirement(card)]

    def card_left(self, card: int) -> None:
        """What concerned *card* stays as it is."""
        self._fresh = [fresh for fresh in self._fresh if not fresh.concerns(card)]

    def clear(self) -> None:
        """Another game is on."""
        self._fresh.clear()
