"""The record of the current game, which the game session, the unit's state and the snapshot share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from functools import cached_property
from math import inf
from typing import Any

from reboard.accessories.banker_unit.accounts import BANK, CARDS, EVERYONE, POT, Account, Reason
from reboard.accessories.banker_unit.game_settings import (
    EndedGame,
    ended_game,
    given_names,
    saved_clock,
    saved_phones,
)
from reboard.accessories.banker_unit.ledger import Ledger
from reboard.accessories.banker_unit.player_names import Names
from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.accessories.banker_unit.schema import Game, Move, Transfer
from reboard.accessories.banker_unit.texts import Text, both_ends
from reboard.accessories.table_vocabulary import PhonePay
from reboard.editions.edition import Edition
from reboard.errors import Rejection, Why
from reboard.languages import DISPLAY_COLUMNS, Texts
from reboard.record import Record, replace

REMEMBERED = 20
"""The number of latest transfers that the record keeps and the snapshot contains."""

ALL = -1
"""The limit for all transfers of a game."""


class Players(Record):
    """Who counts as a player in a game: a card with a transfer that was not undone.

    A card that only joins, leaves or goes bankrupt is no player yet. *acts* are the numbers of these transfers, keyed
    by card. *last* is the number of the last transfer that is more than a card's joining or leaving, or 0.
    """

    acts: Mapping[int, int] = field(default_factory=dict)
    last: int = 0

    @classmethod
    def of(cls, transfers: Iterable[Transfer]) -> Players:
        """Return the players after all *transfers* of a game, oldest first."""
        acts, last, made = dict[int, int](), 0, dict[int, Transfer]()
        for transfer in transfers:
            made[transfer.id] = transfer
            last = _count(acts, transfer, made.get(transfer.undoes or 0)) or last
        return cls(acts, last)

    def after(self, transfer: Transfer, undone: Transfer | None = None) -> Players:
        acts = dict(self.acts)
        return Players(acts, _count(acts, transfer, undone) or self.last)


def _count(acts: dict[int, int], transfer: Transfer, undone: Transfer | None) -> int:
    """Add a transfer to *acts*. Return its number, or 0 if it is only a card's joining or leaving."""
    counted = undone or transfer
    if transfer.reason == Reason.START:
        acts.pop(transfer.to, None)  # the number may be that of an earlier player
    if transfer.reason == Reason.START or counted.reason == Reason.LEFT:
        return 0
    for card in _acting(counted):
        acts[card] = acts.get(card, 0) + (-1 if undone else 1)
    return transfer.id


def _acting(transfer: Transfer) -> Iterator[int]:
    from_, to, reason = transfer.from_, transfer.to, transfer.reason
    if reason != Reason.BANKRUPT and from_ in CARDS:
        yield from_
    if not (reason == Reason.BANKRUPT and from_ == BANK) and to in CARDS:
        yield to


