"""The texts of the display in each language, and the rules for player names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
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
    can_be_shown = name.isprintable() and _without_accents(name).replace("ß", "").isascii()
    if not 0 < len(name) <= LONGEST_NAME or name != name.strip() or not can_be_shown:
        return f"1 to {LONGEST_NAME} characters that the display can show"
    return f"different from the names of {owner}" if (owner := owner_of(name)) else None


def _without_accents(name: str) -> str:
    return "".join(unicodedata.normalize("NFKD", character)[0] for character in name)


def owner_of(name: str) -> str | None:
    """Return which account has *name* in a language, such as ``the bank`` or ``a card``, or ``None``.

    A player called 5 would look like card 5 where a payment is confirmed.
    """
    plain = _without_accents(name)
    return next((owner for owner, names in _names_of_accounts().items() if names.fullmatch(plain)), None)


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


class Text(StrEnum):
    """A text of the display, with at most 16 characters when its values are filled in."""

    INSERT_CARD = "INSERT CARD"
    """No card is in a slot."""
    JOIN_ON_A_PHONE = "JOIN ON A PHONE"
    """The same on the page of a table without a display, where phones pay."""
    DEAL = "AUCTION"
    """The auction's timer runs."""
    NO_LEDGER = "CAN'T SAVE GAME"
    """The ledger cannot be opened: ``journalctl -u reboard -n 30`` says why."""
    LEDGER_IN_USE = "ALREADY RUNNING"
    """Another program has the ledger open: stop that program, which the log names."""
    LEDGER_IS_NEWER = "UPDATE REBOARD"
    """A newer reboard wrote the ledger: update this one."""
    LEDGER_MENDED = "CHECK ALL MONEY"
    """The ledger was damaged, and a backup was restored: check the balances."""
    NEW_LEDGER = "SAVED GAME LOST"
    """The ledger was damaged or missing, and there was no backup: a new one began."""
    DISK_FULL = "MEMORY FULL"
    """The disk is full: free some space."""
    DISK_READ_ONLY = "MEMORY LOCKED"
    """The memory card is worn out, or rights are missing: ``sudo reboard doctor`` says which."""
    DISK_FAILS = "MEMORY ERROR"
    """The disk fails: save the card's files, and replace it."""
    WAIT_FOR_DISK = "PLEASE WAIT"
    """A write takes more than a second. No key is lost."""
    NEW_GAME = "NEW GAME"
    """A new game has begun, or ``GO`` begins one."""
    GAME_OVER = "GAME OVER"
    """The game has ended."""
    WINNER = "WINNER: {who}"
    """The player who has won."""
    WINNERS = "{number} WINNERS"
    """The number of players who have won together."""
    MINUTES_LEFT = "{minutes} MIN LEFT"
    """The game clock has so many minutes left."""
    TIME_IS_UP = "TIME IS UP"
    """The game clock has ended."""
    VOLUME = "VOLUME {level}"
    """The volume of the speaker."""
    SOUND_OFF = "SOUND OFF"
    """The speaker is mute."""
    CARD = "CARD {number}"
    """A player without a name."""
    TO_POT = "INTO THE POT"
    """The next amount goes into the Free Parking pot."""
    GAME = "GAME {number}"
    """The number of the earlier game that continues."""
    BACK_IN = "BACK IN"
    """The card is in the game again."""
    ASKS = "PHONE: {who}"
    """A player asks for a payment from a phone."""
    JOINS = "{who} JOINS"
    """A player asks to join from a phone, or has joined."""
    JOIN_CODE = "JOIN CODE {code}"
    """A phone asks to join: type this code there."""
    WAITS = "PHONE: CARDS OUT"
    """A phone asks for a payment: take the cards out to see it."""
    ANSWER_KEYS = "GO OKAY     C NO"
    """``GO`` agrees, ``C`` does not."""
    SHORT_KEYS = "GO/C"
    """The same, where there is less room."""
    AGREE_KEY = "GO OKAY"
    """``GO`` dismisses this."""
    ALL = "ALL"
    """Every other player, or everything that a card has."""
    AGAIN = "AGAIN {amount}"
    """``GO`` makes the last payment again."""
    EACH = "EACH {amount}"
    """``GO`` lets each player pay or receive this amount."""
    TOO_POOR = "NO FUNDS {cards}"
    """These cards have less than each has to pay."""
    TAKE_BACK = "UNDO {amount}"
    """``GO`` takes this payment back."""
    LEAVES = "CARD {number} LEAVES"
    """``GO`` lets the card leave the game: the bank gets its money."""
    HAS_LEFT = "CARD {number} HAS LEFT"
    """The card has left the game."""
    COMES_BACK = "CARD {number} BACK IN"
    """``GO`` takes the card back into the game."""
    CARD_TO_LEFT = "CARD -> LEFT"
    """The salary needs the card in the left slot. ``GO`` lets the next amount go into the pot instead."""
    POT_KEYS = "GO: POT     C NO"
    """``GO`` lets the next amount go into the pot, ``C`` does not."""
    POT_GETS = "POT GETS {amount}"
    """``GO`` lets the bank pay this into the pot."""
    ADDS_ZEROS = "K ADDS 00"
    """This edition has no units: the key ``K`` has added two zeros."""
    MENU_KEYS = "GO NEXT, {digit} PICKS"
    """``GO`` shows the next choice, and the digit picks this one."""
    FINAL_COUNT = "FINAL COUNT"
    """The players' property is added to their money."""
    COUNT_KEYS = "CARD IN, 1 ENDS"
    """Put in a card to count its property, or press ``1`` to end the game."""
    END_GAME = "1 END THE GAME"
    """``GO`` ends the game, and shows the ranking."""
    COUNT_ENDS = "DELETE COUNT?"
    """``GO`` forgets what was counted."""
    HOTEL_COUNTS = "HOTEL: +{houses} HOUSES"
    """In the final count, a hotel is worth its own price and that of these houses."""
    BANKRUPTCY = "BANKRUPTCY"
    """The menu for a player who cannot pay."""
    BANKRUPT = "BANKRUPT {who}"
    """The card that goes bankrupt, or is."""
    BANKRUPT_PAID = "BANKRUPT: PAID"
    """The creditor has everything that the card had."""
    CARDS_FIRST = "CARDS, THEN 2"
    """Put the cards in, then press ``2``."""
    CARD_TO_RIGHT = "CARD -> RIGHT"
    """Put the card that goes bankrupt into the right slot."""
    BANK_FORGIVES = "GO: DEBT IS GONE"
    """``GO`` lets the bank pay what the card owes."""
    COME_BACK = "GO: BACK IN"
    """``GO`` takes the bankruptcy back."""
    OTHER_GAME = "OTHER GAME"
    """The menu of earlier games."""
    NEW_EDITION = "OTHER EDITION"
    """The menu of editions, each for a new game."""
    GAME_CLOCK = "GAME CLOCK"
    """The menu of the game clock."""
    CLOCK_MINUTES = "CLOCK {minutes} MIN"
    """A length of the game clock."""
    CLOCK_OFF = "NO TIME LIMIT"
    """The game has no clock."""
    PLAYERS_MENU = "PLAYERS"
    """The menu of the players."""
    EVERYONE = "EACH PLAYER"
    """The menu's explanation of how each player pays."""
    HOW_EACH = "CARD, 50, HOLD M"
    """Put in a card, type an amount such as 50, and hold ``M``."""
    MENU_HINT = "HOLD GO: MENU"
    """``C`` has nothing to take back; ``GO``, held, opens the menu."""
    LOST = "CARD {number} LOST"
    """``GO`` replaces this card by another one."""
    FREE = "FREE NUMBER {number}"
    """``GO`` gives the card's number to the next new card."""
    IS_FREE = "NUMBER {number} FREE"
    """The next new card gets this number."""
    IN_USE = "CARD {number} IS IN USE"
    """This card plays, so it cannot replace the lost one."""
    INSERT_NEW_CARD = "INSERT NEW CARD"
    """Put in the card that replaces the lost one."""
    NEW_CARD = "NEW CARD FOR {number}?"
    """``GO`` gives this number to the card that was put in."""
    BANK_TO_POT = "BANK TO POT"
    """Type what the bank pays into the pot."""
    WHEN = "%Y-%m-%d %H:%M"
    """When the earlier game began."""
    SPEAKER = "SPEAKER"
    """After ``!``: no sound can be heard."""
    LEDGER = "LEDGER"
    """After ``!``: the last payment was not saved, or the file was repaired. It ends at the next saved one."""
    DATE = "DATE"
    """After ``!``: the calendar is behind the last payment. Only times in the history are wrong, until it is right."""
    CONFIG = "CONFIG"
    """After ``!``: the table plays with the last good config."""


def both_ends(left: str, right: str) -> str:
    """Return one line of the display, with *left* and *right* at its ends."""
    return left + right.rjust(DISPLAY_COLUMNS - len(left))


def display_texts(language: str) -> Texts:
    """Return the display's texts in one of the `languages`."""
    return Texts(language, DISPLAY)
