"""A model of the ledger: what each transfer may do, and the balances after it.

It is written from the rules, not from the code: amounts, games and cards in plain dictionaries.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import NamedTuple

from reboard.editions.edition import Edition

BANK, POT = 0, 9
MOST_DIGITS = 5
PAID = "another accessory"
"""The reason of the payments that another accessory makes."""


class Move(NamedTuple):
    """What a transfer does; *undoes* is the number of another transfer or ``None``."""

    from_: int
    to: int
    amount: int
    reason: str
    undoes: int | None = None


@dataclass
class Game:
    """One game: the balance of each account (the bank's is what it gave), the retired cards, and every transfer."""

    edition: Edition
    accounts: dict[int, int] = field(default_factory=lambda: {BANK: 0})
    retired: set[int] = field(default_factory=set)
    left: set[int] = field(default_factory=set)
    moves: dict[int, Move] = field(default_factory=dict)
    acts: dict[int, int] = field(default_factory=dict)
    """The number of the act of each transfer that is part of one."""

    @property
    def in_game(self) -> list[int]:
        return sorted(self.accounts.keys() - {BANK} - self.retired - self.left)

    @property
    def can_be_undone(self) -> set[int]:
        undone = {move.undoes for move in self.moves.values()}
        started = {move.to: n for n, move in self.moves.items() if move.reason == "start"}
        return {
            n
            for n, move in self.moves.items()
            if move.reason not in ("start", "undo")
            and n not in undone
            and all(started.get(card, 0) < n for card in (move.from_, move.to))
        }

    def plays(self, card: int) -> bool:
        """Whether *card* has more than its starting money."""
        moves = [self.moves[number] for number in self.can_be_undone]
        return any(card in (move.from_, move.to) and move.reason != "left" for move in moves)

    def act_of(self, number: int) -> list[int]:
        act = self.acts.get(number)
        return [number] if act is None else sorted(n for n, other in self.acts.items() if other == act)

    def refusals(self, move: Move) -> set[str]:
        """Every rule that forbids *move*; none if it can be booked."""
        why = set()
        wrong = self.moves.get(move.undoes) if move.undoes is not None else None
        brought_back = {wrong.from_, wrong.to} if wrong and wrong.reason in ("bankrupt", "left") else set()
        if {move.from_, move.to} & self.retired - brought_back:
            why.add("bankrupt")
        if {move.from_, move.to} & self.left - brought_back:
            why.add("left")
        least = -self.edition.money.largest if self.edition.may_owe else 0
        if move.from_ != BANK and self.accounts[move.from_] - move.amount < least:
            why.add("no funds")
        if move.to != BANK and self.accounts[move.to] + move.amount > self.edition.money.largest:
            why.add("too much")
        return why

    def refusals_to_pay(self, move: Move) -> set[str]:
        """Every rule that forbids *move* to another accessory, at a table without a pot."""
        if strangers := {move.from_, move.to} - self.accounts.keys():
            return {
                {POT: "no pot" if move.to == POT else "pot empty"}.get(each, "not in the game") for each in strangers
            }
        return self.refusals(move) | ({"too fine"} if move.amount % self.edition.money.smallest else set())

    def refusals_of(self, moves: Iterable[Move]) -> set[str]:
        """Every rule that forbids these transfers as one act."""
        why, after = set(), replace(self, accounts=dict(self.accounts))
        for move in moves:
            why |= after.refusals(move)
            after.accounts[move.from_] -= move.amount
            after.accounts[move.to] += move.amount
        return why

    def opposite(self, number: int) -> Move:
        """The transfer that takes *number* back."""
        wrong = self.moves[number]
        return Move(wrong.to, wrong.from_, wrong.amount, "undo", number)

    def book(self, number: int, move: Move, act: int | None = None) -> None:
        """Transfer *number* was made: it must be one that the rules allow."""
        assert move.amount > 0, f"transfer {number} moves nothing: {move}"
        assert move.from_ != move.to, f"transfer {number} goes nowhere: {move}"
        assert self._fits_its_reason(move), f"transfer {number} is not what its reason says: {move}"
        if move.reason == "start":
            self.accounts[move.to] = 0
            self.left.discard(move.to)
        assert {move.from_, move.to} <= self.accounts.keys(), f"transfer {number} of a card without an account"
        broken = self.refusals(move)
        assert not broken, f"transfer {number} was booked against the rules {broken}: {move}"
        self.accounts[move.from_] -= move.amount
        self.accounts[move.to] += move.amount
        self.moves[number] = move
        if act is not None:
            self.acts[number] = act
        out = {"bankrupt": self.retired, "left": self.left}
        if move.reason in out:
            out[move.reason].add(move.from_ or move.to)
        wrong = self.moves.get(move.undoes) if move.undoes is not None else None
        if wrong and wrong.reason in out:
            out[wrong.reason].discard(wrong.from_ or wrong.to)
        assert sum(self.accounts.values()) == 0

    def _fits_its_reason(self, move: Move) -> bool:
        is_received, is_paid, block = move.from_ == BANK, move.to == BANK, self.edition.outcomes.get("block")
        match move.reason:
            case "start":
                is_new = move.to not in self.accounts or move.to in self.left
                return is_received and is_new and move.amount == self.edition.start
            case "undo":
                return move.undoes in self.can_be_undone and move == self.opposite(move.undoes)
            case "received":
                return is_received
            case str(reason) if reason == PAID:
                return True
            case "salary":
                return is_received and move.amount == self.edition.salary
            case "paid":
                return is_paid
            case "players" | "each_paid" | "each_received":
                return not is_received and not is_paid
            case "coins" if block:
                return is_received and move.amount in {n * block["coins"] for n in range(1, 7)}
            case "laugh" | "game_over" if block:
                return is_paid and move.amount == -block[move.reason]
            case "bankrupt" | "left" if is_received:
                return move.amount == -self.accounts[move.to]
            case "bankrupt":
                return move.amount == self.accounts[move.from_]
            case "left":
                return is_paid and move.amount == self.accounts[move.from_]
        return False


@dataclass
class MoneyModel:
    """Every game, the number of the current one, and that of the last transfer of all."""

    games: dict[int, Game] = field(default_factory=dict)
    current: int = 0
    last: int = 0

    @property
    def game(self) -> Game:
        return self.games[self.current]

    def begin(self, number: int, edition: Edition) -> None:
        assert number == max(self.games, default=0) + 1, f"game {number} follows {max(self.games, default=0)}"
        self.games[number] = Game(edition)
        self.current = number

    def book(self, number: int, game: int, move: Move, act: int | None = None) -> None:
        """A transfer in the current game."""
        assert game == self.current, f"transfer {number} is of game {game}, and {self.current} is the current one"
        assert number == self.last + 1, f"transfer {number} follows {self.last}"
        self.game.book(number, move, act)
        self.last = number


def amount_of(text: str, key: str, edition: Edition) -> tuple[int, set[str]]:
    """The amount that is typed as *text* and entered with *key*, and every reason to refuse it."""
    if not edition.money.units:
        text = re.sub(r"^([1-9]\d?)\.(\d{3})$", r"\1\2", text)
    digits = text.replace(".", "")
    why = {"too long"} if len(digits) > MOST_DIGITS else set()
    if text.count(".") > 1:
        return 0, {"two points"} | why
    number = Fraction(f"0{text}0" if "." in text else text or "0")
    if not number:
        why.add("zero")
    if edition.money.units:
        number *= {"K": 1_000, "M": 1_000_000}[key]
    if number % edition.money.smallest or ("." in text and not edition.money.units):
        why.add("too fine")
    return int(number), why


def shown(amount: int, edition: Edition) -> str:
    """An amount as the edition writes it: in millions, in thousands, or plainly; never rounded."""
    if not edition.money.units or amount == 0:
        return str(amount)
    size, letter = (1_000_000, "M") if abs(amount) >= 1_000_000 else (1_000, "K")
    whole, rest = divmod(abs(amount), size)
    decimals = f".{rest:0{len(str(size)) - 1}}".rstrip("0").rstrip(".")
    return f"{'-' if amount < 0 else ''}{whole}{decimals}{letter}"
