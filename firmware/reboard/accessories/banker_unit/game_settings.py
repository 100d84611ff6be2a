"""What the ledger keeps beside the transfers: the players' names, the game clock, and the last end of a game."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from typing import get_args

from reboard.accessories.banker_unit.accounts import CARDS
from reboard.accessories.banker_unit.ledger import Ledger, Setting
from reboard.accessories.banker_unit.player_names import must_be
from reboard.accessories.banker_unit.vocabulary import CLOCK_LENGTHS_MIN, Ended
from reboard.accessories.table_vocabulary import PhonePay
from reboard.editions.money import Money
from reboard.record import Record

CLOCK_SETTING = "clock {game}"
"""The name of the ledger's setting for the minutes that a game has left, empty without a clock."""

END_SETTING = "ended"
"""The name of the ledger's setting for the last game that was ended, and each player's worth."""

NOT_ENDED = ((END_SETTING, ""),)
"""The settings that the ledger saves when a game continues: no game counts as ended."""

NAMES_SETTING = "name {card}"
"""The name of the ledger's setting for a player's name from the host. If it is empty, the config's name is used."""


PHONES_SETTING = "phones"
"""The name of the ledger's setting for the phone of each card, as a hash."""

PAY_SETTING = "pay"
"""The name of the ledger's setting for how phones pay: what the config says, and what the host chose instead."""


class Ranked(Record):
    """A place in the ranking: *place* counts from 1, and *worth* is the worth of *card*."""

    place: int
    card: int
    worth: int


def ranking(worths: Mapping[int, int]) -> list[Ranked]:
    """Return the cards in the order of their worths, best first. Cards with equal worths share a place."""
    best_first = sorted(worths.items(), key=lambda player: (-player[1], player[0]))
    return [Ranked(1 + sum(other > worth for other in worths.values()), card, worth) for card, worth in best_first]


def given_names(ledger: Ledger) -> dict[int, str]:
    """Return the names that the host has given, keyed by card."""
    names = {card: ledger.setting(NAMES_SETTING.format(card=card)) or "" for card in CARDS}
    # a damaged file may have half a name
    return {card: name for card, name in names.items() if not must_be(name)}


def save_name(ledger: Ledger, card: int, name: str) -> None:
    """Save a name that the host has given."""
    ledger.set_setting(NAMES_SETTING.format(card=card), name)


def forget_names(ledger: Ledger, cards: Collection[int]) -> None:
    """Delete the names that the host has given to *cards*."""
    ledger.save((NAMES_SETTING.format(card=card), "") for card in cards)


def saved_phones(ledger: Ledger) -> dict[int, str]:
    """Return the phone of each card that has one. A damaged setting is none."""
    try:
        saved = json.loads(ledger.setting(PHONES_SETTING) or "{}")
        return {card: saved[str(card)] for card in CARDS if isinstance(saved.get(str(card)), str)}
    except (ValueError, TypeError, AttributeError, RecursionError):
        return {}


def phones_setting(phones: Mapping[int, str]) -> Setting:
    """Return the setting of the phone of each card that has one."""
    return PHONES_SETTING, json.dumps({str(card): phone for card, phone in phones.items()})


def save_pay(ledger: Ledger, configured: PhonePay, chosen: PhonePay) -> None:
    """Save how phones pay. The choice holds until the config says something else than *configured*."""
    ledger.set_setting(PAY_SETTING, f"{configured} {chosen}")


def saved_pay(ledger: Ledger, configured: PhonePay) -> PhonePay:
    """Return how phones pay: what the host chose instead of *configured*, or else *configured*."""
    instead_of, _, chosen = (ledger.setting(PAY_SETTING) or "").partition(" ")
    return next((pay for pay in get_args(PhonePay) if pay == chosen and instead_of == configured), configured)


def forget_other_pay(ledger: Ledger, configured: PhonePay) -> None:
    """Forget what the host chose while the config said something else than *configured*."""
    saved = ledger.setting(PAY_SETTING)
    if saved and not saved.startswith(f"{configured} "):
        ledger.set_setting(PAY_SETTING, "")


def save_clock(ledger: Ledger, game: int, minutes: int | None) -> None:
    """Save the minutes that *game* has left. ``None`` means that the game has no clock."""
    ledger.set_setting(CLOCK_SETTING.format(game=game), "" if minutes is None else str(minutes))


def saved_clock(ledger: Ledger, game: int) -> int | None:
    """Return the minutes that *game* has left. Return ``None`` if it has no clock or the setting is damaged."""
    minutes = ledger.setting(CLOCK_SETTING.format(game=game)) or ""
    if not (minutes.isascii() and minutes.isdigit()):
        return None
    return min(int(minutes[:4]), max(CLOCK_LENGTHS_MIN))


class EndedGame(Record):
    """The end of game *game* with the *worths* of its players, keyed by card.

    *transfer* is the number of the last transfer before the end that is more than a card's joining or leaving.
    """

    game: int
    transfer: int
    worths: Mapping[int, int]

    def is_still_ended(self, game: int | None, transfer: int, retired: Collection[int]) -> bool:
        """Return whether *game* is the same, no money has moved until *transfer*, and no ranked player *retired*."""
        return self.game == game and transfer <= self.transfer and not self.worths.keys() & set(retired)

    def with_ranking(self, name_of: Callable[[int], str], money: Money) -> Ended:
        return {
            "game": self.game,
            "ranking": [
                {
                    "place": ranked.place,
                    "number": ranked.card,
                    "name": name_of(ranked.card),
                    "worth": ranked.worth,
                    "shown": money.shown(ranked.worth),
                }
                for ranked in ranking(self.worths)
            ],
        }


def save_ended(ledger: Ledger, ended: EndedGame) -> None:
    """Save the end of a game."""
    worths = {str(card): worth for card, worth in ended.worths.items()}
    ledger.set_setting(END_SETTING, json.dumps({"game": ended.game, "transfer": ended.transfer, "worths": worths}))


def ended_game(ledger: Ledger) -> EndedGame | None:
    """Return the last game that was ended.

    Return ``None`` if there is none, a game has been continued since, or the setting is damaged.
    """
    try:
        saved = json.loads(ledger.setting(END_SETTING) or "null")
        worths = {int(card): int(worth) for card, worth in saved["worths"].items()}
        return EndedGame(int(saved["game"]), int(saved["transfer"]), worths)
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError):
        return None
