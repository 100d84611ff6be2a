"""Amounts of play money: their conversion from typed keys and to text, without rounding."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Annotated

from reboard.config.kinds import Whole, flag
from reboard.errors import Rejection, Why
from reboard.labels import Labels
from reboard.record import Record

MOST_DIGITS = 5
"""The maximum number of typed digits, as on the original unit. 100,000 is typed as ``100K``."""

MOST_CHARACTERS = 12
"""The maximum length of a shown amount. ``+1 -`` and the amount must fit into 16 characters of the display."""

THOUSANDS = re.compile(r"^([1-9]\d?)\.(\d{3})$")

K_ZEROS = 3
M_ZEROS = 6


class AmountWhy(Labels):
    """The reasons to reject an amount."""

    ZERO = Why("zero", "the amount is missing or zero: type an amount above 0", "TYPE A NUMBER")
    TOO_FINE = Why(
        "too fine", "the amount is not a multiple of this edition's smallest amount: round it", "ROUND THE AMOUNT"
    )
    TOO_LONG = Why("too long", "an amount has at most five digits: type fewer digits", "5 DIGITS AT MOST")
    TWO_POINTS = Why("two points", "an amount has at most one decimal point: type the amount again", "ONE POINT ONLY")


class Money(Record):
    """The money of one edition. An amount is an ``int`` in units of 1: 15M is 15,000,000."""

    units: Annotated[
        bool, flag, "`true`: amounts are `260K` and `1.5M`. `false`: plain digits; `M` enters, `K` adds two zeros"
    ]
    smallest: Annotated[int, Whole(1, 1_000_000), "the smallest amount; every amount is a multiple of it"]

    @property
    def entering_keys(self) -> frozenset[str]:
        """The keys that complete an amount: ``K`` and ``M`` with units, otherwise only ``M``."""
        return frozenset("KM") if self.units else frozenset("M")

    @cached_property
    def largest(self) -> int:
        """The largest allowed balance. As text, every balance has at most `MOST_CHARACTERS` characters."""
        digits = str(self.smallest)
        zeros = len(digits) - len(digits.rstrip("0"))
        decimals = max(0, M_ZEROS - zeros) if self.units else 0
        behind = (1 if self.units else 0) + (decimals + 1 if decimals else 0)
        ceiling: int = 10 ** (MOST_CHARACTERS - behind + (M_ZEROS if self.units else 0))
        return (ceiling - 1) // self.smallest * self.smallest

    def typed(self, text: str, key: str) -> int:
        """Return the amount in the typed *text* (digits and points), which *key* completes.

        Without units, a point before three digits separates thousands, as in ``1.500``. Raises `Rejection` with an
        `AmountWhy`. Raises ``ValueError`` if *key* is not one of `entering_keys`.
        """
        if key not in self.entering_keys:
            raise ValueError(f"the key {key} does not complete an amount in this edition")
        if not self.units:
            text = THOUSANDS.sub(r"\1\2", text)
        if text.count(".") > 1:
            raise Rejection(AmountWhy.TWO_POINTS)
        whole, point, decimals = text.partition(".")
        digits = whole + decimals
        if len(digits) > MOST_DIGITS:
            raise Rejection(AmountWhy.TOO_LONG)
        if not int(digits or "0"):
            raise Rejection(AmountWhy.ZERO)
        if not self.units and point:
            raise Rejection(AmountWhy.TOO_FINE)
        zeros = {"K": K_ZEROS, "M": M_ZEROS}[key] if self.units else 0
        amount, rest = divmod(int(digits + "0" * zeros), 10 ** len(decimals))
        if rest or amount % self.smallest:
            raise Rejection(AmountWhy.TOO_FINE)
        return int(amount)

    def written(self, text: str) -> int:
        """Return the amount in *text*, in the format of `shown`. A comma also counts as a decimal point.

        Raises `Rejection` as `typed` does, and ``ValueError`` if *text* is not an amount in this edition.
        """
        found = re.fullmatch(r"([0-9.,]+)\s*([KM]?)", text.strip().upper())
        if not found or bool(found[2]) != self.units:
            raise ValueError(
                "write the amount like 1.5M or 260K" if self.units else "write the amount in digits, like 1500"
            )
        return self.typed(found[1].replace(",", "."), found[2] or "M")

    def shown(self, amount: int) -> str:
        """Return the exact amount as text, such as ``16.5M`` or ``260K``, or ``1500`` without units."""
        if amount < 0:
            return "-" + self.shown(-amount)
        if not self.units or not amount:
            return str(amount)
        zeros, letter = (M_ZEROS, "M") if amount >= 10**M_ZEROS else (K_ZEROS, "K")
        whole, rest = divmod(amount, 10**zeros)
        decimals = f"{rest:0{zeros}}".rstrip("0")
        return f"{whole}.{decimals}{letter}" if decimals else f"{whole}{letter}"
