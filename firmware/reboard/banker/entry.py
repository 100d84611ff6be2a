"""What is being typed on the keypad, until it is entered."""

from __future__ import annotations

import asyncio
from math import inf

from reboard.money import Money
from reboard.refusal import Refusal

MOST_TYPED = 13
"""What a line has room for behind a card's number. An amount this long is refused anyway."""

REST_S = 1.0
"""After this long without a key, what comes next is a new amount and not the rest of a lost one."""

REST_AFTER_WAKING_S = 2.0
"""The same after a key woke the unit: the display shows the notice for this long."""

REST_BEFORE_CARD_S = 0.5
"""A card that is put in after this long without a key begins a new amount, too."""

OUT_S = 0.2
"""A card that is back sooner after the slot missed it was not pulled out: its reader flickers."""


class Entry:
    """The amount that is being typed: digits and points in *text*, right or wrong, until they are entered.

    When its beginning is lost, the rest of it must not become an amount: users type on for a while before they look up.
    A torn entry refuses digits until the keypad has rested, an entering key is pressed, or the entry is cleared.

    *into_pot*: the amount goes into the Free Parking pot.
    """

    def __init__(self) -> None:
        self.text = ""
        self.is_torn = False
        self.into_pot = False
        self._lost = ""
        self._key_at = -inf
        self._torn_at = -inf

    def pressed(self, at: float) -> None:
        """Note when the next key went down, in the loop's clock. With a slow disk that is long ago."""
        rested_s = at - max(self._key_at, self._torn_at)
        if rested_s >= (REST_AFTER_WAKING_S if self._lost else REST_S):
            self.is_torn = False
        self._key_at = at

    def card_in(self, at: float) -> None:
        """Note that a card was put in *at* this time."""
        if not self._lost and at - self._key_at >= REST_BEFORE_CARD_S and at - self._torn_at >= OUT_S:
            self.is_torn = False

    @property
    def can_begin_with_point(self) -> bool:
        """Whether a point would be the first key of an amount."""
        return not self.text and not (self.is_torn and self._lost != ".")

    def type(self, key: str) -> None:
        """A digit, a point, or a ``K`` that adds two zeros. What does not fit the line any more is ignored.

        Raises ``Refusal("torn")``.
        """
        if self.is_torn:
            raise Refusal("torn")
        added = "00" * bool(self.text) if key == "K" else key
        if len(self.text + added) <= MOST_TYPED:
            self.text += added

    def take_back_point(self) -> None:
        """The point that was typed last was not meant."""
        self.text = self.text.removesuffix(".")

    def amount(self, key: str, money: Money) -> int:
        """The amount of *money* that was typed, now that *key* enters it. Raises `Refusal` as `Money.typed` does."""
        if self.is_torn:
            self.is_torn = False
            raise Refusal("torn")
        return money.typed(self.text, key)

    def clear(self) -> None:
        """Forget what was typed: what comes next is a new amount."""
        self.text = ""
        self.is_torn = False
        self.into_pot = False

    def tear(self, lost: str = "") -> None:
        """Drop an amount that the user may still be typing. *lost*: its first key, if that woke the unit."""
        self.text = ""
        self.is_torn = True
        self._lost = lost
        self._torn_at = asyncio.get_running_loop().time()
