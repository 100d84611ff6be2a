"""A small model of the ledger, in memory and without waiting, written from the rules of the game."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from reboard.accessories.banker_unit.accounts import BANK, POT
from reboard.accessories.banker_unit.game_record import GameRecord, Players
from reboard.accessories.banker_unit.game_settings import EndedGame
from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.accessories.banker_unit.schema import Booked, Game, Move, Transfer
from reboard.accessories.banker_unit.unit_state import Ask
from reboard.accessories.table_vocabulary import PhonePay
from reboard.editions.edition import Edition
from reboard.errors import Rejection

READS = frozenset({"booked", "kept_games", "latest_of", "number_of"})
"""The methods of the game session that write nothing, so that a broken disk does not matter."""

JOINING = ("start", "left")


class Books:
    """The current game and at most one earlier game. A change makes a copy, so that other paths keep theirs."""

    __slots__ = (
        "balances",
        "clock",
        "counts",
        "edition",
        "ended",
        "freed",
        "game",
        "has_pot",
        "kept",
        "left",
        "lost",
        "phones",
        "phones_pay",
        "pot",
        "presses",
        "retired",
        "transfers",
        "undone",
        "view",
    )

    def __init__(self, edition: Edition, editions: tuple[Edition, ...], *, has_pot: bool) -> None:
        self.edition = edition
        self.has_pot = has_pot
        self.kept: Books | None = None
        self.presses: Mapping[str, Transfer] = {}
        self.phones: Mapping[int, str] = {}
        self.phones_pay: PhonePay = "off"
        self._begin(1)
        self.view = self._view(editions)

    def _begin(self, game: int) -> None:
        self.game = game
        self.balances: dict[int, int] = {}
        self.retired: frozenset[int] = frozenset()
        self.left: frozenset[int] = frozenset()
        self.freed: frozenset[int] = frozenset()
        self.lost: frozenset[str] = frozenset()
        self.pot = 0
        self.transfers: tuple[Transfer, ...] = ()
        self.undone: frozenset[int] = frozenset()
        self.ended: EndedGame | None = None
        self.clock: int | None = None

    def _copy(self) -> Books:
        copy = object.__new__(Books)
        for name in Books.__slots__:
            setattr(copy, name, getattr(self, name))
        copy.balances = dict(self.balances)
        return copy

    def answer(self, ask: Ask) -> tuple[Any, Books]:
        """Return the result of a method of the game session, or its rejection, and the books after it."""
        after = self._copy()
        method: Callable[..., Any] = getattr(after, ask.method)
        try:
            result = method(*ask.args, **ask.options)
        except Rejection as rejection:
            return rejection, self
        if ask.method in READS:
            return result, self
        after.view = after._view(self.view.editions)
        return result, after

    @property
    def in_game(self) -> tuple[int, ...]:
        return tuple(card for card in sorted(self.balances) if card not in self.retired | self.left)

    def _counting(self, card: int) -> int:
        """Return the number of transfers by which *card* is a player, since it last joined."""
        number = 0
        for made in self.transfers:
            if made.reason == "start" and made.to == card:
                number = 0
            elif card in _players_in(made) and made.id not in self.undone:
                number += 1
        return number

    def _view(self, editions: tuple[Edition, ...]) -> GameRecord:
        self.counts = {card: self._counting(card) for card in self.balances}
        playing = {card for card in self.in_game if self.counts[card]}
        if self.ended and self.ended.worths.keys() != playing:
            self.ended = None
        return GameRecord(
            self.edition,
            {**self.balances, **({POT: self.pot} if self.pot else {})},
            self.game,
            phones=self.phones,
            pay=self.phones_pay,
            retired=self.retired,
            left=self.left,
            players=Players(self.counts),
            end=self.ended,
            clock=self.clock,
            has_pot=self.has_pot,
            editions=editions,
        )

    # The methods of the game session.

    def admit(self, tag: str) -> int:
        number = int(tag)
        if tag in self.lost or number > self.edition.players.most:
            raise Rejection(BankWhy.UNKNOWN_CARD)
        self.join(number)
        return number

    def join(self, card: int, phone: str = "") -> None:
        if phone:
            self.phones = {**{other: its for other, its in self.phones.items() if its != phone}, card: phone}
        if card in self.freed or card not in self.balances:
            self.freed -= {card}
            self.left -= {card}
            self._book(BANK, card, self.edition.start, "start")
        elif card in self.left:
            self.come_back(card)

    def pay(self, from_: int, to: int, amount: int, reason: str, *, press: str | None = None) -> Transfer:
        (made,) = self.pay_all([Move(from_, to, amount, reason)], press=press)
        return made

    def pay_all(self, moves: Sequence[Move], *, press: str | None = None) -> list[Transfer]:
        act = self._next if len(moves) > 1 else None
        made = []
        for move in moves:
            for card in (move.from_, move.to):
                if card in self.retired or card in self.left:
                    raise Rejection(BankWhy.BANKRUPT if card in self.retired else BankWhy.LEFT)
            made.append(self._book(move.from_, move.to, move.amount, move.reason, act=act))
        self.presses = {**self.presses, press: made[0]} if press else self.presses
        return made

    def leave(self, card: int) -> Transfer | None:
        if card not in self.in_game:
            raise Rejection(BankWhy.BANKRUPT if card in self.retired else BankWhy.LEFT)
        transfer = self._book(card, BANK, self.balances[card], "left") if self.balances[card] else None
        self.left |= {card}
        return transfer

    def come_back(self, card: int) -> None:
        self._back(card, "left")
        self.left -= {card}

    def readmit(self, card: int) -> None:
        self._back(card, "bankrupt")
        self.retired -= {card}

    def bankrupt(self, card: int, creditor: int, press: str | None = None) -> Transfer | None:
        for out in (card, creditor):
            if out in self.retired or out in self.left:
                raise Rejection(BankWhy.BANKRUPT if out in self.retired else BankWhy.LEFT)
        transfer = self._book(card, creditor, self.balances[card], "bankrupt") if self.balances[card] else None
        self.presses = {**self.presses, press: transfer} if press and transfer else self.presses
        self.retired |= {card}
        return transfer

    def undo(self, number: int) -> list[Transfer]:
        wrong = next((made for made in self.transfers if made.id == number), None)
        if not wrong or wrong.undoes or wrong.reason == "start" or number in self.undone:
            raise Rejection(BankWhy.NOTHING_TO_UNDO)
        act = [made for made in self.transfers if made is wrong or (wrong.act and made.act == wrong.act)]
        return [self._undo(made) for made in act]

    def replace(self, card: int, tag: str, gives_up: int | None) -> None:
        other = self.number_of(tag)
        if other not in (None, card, gives_up):
            raise Rejection(BankWhy.SAME_CARD_TWICE)
        if other not in (None, card, *self.retired):
            self.free(int(tag))
        self.lost = self.lost - {tag} if int(tag) == card else self.lost | {str(card)}

    def free(self, card: int) -> Transfer | None:
        if card in self.retired:
            raise Rejection(BankWhy.BANKRUPT)
        transfer = self.leave(card) if card in self.in_game else None
        self.left -= {card}
        self.freed |= {card}
        self.balances.pop(card, None)
        return transfer

    def start_game(self, edition: Edition, cards: Iterable[int] = ()) -> None:
        if any(_players_in(made) for made in self.transfers):
            self.kept = self._copy()
            self.kept.kept = None
        self.edition = edition
        self._begin(self.game + 1)
        for card in cards:
            self.join(card)

    def kept_games(self) -> list[Game]:
        return [self.kept._as_game()] if self.kept else []

    def resume(self, game: Game) -> None:
        back, now = self.kept, self._copy()
        assert back
        for name in Books.__slots__:
            setattr(self, name, getattr(back, name))
        self.balances = dict(back.balances)
        self.presses, self.phones, self.phones_pay = now.presses, now.phones, now.phones_pay
        self.ended = None
        now.kept = None
        self.kept = now

    def _as_game(self) -> Game:
        return Game(self.game, self.edition.name, self.edition.start, self.edition.money.largest, False, 0.0, 0.0)

    def unpair(self, card: int) -> None:
        self.phones = {other: its for other, its in self.phones.items() if other != card}

    def set_pay(self, pay: PhonePay) -> None:
        self.phones_pay = pay

    def set_clock(self, minutes: int | None) -> None:
        self.clock = minutes

    def count_down(self, save: bool = True) -> None:
        self.clock = self.clock - 1 if self.clock else None

    def end(self, worths: dict[int, int]) -> EndedGame:
        self.ended = EndedGame(self.game, 0, dict(worths))
        return self.ended

    def booked(self, press: str) -> Booked | None:
        saved = self.presses.get(press)
        return Booked(saved, saved.id in self.undone) if saved else None

    def number_of(self, tag: str) -> int | None:
        return int(tag) if int(tag) in self.balances.keys() - self.freed and tag not in self.lost else None

    def latest_of(self, card: int, limit: int) -> list[Transfer]:
        return [made for made in self.transfers[::-1] if card in (made.from_, made.to)][:limit]

    # Rows.

    @property
    def _next(self) -> int:
        return self.transfers[-1].id + 1 if self.transfers else self.game * 1000

    def _book(
        self, from_: int, to: int, amount: int, reason: str, undoes: int | None = None, act: int | None = None
    ) -> Transfer:
        if from_ == POT and amount > self.pot:
            raise Rejection(BankWhy.POT_EMPTY)
        if from_ in self.balances and self.balances[from_] < amount:
            raise Rejection(BankWhy.NO_FUNDS)
        if to not in (BANK, POT) and self.balances.get(to, 0) + amount > self.edition.money.largest:
            raise Rejection(BankWhy.TOO_MUCH)
        for card, change in ((from_, -amount), (to, amount)):
            if card == POT:
                self.pot += change
            elif card != BANK:
                self.balances[card] = self.balances.get(card, 0) + change
        number = self._next
        made = Transfer(number, self.game, from_, to, amount, reason, 0.0, undoes, act)
        self.transfers += (made,)
        if not undoes and reason not in JOINING:
            self.ended = None
        return made

    def _undo(self, wrong: Transfer) -> Transfer:
        opposite = self._book(wrong.to, wrong.from_, wrong.amount, "undo", wrong.id)
        self.undone |= {wrong.id}
        if wrong.reason == "bankrupt":
            self.retired -= {wrong.from_}
        elif wrong.reason == "left":
            self.left -= {wrong.from_}
        else:
            self.ended = None
        return opposite

    def _back(self, card: int, reason: str) -> None:
        for made in self.transfers[::-1]:
            if made.reason == reason and made.from_ == card and made.id not in self.undone:
                self._undo(made)
                return


def _players_in(made: Transfer) -> list[int]:
    """Return the cards that *made* makes players: not by joining, leaving, or going bankrupt."""
    if made.undoes or made.reason in JOINING:
        return []
    cards = [made.to] if made.reason == "bankrupt" else [made.from_, made.to]
    return [card for card in cards if card not in (BANK, POT)]
