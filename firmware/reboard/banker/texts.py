"""Every text that the display can show, in English, and how one becomes another language's.

What is refused is said in `reboard.refusal`. The other languages are in ``reboard/locale``: one ``.po`` file each, to
be read and mended by people, and the ``.mo`` that ``make translations`` makes of it.
"""

from __future__ import annotations

import gettext
from enum import StrEnum

from reboard.languages import LOCALE


class Text(StrEnum):
    """A text of at most 16 characters, with whatever stands in its braces."""

    INSERT_CARD = "INSERT CARD"
    DEAL = "DEAL"
    NO_LEDGER = "NO LEDGER"
    LEDGER_IN_USE = "LEDGER IN USE"
    LEDGER_IS_NEWER = "LEDGER IS NEWER"
    LEDGER_MENDED = "LEDGER MENDED"
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
    HOTEL_COUNTS = "HOTEL: +3 HOUSES"
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
    BLOCK = "BLOCK"
    APPLE = "APPLE"


class Texts:
    """The display's texts in one of the `LANGUAGES`."""

    def __init__(self, language: str = "en") -> None:
        self._translation = gettext.translation("reboard", LOCALE, [language], fallback=language == "en")

    def __call__(self, english: str, **values: object) -> str:
        """The text that is *english* in the code, with its *values* in place; one that is unknown stays as it is."""
        return self._translation.gettext(english).format(**values)
