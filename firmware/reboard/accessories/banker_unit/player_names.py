"""The players' names: the rules for them, and how the display shows them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cache, lru_cache

from reboard.accessories.banker_unit.accounts import CARDS, Account
from reboard.accessories.banker_unit.texts import Text, display_texts
from reboard.accessories.banker_unit.vocabulary import LONGEST_NAME, MOST_NAME_CODES
from reboard.graphemes import graphemes, is_visible
from reboard.languages import Texts, languages
from reboard.record import Record, replace

LONGEST_ON_DISPLAY = 8
"""The maximum length on the display. It leaves space for a balance on the same line."""

SUBSTITUTES: Mapping[str, str] = {
    "‘": "'", "’": "'", "ʼ": "'", "“": '"', "”": '"', "„": '"', "–": "-", "—": "-",
    "Æ": "AE", "æ": "ae", "Œ": "OE", "œ": "oe", "Þ": "Th", "þ": "th", "Ð": "D", "ð": "d", "ı": "i",
}  # fmt: skip
"""What the display shows in place of characters that it may not have."""

WITH_SIGN = re.compile("LATIN (CAPITAL|SMALL) LETTER ([A-Z]) WITH .*")
"""Unicode's name of a letter such as Ł, which has a part that is no accent."""


def must_be(name: str) -> str | None:
    """Return the rule for player names that *name* breaks, or ``None``."""
    is_short = 0 < len(graphemes(name)) <= LONGEST_NAME and len(name) <= MOST_NAME_CODES
    if not is_short or name != name.strip() or not is_visible(name):
        return f"1 to {LONGEST_NAME} characters that can be printed, without spaces around them"
    return f"different from the names of {owner}" if (owner := owner_of(name)) else None


def owner_of(name: str) -> str | None:
    """Return which account has *name* in a language, such as ``the bank`` or ``a card``, or ``None``.

    A player called 5 would look like card 5 where a payment is confirmed.
    """
    plain = _without_accents(name)
    return next((owner for owner, names in _names_of_accounts().items() if names.fullmatch(plain)), None)


def _without_accents(name: str) -> str:
    composed = unicodedata.normalize("NFC", name)
    return "".join(unicodedata.normalize("NFKD", character)[0] for character in composed)


@cache
def _names_of_accounts() -> Mapping[str, re.Pattern[str]]:
    """Return what matches the names of each account in all languages, keyed by its name in English."""
    each = [(display_texts(language), Texts(language)) for language in languages()]
    cards = [
        re.escape(texts(Text.CARD, number="#")).replace(r"\ ", r"\s*").replace(r"\#", "[0-9]+") for texts, _ in each
    ]
    names = {
        account.label: [re.escape(name) for texts, say in each for name in (texts(account.name), say(account.label))]
        for account in Account
    }
    names["a card"] = [*cards, "[0-9]+"]
    return {owner: re.compile("|".join(found), re.IGNORECASE) for owner, found in names.items()}


@lru_cache(maxsize=64)
def on_display(name: str) -> str:
    """Return the part of *name* that the display can show, with substitutes, or ``""``.

    Letters may have accents, which a display can leave out. Emoji and letters of other scripts are left out.
    """
    letters = map(_on_display, graphemes(unicodedata.normalize("NFC", name)))
    return " ".join("".join(letters).split())[:LONGEST_ON_DISPLAY].strip()


def _on_display(grapheme: str) -> str:
    letter = SUBSTITUTES.get(grapheme, grapheme[0])
    if found := WITH_SIGN.fullmatch(unicodedata.name(letter, "") if len(letter) == 1 else ""):
        plain = found[2] if found[1] == "CAPITAL" else found[2].lower()
        return letter if _without_accents(letter) == plain else plain
    return letter if letter == "ß" or (_without_accents(letter).isascii() and letter.isprintable()) else ""


class Names(Record):
    """The players' names: *configured* in the config for cards 1, 2, …, or *given* by the host instead.

    Each name is used once. A configured name is ignored if the host has given it to another card.
    """

    configured: Sequence[str] = ()
    given: Mapping[int, str] = field(default_factory=dict)

    def of(self, card: int) -> str:
        """Return the name of the player with *card*, or ``""`` if there is none."""
        configured = "".join(self.configured[card - 1 : card])
        return self.given.get(card) or ("" if configured in self.given.values() else configured)

    def on_display(self, card: int) -> str:
        """Return the name as the display shows it.

        Return ``""`` if there is none, if the display can show nothing of it, or if it would look like the name of
        another player or of an account: then the card's number is shown, because money is confirmed there.
        """
        if not (shown := on_display(self.of(card))):
            return ""
        others = (on_display(self.of(other)) for other in CARDS if other != card)
        is_unclear = owner_of(shown) or any(_plain(other) == _plain(shown) for other in others)
        return "" if is_unclear else shown

    def card_of(self, name: str) -> int | None:
        """Return the card of the player called *name*, in capitals or not, or ``None``."""
        return next((card for card in CARDS if name and folded(self.of(card)) == folded(name)), None)

    def given_to(self, name: str) -> list[int]:
        """Return the cards to which the host has given *name*, in capitals or not."""
        return [card for card, given in self.given.items() if folded(given) == folded(name)]

    def with_given(self, card: int, name: str) -> Names:
        """Return the names after the host has named *card*. With ``""``, the player gets the name in the config."""
        others = {other: given for other, given in self.given.items() if other != card}
        return replace(self, given={**others, card: name} if name else others)


def _plain(shown: str) -> str:
    return _without_accents(shown).casefold()


def folded(name: str) -> str:
    """Return what two spellings of a *name* have in common, in capitals or not: two names are the same if this is."""
    return unicodedata.normalize("NFKC", name).casefold()
