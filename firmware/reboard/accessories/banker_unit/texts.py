"""The texts of the display in each language, and the rules for player names."""

from __future__ import annotations

import gettext
import re
import unicodedata
from enum import StrEnum
from pathlib import Path

LOCALE = Path(__file__).parent / "locale"
LANGUAGES = ("en", *sorted(folder.name for folder in LOCALE.iterdir() if folder.is_dir()))
"""The language codes. The English texts are in the code. Each other language has a folder in `LOCALE`."""

ACCOUNT = re.compile(r"bank|pot|topf|(card|karte)\s*[0-9]+", re.IGNORECASE)
"""Matches the names of the bank, the Free Parking pot and the cards in all languages. Players cannot have them."""

LONGEST_NAME = 8
"""The maximum length of a player name, in characters. It leaves space for a balance on the same line."""


def must_be(name: str) -> str | None:
    """Return the rule for player names that *name* breaks, or ``None``.

    Letters may have accents, which the display leaves out.
    """
    without_accents = "".join(unicodedata.normalize("NFKD", character)[0] for character in name)
    can_be_shown = name.isprintable() and without_accents.replace("ß", "").isascii()
    if not 0 < len(name) <= LONGEST_NAME or name != name.strip() or not can_be_shown:
        return f"a name of at most {LONGEST_NAME} characters that the display can show"
    if ACCOUNT.fullmatch(without_accents):
        return "different from the names of the bank, the pot and the cards"
    return None


class Text(StrEnum):
    """A text of the display, with at most 16 characters when its values are filled in."""

    INSERT_CARD = "INSERT CARD"
    DEAL = "DEAL"
    NO_LEDGER = "NO LEDGER"
    LEDGER_IN_USE = "LEDGER IN USE"
    LEDGER_IS_NEWER = "LEDGER IS NEWER"
    LEDGER_MENDED = "LEDGER MENDED"
    NEW_LEDGER = "NEW LEDGER"
    DISK_FULL = "DISK FULL"
    DISK_READ_ONLY = "DISK READ-ONLY"
    DISK_FAILS = "DISK FAILS"
    WAIT_FOR_DISK = "WAIT FOR DISK"
    NEW_GAME = "NEW GAME"
    GAME_OVER = "GAME OVER"
    WINNERS = "{number} WINNERS"
    MINUTES_LEFT = "{minutes} MIN LEFT"
    TIME_IS_UP = "TIME IS UP"
    VOLUME = "VOLUME {level}"
    CARD = "CARD {number}"
    BANK = "BANK"
    POT = "POT"
    TO_POT = "INTO THE POT"
    GAME = "GAME {number}"
    PLAYERS = "{number}P"
    BACK_IN = "BACK IN"

    ASKS = "CARD {number} ASKS"
    JOINS = "CARD {number} JOINS"
    ANSWER_KEYS = "GO OKAY     C NO"

    MENU_KEYS = "GO NEXT   M OKAY"
    FINAL_COUNT = "FINAL COUNT"
    BANKRUPTCY = "BANKRUPTCY"
    OTHER_GAME = "OTHER GAME"
    NEW_EDITION = "NEW EDITION"
    GAME_CLOCK = "GAME CLOCK"
    CLOCK_MINUTES = "CLOCK {minutes} MIN"
    CLOCK_OFF = "CLOCK OFF"
    CARD_TO_RIGHT = "CARD TO RIGHT"
    ALL_TO_BANK = "M: ALL TO BANK"
    ALL_TO = "M: ALL TO {who}"
    BANK_FORGIVES = "M: BANK FORGIVES"
    HOTEL_COUNTS = "HOTEL: +{houses} HOUSES"
    COUNT_ENDS = "C ENDS THE COUNT"
    COME_BACK = "M: BACK IN"
    WHEN = "%Y-%m-%d %H:%M"

    LEFT_SLOT = "LEFT SLOT"
    RIGHT_SLOT = "RIGHT SLOT"
    SPEAKER = "SPEAKER"
    DISPLAY = "DISPLAY"
    KEYPAD = "KEYPAD"
    LEDGER = "LEDGER"
    CLOCK = "CLOCK"
    CONFIG = "CONFIG"


class Texts:
    """The display's texts in one of the `LANGUAGES`."""

    def __init__(self, language: str = "en") -> None:
        self._translation = gettext.translation("reboard", LOCALE, [language], fallback=language == "en")

    def __call__(self, english: str, **values: object) -> str:
        """Return the translation of an *english* text, with *values* filled in.

        A text without a translation stays English.
        """
        return self._translation.gettext(english).format(**values)
