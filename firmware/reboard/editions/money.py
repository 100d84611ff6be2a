"""Amounts of play money: exact whole numbers, typed and shown the edition's way."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from reboard.errors import Rejection

MOST_DIGITS = 5
"""The original's display holds five figures: 100,000 is typed, and shown, ``100K``."""

MOST_CHARACTERS = 12
"""The longest amount, so that ``+1 -`` and the amount fill a line of 16 at the most."""

K_ZEROS = 3
M_ZEROS = 6


@dataclass(frozen=True)
class Money:
    """One edition's money. Amounts are ``int``, in its currency's ones: with units 15M is 15,000,000.

    With *units* amounts are written ``260K`` and ``1.5M``; without, as plain digits. *smallest* is the smallest piece
    of money, at least 1: every amount is a whole number of it.
    """

    units: bool
    smallest: int

    @property
    def entering_keys(self) -> frozenset[str]:
        """The keys that end an amount and enter it. Without units ``K`` only adds two zeros."""
        return frozenset("KM") if self.units else frozenset("M")

    @cached_property
    def largest(self) -> int:
        """The largest balance that fits into `MOST_CHARACTERS`, like every smaller one."""
        decimals = max(0, M_ZEROS - self._zeros_of_smallest) if self.units else 0
        behind = (1 if self.units else 0) + (decimals + 1 if decimals else 0)
        ceiling: int = 10 ** (MOST_CHARACTERS - behind + (M_ZEROS if self.units else 0))
        return (ceiling - 1) // self.smallest * self.smallest

    def typed(self, text: str, key: str) -> int:
        """The amount that *text* (digits and points, as typed) and then the entering *key* mean.

        Raises `Rejection`: ``two points``, ``too long`` (over `MOST_DIGITS`), ``too fine``, ``zero``; ``ValueError``
        for a key that does not enter.
        """
        if key not in self.entering_keys:
            raise ValueError(f"{key} enters no amount here")
        if text.count(".") > 1:
            raise Rejection("two points")
        whole, point, decimals = text.partition(".")
        digits = whole + decimals
        if len(digits) > MOST_DIGITS:
            raise Rejection("too long")
        if not int(digits or "0"):
            raise Rejection("zero")
        if not self.units and point:
            raise Rejection("too fine")
        zeros = {"K": K_ZEROS, "M": M_ZEROS}[key] if self.units else 0
        amount, rest = divmod(int(digits + "0" * zeros), 10 ** len(decimals))
        if rest or amount % self.smallest:
            raise Rejection("too fine")
        return int(amount)

    def shown(self, amount: int) -> str:
        """The exact amount, never rounded: ``16.5M``, ``260K``, ``0``; without units ``1500``."""
        if amount < 0:
            return "-" + self.shown(-amount)
        if not self.units or not amount:
            return str(amount)
        zeros, letter = (M_ZEROS, "M") if amount >= 10**M_ZEROS else (K_ZEROS, "K")
        whole, rest = divmod(amount, 10**zeros)
        decimals = f"{rest:0{zeros}}".rstrip("0")
        return f"{whole}.{decimals}{letter}" if decimals else f"{whole}{letter}"

    @property
    def _zeros_of_smallest(self) -> int:
        digits = str(self.smallest)
        return len(digits) - len(digits.rstrip("0"))