class GameRecord(Record):
    """The current game: what the ledger has of it, and what it is played with.

    The game session, the unit's state and the snapshot share it, so that reading it never waits for the disk. Its
    methods return the record after a change that the ledger has committed. *end* is the last end of any game. *has_pot*
    is whether players can pay into a Free Parking pot. If it is false, they can still take money that was paid in
    earlier. *clock* is the number of minutes that the game has left, or ``None``. *editions* are those to choose from,
    each followed by its variants; the configured edition comes first.
    """

    edition: Edition
    accounts: Mapping[int, int] = field(default_factory=dict)
    """The balance of each account except the bank's."""
    id: int | None = None
    names: Names = Names()
    phones: Mapping[int, str] = field(default_factory=dict)
    """The phone of each card that has one, in every game."""
    pay: PhonePay = "off"
    """How players pay with their phones, in every game."""
    retired: frozenset[int] = frozenset()
    left: frozenset[int] = frozenset()
    players: Players = Players()
    latest: tuple[Transfer, ...] = ()
    end: EndedGame | None = None
    clock: int | None = field(default=None, compare=False)
    has_pot: bool = False
    editions: tuple[Edition, ...] = ()

    def read(self, ledger: Ledger, game: Game | None) -> GameRecord:
        """Return the record of *game* in the same edition, read from the ledger. ``None`` is no game."""
        names = replace(self.names, given=given_names(ledger))
        record = replace(self, id=None, names=names, phones=saved_phones(ledger), end=ended_game(ledger))
        if game is None:
            return record
        transfers = ledger.transfers(game.id, ALL)
        return replace(
            record,
            id=game.id,
            accounts=ledger.accounts(game.id),
            retired=ledger.retired(game.id),
            left=ledger.left(game.id),
            players=Players.of(reversed(transfers)),
            latest=tuple(transfers[:REMEMBERED]),
            clock=saved_clock(ledger, game.id),
        )

    # What follows from it.

    def card_of(self, phone: str) -> int:
        """Return the card of a phone, or 0 if it has none."""
        return next((card for card, its_phone in self.phones.items() if its_phone == phone), 0)

    @cached_property
    def balances(self) -> Mapping[int, int]:
        """The balance of each card in the game."""
        return {card: self.accounts[card] for card in sorted(self.accounts) if card in CARDS}

    @property
    def pot(self) -> int:
        return self.accounts.get(POT, 0)

    @cached_property
    def in_game(self) -> list[int]:
        """The cards in the game that have neither gone bankrupt nor left."""
        return [card for card in self.balances if card not in self.retired and card not in self.left]

    @cached_property
    def playing(self) -> list[int]:
        """The cards of `in_game` that count as players. A card that only joined is no player yet."""
        return [card for card in self.in_game if self.players.acts.get(card)]

    @property
    def counted_bankruptcies(self) -> list[int]:
        """The bankrupt cards that counted as players before."""
        return [card for card in sorted(self.retired) if self.players.acts.get(card)]

    @property
    def ended(self) -> EndedGame | None:
        """The end of this game. ``None`` if the game was not ended, or has changed since.

        Cards that only join or leave do not change it.
        """
        is_still = self.end and self.end.is_still_ended(self.id, self.players.last, self.retired)
        return self.end if is_still else None

    @property
    def ends_with_count(self) -> bool:
        """Whether the number of bankruptcies has ended the game, so that the final count finds the winner."""
        return len(self.counted_bankruptcies) >= (self.edition.ends_at_bankruptcy or inf)

    @property
    def is_over(self) -> bool:
        """Whether bankruptcies left one player, or there are as many as end a game of this edition."""
        return bool(self.counted_bankruptcies) and (len(self.playing) == 1 or self.ends_with_count)

    @property
    def last_transfer(self) -> int:
        """The number of the game's last transfer, or 0."""
        return self.latest[0].id if self.latest else 0

    def shown(self, amount: int, texts: Texts) -> str:
        """Return *amount* in the format of the edition and of the language."""
        return texts.amount(self.edition.money.shown(amount))

    def can_pay(self, account: int, amount: int) -> bool:
        """Return whether *account* can pay *amount* at present. The bank always can."""
        least = -self.edition.money.largest if self.edition.may_owe else 0
        return account == BANK or self.accounts.get(account, 0) - amount >= least

    def why_out(self, *accounts: int) -> Why | None:
        """Return why one of *accounts* takes part in no transfer, or ``None``."""
        if self.retired.intersection(accounts):
            return BankWhy.BANKRUPT
        return BankWhy.LEFT if self.left.intersection(accounts) else None

    def each(self, card: int, amount: int, *, receives: bool) -> list[Move]:
        """Return the moves of *amount* from *card* to each other card in the game, or, if it *receives*, from each.

        Bankrupt cards and cards that left are no others. Raises `Rejection` if *card* is one of these, or if there are
        no others.
        """
        if card not in self.in_game:
            raise Rejection(self.why_out(card) or BankWhy.NOT_IN_THE_GAME)
        others = [other for other in self.in_game if other != card]
        if not others:
            raise Rejection(BankWhy.NO_PLAYERS, "there is no other player in the game: insert another card first")
        if receives:
            return [Move(other, card, amount, Reason.EACH_RECEIVED) for other in others]
        return [Move(card, other, amount, Reason.EACH_PAID) for other in others]

    def poor(self, moves: Iterable[Move]) -> list[int]:
        """Return the accounts that cannot pay all of their *moves*."""
        needed = Counter[int]()
        for move in moves:
            needed[move.from_] += move.amount
        return [payer for payer, amount in needed.items() if not self.can_pay(payer, amount)]

    def said(self, texts: Texts, text: str, values: Mapping[str, Any]) -> str:
        """Return *text* in the language of *texts*, with *values*: ``who`` is an account, and ``amount`` a number."""
        forms = {"who": self.holder, "amount": self.shown}
        return texts(
            text, **{name: forms[name](value, texts) if name in forms else value for name, value in values.items()}
        )

    def transfer_lines(self, from_: int, to: int, amount: str, keys: str, texts: Texts) -> tuple[str, str]:
        """Return the lines that ask for one of *keys* to move *amount*. Neither name is cut, because it is money."""
        names = [self.holder(account, texts) for account in (from_, to)]
        for arrow in (" > ", ">"):
            if len(parties := arrow.join(names)) <= DISPLAY_COLUMNS:
                return parties, both_ends(amount, keys)
        return both_ends(f"{names[0]}>", amount), both_ends(names[1], keys)

    def holder(self, account: int, texts: Texts) -> str:
        """Return an account's holder on the display: the bank, the pot, a player's name, or else the card's number."""
        if account in CARDS:
            return self.names.on_display(account) or texts(Text.CARD, number=account)
        if account == EVERYONE:
            return texts(Text.ALL)
        return texts(Account(account).name)

    def snapshot(self) -> dict[str, object]:
        """Return the part of the snapshot with the game and the editions to choose from."""
        money, names = self.edition.money, self.names
        latest = next(iter(self.latest), None)
        return {
            "game": self.id,
            "ended": self.ended and self.ended.with_ranking(names.of, money),
            "clock": self.clock,
            "cards": [
                {
                    "number": number,
                    "balance": balance,
                    "shown": money.shown(balance),
                    "name": names.of(number),
                    "retired": number in self.retired,
                    "left": number in self.left,
                    "playing": number in self.playing,
                }
                for number, balance in self.balances.items()
            ],
            "pot": {"balance": self.pot, "shown": money.shown(self.pot)} if self.has_pot or self.pot else None,
            "transfers": [transfer.as_json() for transfer in self.latest],
            "last_transfer": latest and {**latest.as_json(), "shown": money.shown(latest.amount)},
            "editions": [
                {
                    "name": edition.name,
                    "title": edition.title,
                    "titles": edition.titles,
                    "units": edition.money.units,
                    "currency": edition.currency,
                }
                for edition in self.editions
            ],
        }

    # Changes.

    def started(self, game: int, edition: Edition) -> GameRecord:
        """Return a new game, in which no card is."""
        return GameRecord(
            edition,
            id=game,
            names=self.names,
            phones=self.phones,
            pay=self.pay,
            end=self.end,
            has_pot=self.has_pot,
            editions=self.editions,
        )

    def moved(self, transfer: Transfer, undone: Transfer | None = None) -> GameRecord:
        """Return the game after *transfer*, which undoes *undone*. One that it has already changes nothing.

        *undone* can be missing if it is a card's leaving.
        """
        if transfer.game != self.id or transfer.id <= self.last_transfer:
            return self
        accounts = dict(self.accounts)
        for account, change in ((transfer.from_, -transfer.amount), (transfer.to, transfer.amount)):
            if account != BANK:
                accounts[account] = accounts.get(account, 0) + change
        # the card that went bankrupt or left had paid all it had, or the bank had paid what it owed
        back = {undone.from_ or undone.to} if undone else set()
        return replace(
            self,
            accounts=accounts,
            retired=self.retired - back if undone and undone.reason == Reason.BANKRUPT else self.retired,
            left=self.left - back if undone and undone.reason == Reason.LEFT else self.left,
            players=self.players.after(transfer, undone) if undone or not transfer.undoes else self.players,
            latest=(transfer, *self.latest)[:REMEMBERED],
        )

    def without(self, card: int) -> GameRecord:
        """Return the game without *card*, whose number is free."""
        others = {account: balance for account, balance in self.accounts.items() if account != card}
        return replace(self, accounts=others, left=self.left - {card})
