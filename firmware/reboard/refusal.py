"""What the bank says no to, and how it says it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reboard.errors import ReboardError


@dataclass(frozen=True, slots=True)
class Words:
    """A refusal in words: on the banker's display (at most 16 characters), and as a sentence."""

    display: str
    sentence: str


REFUSALS: Mapping[str, Words] = {
    "zero": Words("NO AMOUNT", "there is no amount to move"),
    "too fine": Words("TOO FINE", "the amount is finer than this edition's smallest money"),
    "too long": Words("5 DIGITS AT MOST", "an amount has at most five digits"),
    "two points": Words("ONE POINT ONLY", "an amount has at most one decimal point"),
    "too much": Words("TOO MUCH", "a balance that large would not fit the display"),
    "no funds": Words("NO FUNDS", "the card that pays has less than that"),
    "pot empty": Words("POT IS EMPTY", "the Free Parking pot has less than that"),
    "no card": Words("NO CARD", "there is no card in the slot this needs"),
    "unknown card": Words("UNKNOWN CARD", "this edition has no number left for another card"),
    "same card twice": Words("SAME CARD", "the same card is in the other slot already"),
    "nothing to undo": Words("NOTHING TO UNDO", "there is no transfer that could be taken back"),
    "bankrupt": Words("OUT OF THE GAME", "this card has gone bankrupt"),
    "no other game": Words("NO OTHER GAME", "no other game was kept that could be gone on with"),
    "cards in": Words("TAKE CARDS OUT", "another game begins only when no card is in"),
    "no edition": Words("EDITION IS GONE", "the edition that game was played with is not here any more"),
    "two cards": Words("ONE CARD ONLY", "this is for one card, and two are in"),
    "dialog": Words("CLOSE MENU FIRST", "a menu is open at the banker unit; nothing has moved"),
    "disk": Words("NOT SAVED", "the disk did not take it; nothing has moved"),
    "torn": Words("TYPE IT AGAIN", "the beginning of what is typed was lost; nothing of it counts"),
    "unclear": Words("SINGLE KEYS ONLY", "several keys were held down at once; nothing of what was typed counts"),
    "too fast": Words("TOO FAST, AGAIN", "more was typed than the unit could keep up with; nothing of it counts"),
}
"""Every refusal there is, by the ``why`` of the event ``refused``."""


class Refusal(ReboardError, ValueError):  # noqa: N818 - a refusal is a rule at work, no error
    """The bank does not do that, and nothing has moved. ``why`` is one of `REFUSALS`.

    *sentence* is said in place of the usual one, where more is known.
    """

    def __init__(self, why: str, sentence: str | None = None) -> None:
        self.words = REFUSALS[why]
        self.why = why
        super().__init__(sentence or self.words.sentence)
