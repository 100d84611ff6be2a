"""Records that the unit reads from the ledger or saves in it: history, ended and kept games, names, game clock."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

from reboard.accessories.banker_unit.accounts import BANK, CARDS, Account, Reason
from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.accessories.banker_unit.schema import GAME, Game, Transfer, game_of
from reboard.accessories.banker_unit.texts import Text, must_be
from reboard.accessories.banker_unit.vocabulary import CLOCK_LENGTHS_MIN, Ended
from reboard.errors import Rejection
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

MOST_IN_HISTORY = 2000
"""The maximum number of transfers in the history. A game of one evening has about 400."""

MOST_OFFERED = 50
"""The maximum number of kept games in the chooser."""

NO_HISTORY = json.dumps({"game": None, "before": {}, "transfers": []})
"""The history while there is no current game."""

CLOCK_SETTING = "clock {game}"
"""The name of the ledger's setting for the minutes that a game has left: ``""`` if it has no clock."""

END_SETTING = "ended"
"""The name of the ledger's setting for the last game that was ended."""

NOT_ENDED = ((END_SETTING, ""),)
"""The settings that the ledger saves when a game continues: no game counts as ended."""

NAMES_SETTING = "name {card}"
"""The name of the ledger's setting for a player's name. If its value is empty, the name in the config is used."""


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

    def shown(self, amount: int, texts: Texts) -> str:
        """Return *amount* in the format of the edition and of the language."""
        return texts.amount(self.edition.money.shown(amount))

    def can_pay(self, account: int, amount: int) -> bool:
        """Return whether *account* can pay *amount* at present. The bank always can."""
        least = -self.edition.money.largest if self.edition.may_owe else 0
        return account == BANK or self.balances.get(account, 0) - amount >= least

    def said(self, texts: Texts, text: str, values: Mapping[str, Any]) -> str:
        """Return *text* in the language of *texts*, with *values*: ``who`` is an account, and ``amount`` a number."""
        forms = {"who": self.holder, "amount": self.shown}
        return texts(
            text, **{name: forms[name](value, texts) if name in forms else value for name, value in values.items()}
        )

    def parties(self, from_: int, to: int, texts: Texts, room: int) -> str:
        """Return the payer and the receiver, such as ``Anna > BANK``, in at most *room* characters.

        Names are shortened if they must be. A card without a name is then only its number, which is never cut.
        """
        full = [self.holder(account, texts) for account in (from_, to)]
        short = [
            str(each) if each in CARDS and not self.names.get(each) else self.holder(each, texts)
            for each in (from_, to)
        ]
        for names in (full, short):
            for arrow in (" > ", ">"):
                if len(parties := arrow.join(names)) <= room:
                    return parties
        while len(parties := ">".join(short)) > room:
            longer = max((0, 1), key=lambda side: len(short[side]))
            short[longer] = short[longer][:-1]
        return parties

    def holder(self, account: int, texts: Texts) -> str:
        """Return the name of an account's holder: the bank, the pot, a player's name, or else the card's number."""
        if account in CARDS:
            return self.names.get(account) or texts(Text.CARD, number=account)
        return texts(Account(account).name)


def history(ledger: Ledger, game: int) -> str:
    """Return the latest transfers of *game*, oldest first, and each card's balance ``before`` them, as JSON.

    ``before`` leaves out cards without an earlier transfer. Call this function on the ledger thread, because writing
    the JSON would block the event loop for too long.
    """
    transfers = ledger.transfers(game, MOST_IN_HISTORY)[::-1]
    before = Counter(ledger.balances(game))
    for transfer in transfers:
        before[transfer.from_] += transfer.amount
        before[transfer.to] -= transfer.amount
    joined = _cards_before(ledger, transfers[0]) if transfers else set()
    had = {card: balance for card, balance in sorted(before.items()) if card in joined}
    rows = ", ".join(json.dumps(transfer.as_json()) for transfer in transfers)
    return f'{{"game": {game}, "before": {json.dumps(had)}, "transfers": [{rows}]}}'


