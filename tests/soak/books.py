"""The money as the design has it: what each transfer may do, and what everybody has then.

Written from the rules and not from the code: amounts, games and cards in plain dictionaries.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from reboard.editions.edition import Edition

BANK = 0
MOST_DIGITS = 5


class Move(NamedTuple):
    """What a transfer does; *undoes* the number of another one or ``None``."""

    from_: int
    to: int
    amount: int
    reason: str
    undoes: int | None = None


@dataclass
class Game:
    """One game: what each account has (the bank's is what it gave), who retired, and all that was booked."""

    edition: Edition
    accounts: dict[int, int] = field(default_factory=lambda: {BANK: 0})
    retired: set[int] = field(default_factory=set)
    moves: dict[int, Move] = field(default_factory=dict)

    @property
    def undone(self) -> set[int]:
        """The transfers that were taken back."""
        return {move.undoes for move in self.moves.values() if move.undoes is not None}

    def refusals(self, move: Move) -> set[str]:
        """Every rule that forbids *move*; none: it can be booked."""
        why = set()
        wrong = self.moves.get(move.undoes) if move.undoes is not None else None
        brought_back = {wrong.from_, wrong.to} if wrong and wrong.reason == "bankrupt" else set()
        if {move.from_, move.to} & self.retired - brought_back:
            why.add("bankrupt")
        if move.from_ != BANK and self.accounts[move.from_] - move.amount < self.least:
            why.add("no funds")
        if move.to != BANK and self.accounts[move.to] + move.amount > self.edition.money.largest:
            why.add("too much")
        return why

    @property
    def least(self) -> int:
        """What no card can have less of."""
        return -self.edition.money.largest if self.edition.may_owe else 0

    def last_to_undo(self) -> int | None:
        """The last transfer that can be taken back."""
        able = [n for n, move in self.moves.items() if move.reason not in ("start", "undo") and n not in self.undone]
        return max(able, default=None)

    def opposite(self, number: int) -> Move:
        """What takes transfer *number* back."""
        wrong = self.moves[number]
        return Move(wrong.to, wrong.from_, wrong.amount, "undo", number)

    def book(self, number: int, move: Move) -> None:
        """Transfer *number* was made: it must be one that the rules allow."""
        assert move.amount > 0, f"transfer {number} moves nothing: {move}"
        assert move.from_ != move.to, f"transfer {number} goes nowhere: {move}"
        self._check_reason(number, move)
        if move.reason == "start":
            self.accounts[move.to] = 0
        broken = self.refusals(move)
        assert not broken, f"transfer {number} was booked against the rules {broken}: {move}"
        self.accounts[move.from_] -= move.amount
        self.accounts[move.to] += move.amount
        self.moves[number] = move
        if move.reason == "bankrupt":
            self.retired.add(move.from_ or move.to)
        if move.undoes is not None and self.moves[move.undoes].reason == "bankrupt":
            self.retired -= {move.from_, move.to}
        assert sum(self.accounts.values()) == 0

    def _check_reason(self, number: int, move: Move) -> None:
        cards = {move.from_, move.to} - {BANK}
        match move.reason:
            case "start":
                right = move.from_ == BANK and move.to not in self.accounts and move.amount == self.edition.start
            case "undo":
                wrong = move.undoes
                right = wrong in self.moves and wrong not in self.undone and move == self.opposite(wrong)
                right = right and wrong is not None and self.moves[wrong].reason not in ("start", "undo")
            case "received":
                right = move.from_ == BANK
            case "salary":
                right = move.from_ == BANK and move.amount == self.edition.salary
            case "paid":
                right = move.to == BANK
            case "players":
                right = len(cards) == 2
            case "coins":
                right = move.from_ == BANK and (edition := self.edition.block) is not None
                right = right and edition is not None and move.amount in {n * edition.coin for n in range(1, 7)}
            case "laugh" | "game_over":
                right = move.to == BANK and (edition := self.edition.block) is not None
                right = right and edition is not None and move.amount == getattr(edition, move.reason)
            case "bankrupt":
                gives = move.from_ != BANK and move.amount == self.accounts[move.from_]
                right = gives or (move.from_ == BANK and move.amount == -self.accounts[move.to])
            case _:
                right = False
        assert right, f"transfer {number} is not what its reason says: {move}"
        assert move.reason == "start" or cards <= self.accounts.keys(), (
            f"transfer {number} of a card without an account"
        )


class Books:
    """Every game, and the one that is on."""

    def __init__(self) -> None:
        self.games: dict[int, Game] = {}
        self.on = 0
        self.last = 0
        """The number of the last transfer of all."""

    @property
    def game(self) -> Game:
        """The game that is on."""
        return self.games[self.on]

    def begin(self, number: int, edition: Edition) -> None:
        """A new game."""
        assert number == max(self.games, default=0) + 1, f"game {number} follows {max(self.games, default=0)}"
        self.games[number] = Game(edition)
        self.on = number

    def book(self, number: int, game: int, move: Move) -> None:
        """A transfer in the game that is on."""
        assert game == self.on, f"transfer {number} is of game {game}, and {self.on} is on"
        assert number == self.last + 1, f"transfer {number} follows {self.last}"
        self.game.book(number, move)
        self.last = number


def amount_of(text: str, key: str, edition: Edition) -> tuple[int, set[str]]:
    """The amount that is typed as *text* and entered with *key*, and every reason to refuse it."""
    why = set()
    digits = text.replace(".", "")
    if text.count(".") > 1:
        return 0, {"two points"} | ({"too long"} if len(digits) > MOST_DIGITS else set())
    if len(digits) > MOST_DIGITS:
        why.add("too long")
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


def move_of(fields: Mapping[str, object]) -> Move:
    """A ``transfer`` event's move."""
    from_, to, amount, reason, undoes = (fields[name] for name in ("from", "to", "amount", "reason", "undoes"))
    assert isinstance(from_, int)
    assert isinstance(to, int)
    assert isinstance(amount, int)
    assert undoes is None or isinstance(undoes, int)
    return Move(from_, to, amount, str(reason), undoes)
