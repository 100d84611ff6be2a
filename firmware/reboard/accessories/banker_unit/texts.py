"""The texts of the display in each language, and the rules for player names."""

from __future__ import annotations

import re
import unicodedata
from enum import StrEnum
from functools import cache

from reboard.accessories.banker_unit.accounts import Account
from reboard.languages import DISPLAY, DISPLAY_COLUMNS, Texts, languages

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
    if _accounts().fullmatch(without_accents):
        return "different from the names of the bank, the pot and the cards"
    return None


@cache
def _accounts() -> re.Pattern[str]:
    """Return what matches the names of the bank, the pot and the cards in all languages. Players cannot have them."""
    each = [display_texts(language) for language in languages()]
    names = {texts(account.name) for texts in each for account in Account}
    names |= {Texts(language)(account.label) for language in languages() for account in Account}
    cards = {re.escape(texts(Text.CARD, number="#")).replace(r"\ ", r"\s*").replace(r"\#", "[0-9]+") for texts in each}
    return re.compile("|".join([*map(re.escape, names), *cards]), re.IGNORECASE)


class Text(StrEnum):
    """A text of the display, with at most 16 characters when its values are filled in."""

    INSERT_CARD = "INSERT CARD"
    DEAL = "AUCTION"
    NO_LEDGER = "CAN'T SAVE GAME"
    LEDGER_IN_USE = "ALREADY RUNNING"
    LEDGER_IS_NEWER = "UPDATE REBOARD"
    LEDGER_MENDED = "CHECK ALL MONEY"
    NEW_LEDGER = "SAVED GAME LOST"
    DISK_FULL = "MEMORY FULL"
    DISK_READ_ONLY = "MEMORY LOCKED"
    DISK_FAILS = "MEMORY ERROR"
    WAIT_FOR_DISK = "PLEASE WAIT"
    NEW_GAME = "NEW GAME"
    GAME_OVER = "GAME OVER"
    WINNER = "WINNER: {who}"
    WINNERS = "{number} WINNERS"
    MINUTES_LEFT = "{minutes} MIN LEFT"
    TIME_IS_UP = "TIME IS UP"
    VOLUME = "VOLUME {level}"
    SOUND_OFF = "SOUND OFF"
    CARD = "CARD {number}"
    TO_POT = "INTO THE POT"
    GAME = "GAME {number}"
    BACK_IN = "BACK IN"

    ASKS = "PHONE: {who}"
    JOINS = "{who} JOINS"
    WAITS = "PHONE: CARDS OUT"
    ANSWER_KEYS = "GO OKAY     C NO"
    SHORT_KEYS = "GO/C"
    AGREE_KEY = "GO OKAY"
    ALL = "ALL"

    AGAIN = "AGAIN {amount}"
    EACH = "EACH {amount}"
    TOO_POOR = "NO FUNDS {cards}"
    TAKE_BACK = "UNDO {amount}"
    LEAVES = "CARD {number} LEAVES"
    HAS_LEFT = "CARD {number} HAS LEFT"
    COMES_BACK = "CARD {number} BACK IN"
    CARD_TO_LEFT = "CARD -> LEFT"
    POT_KEYS = "GO: POT     C NO"
    POT_GETS = "POT GETS {amount}"
    ADDS_ZEROS = "K ADDS 00"

    MENU_KEYS = "GO NEXT, {digit} PICKS"
    FINAL_COUNT = "FINAL COUNT"
    COUNT_KEYS = "CARD IN, 1 ENDS"
    END_GAME = "1 END THE GAME"
    COUNT_ENDS = "DELETE COUNT?"
    HOTEL_COUNTS = "HOTEL: +{houses} HOUSES"
    BANKRUPTCY = "BANKRUPTCY"
    BANKRUPT = "BANKRUPT {who}"
    BANKRUPT_PAID = "BANKRUPT: PAID"
    CARDS_FIRST = "CARDS, THEN 2"
    CARD_TO_RIGHT = "CARD -> RIGHT"
    BANK_FORGIVES = "GO: DEBT IS GONE"
    COME_BACK = "GO: BACK IN"
    OTHER_GAME = "OTHER GAME"
    NEW_EDITION = "OTHER EDITION"
    GAME_CLOCK = "GAME CLOCK"
    CLOCK_MINUTES = "CLOCK {minutes} MIN"
    CLOCK_OFF = "NO TIME LIMIT"
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

    SPEAKER = "SPEAKER"
    LEDGER = "LEDGER"
    DATE = "DATE"
    CONFIG = "CONFIG"


def both_ends(left: str, right: str) -> str:
    """Return one line of the display, with *left* and *right* at its ends."""
    return left + right.rjust(DISPLAY_COLUMNS - len(left))


def display_texts(language: str) -> Texts:
    """Return the display's texts in one of the `languages`."""
    return Texts(language, DISPLAY)