def outgoing(ledger: Ledger, after: int, most: int) -> str:
    """Return up to *most* transfers of any game after transfer number *after*, oldest first, as JSON.

    With them are the ledger's name, the number of its last transfer, that of the last transfer ``before`` them, and the
    edition of each game. A program that copies the ledger sees from these what it lacks.
    """
    transfers = ledger.transfers_after(after, most)
    games = [transfer.game for transfer in transfers]
    rows = ledger.connection.execute(f"{GAME} WHERE id BETWEEN ? AND ?", (min(games, default=0), max(games, default=0)))
    answer = {
        "ledger": ledger.name(),
        "before": ledger.last_transfer_up_to(after),
        "last": ledger.last_transfer(),
        "editions": {str(game.id): game.edition for game in map(game_of, rows) if game.id in games},
        "transfers": [transfer.as_json() for transfer in transfers],
    }
    return json.dumps(answer)


def _cards_before(ledger: Ledger, transfer: Transfer) -> set[int]:
    rows = ledger.connection.execute(
        """SELECT DISTINCT "to" FROM transfer WHERE game = ? AND reason = 'start' AND id < ?""",
        (transfer.game, transfer.id),
    )
    return {card for (card,) in rows}


def kept_games(ledger: Ledger) -> list[Game]:
    """Return the latest games, newest first, at most `MOST_OFFERED`.

    The current game and games in which cards only joined and left are left out.
    """
    rows = ledger.connection.execute(
        f"SELECT * FROM ({GAME}) AS g WHERE ended_at IS NOT NULL AND EXISTS ("
        "SELECT 1 FROM stretch AS s CROSS JOIN transfer AS t ON t.id BETWEEN s.first AND s.last "
        "WHERE s.game = g.id AND undoes IS NULL AND reason NOT IN ('start', 'left')) "
        "ORDER BY id DESC LIMIT ?",
        (MOST_OFFERED,),
    )
    return [game_of(row) for row in rows]


def resume(ledger: Ledger, game: Game, at: float) -> tuple[Game, GameRecord]:
    """Continue *game*. Return the game and its record."""
    # read first: nothing can fail any more once the disk has the change
    record = GameRecord.of(ledger, game)
    return ledger.resume(game.id, at=at, settings=NOT_ENDED), record


def undo(ledger: Ledger, game: int, number: int | None, *, press: str, at: float) -> list[tuple[Transfer, Transfer]]:
    """Undo transfer *number* of *game*, or the last one that can be undone, with the other transfers of its act.

    Return each of these transfers with its opposite. Raises `Rejection` if one of them cannot be undone.
    """
    if number is not None and (why := _why_not_undone(ledger, number, game)):
        raise Rejection(BankWhy.NOTHING_TO_UNDO, why)
    wrong = ledger.last_to_undo(game) if number is None else ledger.transfer(number)
    if wrong is None:
        raise Rejection(BankWhy.NOTHING_TO_UNDO)
    return list(zip(ledger.act_of(wrong), ledger.undo(wrong.id, press=press, at=at), strict=True))


def _why_not_undone(ledger: Ledger, number: int, game: int) -> str | None:
    """Return why transfer *number* cannot be undone in *game*, or ``None`` if no reason was found.

    The rules for balances and bankrupt cards are not checked here.
    """
    try:
        transfer = ledger.transfer(number)
    except LookupError as error:
        return str(error)
    if transfer.game != game:
        return f"transfer {number} cannot be undone: it is in game {transfer.game}, but the current game is {game}"
    if transfer.undoes:
        return f"transfer {number} cannot be undone: it is the undo of transfer {transfer.undoes}"
    if transfer.reason == Reason.START:
        return f"transfer {number} cannot be undone: it is the starting balance of card {transfer.to}"
    if opposite := ledger.opposite_of(number):
        return f"transfer {number} was already undone by transfer {opposite.id}"
    if card := ledger.started_again(transfer):
        return f"transfer {number} cannot be undone: another player has the number of card {card} since"
    return None
