"""The record of the current game, and what of it the ledger keeps as settings: names, clock, the last end."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from reboard.accessories.banker_unit.accounts import BANK, CARDS, Account, Reason
from reboard.accessories.banker_unit.schema import Game, Transfer
from reboard.accessories.banker_unit.texts import Text, must_be
from reboard.accessories.banker_unit.vocabulary import CLOCK_LENGTHS_MIN, Ended
from reboard.languages import Texts
from reboard.record import Record

if TYPE_CHECKING:
    from reboard.accessories.banker_unit.ledger import Ledger
    from reboard.editions.edition import Edition
    from reboard.editions.money import Money

REMEMBERED = 20
"""The number of latest transfers that the game session keeps in memory and that the snapshot contains."""

ALL = -1
"""The limit for all transfers of a game."""

CLOCK_SETTING = "clock {game}"
"""The name of the ledger's setting for the minutes that a game has left, empty without a clock."""

END_SETTING = "ended"
"""The name of the ledger's setting for the last game that was ended, and each player's worth."""

NOT_ENDED = ((END_SETTING, ""),)
"""The settings that the ledger saves when a game continues: no game counts as ended."""

NAMES_SETTING = "name {card}"
"""The name of the ledger's setting for a player's name from the host. If it is empty, the config's name is used."""


class Players:
    """Who counts as a player in a game: a card with a transfer that was not undone.

    A card that only joins, leaves or goes bankrupt is no player yet. *last* is the number of the last transfer that is
    more than a card's joining or leaving, or 0.
    """

    def __init__(self) -> None:
        self.acts: Counter[int] = Counter()
        self.last = 0

    @classmethod
    def of(cls, transfers: Iterable[Transfer]) -> Players:
        """Return the players after all *transfers* of a game, oldest first."""
        players, made = cls(), dict[int, Transfer]()
        for transfer in transfers:
            made[transfer.id] = transfer
            players.add(transfer, made.get(transfer.undoes or 0))
        return players

    def add(self, transfer: Transfer, undone: Transfer | None = None) -> None:
        """Add a new transfer, which undoes *undone*."""
        counted = undone or transfer
        if transfer.reason == Reason.START:
            del self.acts[transfer.to]  # the number may be that of an earlier player
        elif counted.reason != Reason.LEFT:
            self.last = transfer.id
            for card in _acting(counted):
                self.acts[card] += -1 if undone else 1


def _acting(transfer: Transfer) -> Iterator[int]:
    from_, to, reason = transfer.from_, transfer.to, transfer.reason
    if reason != Reason.BANKRUPT and from_ in CARDS:
        yield from_
    if not (reason == Reason.BANKRUPT and from_ == BANK) and to in CARDS:
        yield to


class Ranked(Record):
    """A place in the ranking: *place* counts from 1, and *worth* is the worth of *card*."""

    place: int
    card: int
    worth: int


def ranking(worths: Mapping[int, int]) -> list[Ranked]:
    """Return the cards in the order of their worths, best first. Cards with equal worths share a place."""
    best_first = sorted(worths.items(), key=lambda player: (-player[1], player[0]))
    return [Ranked(1 + sum(other > worth for other in worths.values()), card, worth) for card, worth in best_first]


class Names:
    """The players' names: *configured* in the config for cards 1, 2, …, or *given* by the host instead.

    Each name is used once. A configured name is ignored if the host has given it to another card.
    """

    def __init__(self, configured: Sequence[str] = (), given: Mapping[int, str] | None = None) -> None:
        self.given = dict(given or {})
        self._configured = dict(zip(CARDS, configured, strict=False))

    def of(self, card: int) -> str:
        """Return the name of the player with *card*, or ``""`` if there is none."""
        configured = self._configured.get(card, "")
        return self.given.get(card) or ("" if configured in self.given.values() else configured)

    def card_of(self, name: str) -> int | None:
        """Return the card of the player called *name*, or ``None``."""
        return next((card for card in CARDS if name and self.of(card) == name), None)

    def give(self, card: int, name: str) -> None:
        """Set the name of the player with *card*. With ``""``, the player gets the name in the config."""
        if name:
            self.given[card] = name
        else:
            self.given.pop(card, None)


def given_names(ledger: Ledger) -> dict[int, str]:
    """Return the names that the host has given, keyed by card."""
    names = {card: ledger.setting(NAMES_SETTING.format(card=card)) or "" for card in CARDS}
    # a damaged file may have half a name
    return {card: name for card, name in names.items() if not must_be(name)}


def save_name(ledger: Ledger, card: int, name: str) -> None:
    """Save a name that the host has given."""
    ledger.set_setting(NAMES_SETTING.format(card=card), name)


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

    def as_json(self, name_of: Callable[[int], str], money: Money) -> Ended:
        """Return the number of the game and its ranking, best first, as a JSON object."""
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


class GameRecord(Record):
    """The data of one game that the unit keeps in memory."""

    balances: dict[int, int]
    retired: frozenset[int]
    left: frozenset[int]
    pot: int
    latest: list[Transfer]
    clock: int | None
    players: Players

    @classmethod
    def of(cls, ledger: Ledger, game: Game) -> GameRecord:
        """Return the record of *game*, read from the ledger."""
        transfers = ledger.transfers(game.id, ALL)
        return cls(
            ledger.balances(game.id),
            ledger.retired(game.id),
            ledger.left(game.id),
            ledger.pot(game.id) or 0,
            transfers[:REMEMBERED],
            saved_clock(ledger, game.id),
            Players.of(reversed(transfers)),
        )


class HostSettings(Record):
    """The players' names that the host has given, and the last game that was ended."""

    names: dict[int, str]
    ended: EndedGame | None

    @classmethod
    def of(cls, ledger: Ledger) -> HostSettings:
        """Return the settings, read from the ledger."""
        return cls(given_names(ledger), ended_game(ledger))


class GameView(Record):
    """A copy of the game's data, as the ledger has it."""

    edition: Edition
    balances: Mapping[int, int]
    retired: frozenset[int] = frozenset()
    names: Mapping[int, str] = field(default_factory=dict)
    pot: int = 0
    ended: EndedGame | None = None
    id: int | None = None
    left: frozenset[int] = frozenset()
    playing: tuple[int, ...] = ()
    """The cards that count as players."""
    in_game: tuple[int, ...] = ()
    """The cards in the game that are not bankrupt, with those that only joined."""
    is_over: bool = False
    ends_with_count: bool = False
    """Whether the number of bankruptcies has ended the game, so that the final count finds the winner."""
    has_pot: bool = False
    clock: int | None = None
    editions: tuple[Edition, ...] = ()

    def shown(self, amount: int) -> str:
        """Return *amount* in the format of the edition."""
        return self.edition.money.shown(amount)

    def can_pay(self, account: int, amount: int) -> bool:
        """Return whether *account* can pay *amount* at present. The bank always can."""
        least = -self.edition.money.largest if self.edition.may_owe else 0
        return account == BANK or self.balances.get(account, 0) - amount >= least

    def holder(self, account: int, texts: Texts) -> str:
        """Return the name of an account's holder: the bank, the pot, a player's name, or else the card's number."""
        if account in CARDS:
            return self.names.get(account) or texts(Text.CARD, number=account)
        return texts(Account(account).name)
