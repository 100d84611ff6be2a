"""What is being typed on the keypad, until it is entered."""

from __future__ import annotations

from reboard.money import Money

MOST_TYPED = 13
"""What a line has room for behind a card's number. An amount this long is refused anyway."""


class Entry:
    """The amount that is being typed: digits and points in *text*, right or wrong, until they are entered."""

    def __init__(self) -> None:
        self.text = ""

    def type(self, key: str) -> None:
        """A digit, a point, or a ``K`` that adds two zeros. What does not fit the line any more is ignored."""
        added = "00" * bool(self.text) if key == "K" else key
        if len(self.text + added) <= MOST_TYPED:
            self.text += added

    def take_back_point(self) -> None:
        """The point that was typed last was not meant."""
        self.text = self.text.removesuffix(".")

    def amount(self, key: str, money: Money) -> int:
        """The amount of *money* that was typed, now that *key* enters it. Raises `Refusal` as `Money.typed` does."""
        return money.typed(self.text, key)

    def clear(self) -> None:
        """Forget what was typed."""
        self.text = ""
