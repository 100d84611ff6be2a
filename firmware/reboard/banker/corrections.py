"""What ``C`` can still take back: the rule book lets a mistake be corrected while the card is in the unit."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from reboard.banker.ledger import Transfer


@dataclass(frozen=True, slots=True)
class Fresh:
    """A transfer whose cards have not left since. *at*: the loop's clock."""

    transfer: Transfer
    at: float


class Corrections:
    """The fresh transfers, in the order in which they were made."""

    def __init__(self) -> None:
        self._fresh: list[Fresh] = []

    @property
    def last(self) -> Fresh | None:
        """What is taken back first."""
        return self._fresh[-1] if self._fresh else None

    def booked(self, transfer: Transfer) -> None:
        """It was made just now."""
        self._fresh.append(Fresh(transfer, asyncio.get_running_loop().time()))

    def undone(self, transfer: int) -> None:
        """It was taken back, and is not again."""
        self._fresh = [fresh for fresh in self._fresh if fresh.transfer.id != transfer]

    def card_left(self, card: int) -> None:
        """What concerned *card* stays as it is."""
        self._fresh = [fresh for fresh in self._fresh if card not in (fresh.transfer.from_, fresh.transfer.to)]

    def clear(self) -> None:
        """Another game is on."""
        self._fresh.clear()
