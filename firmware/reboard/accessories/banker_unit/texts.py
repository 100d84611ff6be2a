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
    BACK_IN = "BACK IN"

    ASKS = "CARD {number} ASKS"
    JOINS = "CARD {number} JOINS"
    WAITS = "{number} ASKS: CARD OUT"
    ANSWER_KEYS = "GO OKAY     C NO"
    SHORT_KEYS = "GO/C"
    AGREE_KEY = "GO OKAY"
    ALL = "ALL"

    AGAIN = "AGAIN {amount}"
    EACH = "EACH {amount}"
    TOO_POOR = "NO FUNDS {cards}"
    TAKE_BACK = "UNDO {amount}"
    LEAVES = "CARD {number} LEAVES"
    HAS_LEFT = "CARD {number} LEFT"
    COMES_BACK = "CARD {number} BACK IN"
    CARD_TO_LEFT = "CARD TO LEFT"
    POT_KEYS = "GO: POT     C NO"
    POT_GETS = "POT GETS {amount}"
    ADDS_ZEROS = "K ADDS 00"

    MENU_KEYS = "GO NEXT, {digit} PICKS"
    FINAL_COUNT = "FINAL COUNT"
    COUNT_KEYS = "CARD IN, 1 ENDS"
    END_GAME = "1 END THE GAME"
    COUNT_ENDS = "DROP THE COUNT?"
    HOTEL_COUNTS = "HOTEL: +{houses} HOUSES"
    BANKRUPTCY = "BANKRUPTCY"
    BANKRUPT = "BANKRUPT: CARD {number}"
    CARDS_FIRST = "CARDS, THEN 2"
    CARD_TO_RIGHT = "CARD TO RIGHT"
    ALL_TO_BANK = "GO: ALL TO BANK"
    ALL_TO = "GO:ALL TO {who}"
    BANK_FORGIVES = "GO:BANK FORGIVES"
    COME_BACK = "GO: BACK IN"
    OTHER_GAME = "OTHER GAME"
    KEPT_GAME = "{edition} {number}P"
    NEW_EDITION = "NEW EDITION"
    GAME_CLOCK = "GAME CLOCK"
    CLOCK_MINUTES = "CLOCK {minutes} MIN"
    CLOCK_OFF = "CLOCK OFF"
    PLAYERS_MENU = "PLAYERS"
    EVERYONE = "EACH PLAYER"
    HOW_EACH = "CARD, 50, HOLD M"
    MENU_HINT = "HOLD GO: MENU"
    LOST = "CARD {number} LOST"
    FREE = "FREE NUMBER {number}"
    IS_FREE = "NUMBER {number} FREE"
    IN_USE = "CARD {number} IS IN USE"
    INSERT_NEW_CARD = "INSERT NEW CARD"
    NEW_CARD = "NEW CARD FOR {number}?"
    BANK_TO_POT = "BANK TO POT"
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
