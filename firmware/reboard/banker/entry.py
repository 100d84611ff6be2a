"""What is being typed on the keypad, until it is entered."""

from __future__ import annotations

import asyncio
from math import inf

from reboard.money import Money
from reboard.refusal import Refusal

MOST_TYPED = 13
"""What a line has room for behind a card's number. An amount this long is refused anyway."""

TORN_S = 3.0
"""After so long without a key nobody is still typing what was torn."""


class Entry:
    """The amount that is being typed: digits and points in *text*, right or wrong, until they are entered.

    When its beginning is lost, the rest of it must not become an amount: hands go on typing for a while before eyes see
    what has happened. An entry that is torn takes nothing until somebody enters or clears it, or has stopped typing.

    *into_pot*: the amount goes into the Free Parking pot.
    """

    def __init__(self) -> None:
        self.text = ""
        self.into_pot = False
        self._torn_until = -inf
        self._pressed_at = 0.0

    def pressed(self, at: float) -> None:
        """The key that comes next went down at this time of the loop's clock, maybe long ago: a disk can be slow."""
        self._pressed_at = at

    @property
    def is_torn(self) -> bool:
        """Whether the key that came last is the rest of something that was lost."""
        return self._pressed_at < self._torn_until

    def type(self, key: str) -> None:
        """A digit, a point, or a ``K`` that adds two zeros. What does not fit the line any more is ignored.

        Raises ``Refusal("torn")``.
        """
        if self.is_torn:
            self._torn_until = max(self._torn_until, self._pressed_at + TORN_S)
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
            raise Refusal("torn")
        return money.typed(self.text, key)

    def clear(self) -> None:
        """Forget what was typed: what comes next is a new amount."""
        self.text = ""
        self.into_pot = False
        self._torn_until = -inf

    def tear(self) -> None:
        """What was typed is lost, and hands may be in the middle of it."""
        self.text = ""
        self._torn_until = asyncio.get_running_loop().time() + TORN_S
