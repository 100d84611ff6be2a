"""The banker unit as the design has it: what a key will do, given the cards that were recognised."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.soak.books import BANK, Books, Game, Move, amount_of

SLEEP_S = 60.0
MOST_TYPED = 13
REST_S = 1.0
"""What is typed is no amount after its beginning was lost, until the keypad has rested for so long."""
REST_AFTER_WAKING_S = 2.0
REST_BEFORE_CARD_S = 0.5
OUT_S = 0.2

Outcome = tuple[object, ...]
"""One thing that a touch brings about: ``("refused", why)``, a `Move`, or the name of an event alone."""

NOTHING: Outcome = ()


@dataclass
class Banker:
    """What the unit knows, as far as it decides what keys do."""

    books: Books
    seats: dict[str, int | None] = field(default_factory=dict)
    """The cards in the slots; ``None`` for one that was refused."""
    typed: str = ""
    fresh: list[tuple[int, float]] = field(default_factory=list)
    """The transfers that ``C`` can take back, and when they were made."""
    deal_since: float | None = None
    touched_at: float = 0.0
    torn: bool = False
    lost: str = ""
    """The only key of what was lost, where that is known."""
    key_at: float = 0.0
    torn_at: float = 0.0
    """When a key went down last, or what was typed was lost."""
    refused: bool | None = False
    """Whether something was refused and nothing touched since; ``None``: unknown."""
    unsure_until: float = 0.0
    """Until then nobody can know whether what is typed is torn."""

    @property
    def game(self) -> Game:
        """The game that is on."""
        return self.books.game

    @property
    def cards(self) -> list[int]:
        """The cards that play."""
        return [number for number in self.seats.values() if number]

    def restarted(self, now: float) -> None:
        """It was off."""
        self.seats.clear()
        self.fresh.clear()
        self.typed = ""
        self.torn = False
        self.refused = False
        self.deal_since = None
        self.touched_at = now

    def sleeps(self, now: float) -> bool:
        """Whether the next key only wakes it."""
        return now - self.touched_at >= SLEEP_S

    def falls_asleep(self, now: float) -> bool:
        """Whether it falls asleep just now, when a card that was only tapped leaves by itself."""
        return abs(now - self.touched_at - SLEEP_S) < 0.1

    def rests_from(self) -> float:
        """When a digit begins an amount again."""
        busy_at = max(self.key_at, self.torn_at)
        return busy_at + (REST_AFTER_WAKING_S if self.lost else REST_S) if self.torn else 0.0

    def expects(self, key: str, now: float) -> set[Outcome]:
        """What may come of a key that goes down while the unit is awake."""
        edition = self.game.edition
        if self.refused and key == "C":
            return {NOTHING}
        is_torn = now < self.rests_from()
        if is_torn and key == "." and not self.cards and self.lost == ".":
            return {NOTHING}
        if is_torn and key not in ("GO", "DEAL"):
            enters = key == "M" or (key == "K" and edition.money.units)
            return {NOTHING if key == "C" else ("refused", "no card" if enters and not self.cards else "torn")}
        if key == "GO":
            left = self.seats.get("left")
            if not left:
                return {("refused", "no card")}
            return self._allowed(Move(BANK, left, edition.salary, "salary"))
        if key == "DEAL":
            return {NOTHING if self.deal_since is not None else ("deal.started",)}
        if key == "C":
            return self._correction() | ({NOTHING} if self.refused is None else set())
        if key == "M" or (key == "K" and edition.money.units):
            return self._entered(key)
        return {NOTHING}

    def linked(self, outcome: str, coins: int, *, booked: bool = False) -> set[Outcome]:
        """What is booked of what the block brought, or was: on the only card that is in."""
        block = self.game.edition.block
        if not self.cards or block is None or outcome == "power_up":
            return set()
        if len(self.cards) > 1:
            return {("refused", "two cards")}
        (card,) = self.cards
        if outcome == "coins":
            move = Move(BANK, card, coins * block.coin, outcome)
        else:
            move = Move(card, BANK, block.laugh if outcome == "laugh" else block.game_over, outcome)
        return {move} if booked else self._allowed(move)

    def wake(self, key: str, now: float) -> None:
        """A key woke the unit."""
        self.typed = ""
        if key in "0123456789.":
            self.torn, self.lost = True, key
            self.key_at = self.torn_at = now

    def press(self, key: str, now: float, *, was_refused: bool | None) -> None:
        """A key went down while the unit was awake."""
        units = self.game.edition.money.units
        if now >= self.rests_from():
            self.torn = False
        self.key_at = now
        if key == "C" and was_refused:
            self.torn = False
        elif key in ("GO", "C", "M") or (key == "K" and units):
            self.typed = ""
            self.torn = False
        elif key != "DEAL" and self.torn:
            pass
        elif key != "DEAL" and (key != "." or self.cards or self.typed):
            added = "00" * bool(self.typed) if key == "K" else key
            if len(self.typed + added) <= MOST_TYPED:
                self.typed += added

    def _correction(self) -> set[Outcome]:
        last = self.fresh[-1] if self.fresh else None
        if self.typed:
            return {NOTHING}
        if self.deal_since is not None and (last is None or last[1] <= self.deal_since):
            return {("deal.cancelled",)}
        if last:
            return self._allowed(self.game.opposite(last[0]))
        return {("refused", "nothing to undo")} if self.cards else {NOTHING}

    def _entered(self, key: str) -> set[Outcome]:
        amount, why = amount_of(self.typed, key, self.game.edition)
        left, right = self.seats.get("left"), self.seats.get("right")
        if not left and not right:
            why.add("no card")
        if why:
            return {("refused", reason) for reason in why}
        reason = "players" if left and right else "received" if left else "paid"
        return self._allowed(Move(right or BANK, left or BANK, amount, reason))

    def _allowed(self, move: Move) -> set[Outcome]:
        why = self.game.refusals(move)
        return {("refused", reason) for reason in why} or {move}

    # What it is told.

    def booked(self, number: int, move: Move, now: float) -> None:
        """A transfer was told."""
        if move.undoes is not None:
            self.fresh = [(other, at) for other, at in self.fresh if other != move.undoes]
        elif move.reason != "start":
            self.fresh.append((number, now))

    def inserted(self, slot: str, number: int | None, now: float) -> None:
        """A card was recognised."""
        assert slot not in self.seats, f"a card came into the {slot} slot, and {self.seats[slot]} had not left"
        assert number is None or number not in self.cards, f"card {number} is in both slots"
        self.seats[slot] = number
        self.refused = False
        if self.sleeps(now):
            self.typed = ""
        rested_s = min(now - self.key_at - REST_BEFORE_CARD_S, now - self.torn_at - OUT_S)
        if self.torn and abs(rested_s) < 0.3:
            self.unsure_until = now + 4
        if not self.lost and rested_s >= 0:
            self.torn = False
        self.touched_at = max(self.touched_at, now)

    def removed(self, slot: str, now: float) -> None:
        """A card left."""
        number = self.seats.pop(slot, None)
        self.refused = False
        if self.sleeps(now) or self.falls_asleep(now):
            self.typed = ""
        if number:
            if self.typed:
                self.torn, self.lost, self.torn_at = True, "", now
            self.typed = ""
            moves = self.game.moves
            self.fresh = [(n, at) for n, at in self.fresh if number not in (moves[n].from_, moves[n].to)]
        self.touched_at = max(self.touched_at, now)

    def another_game(self) -> None:
        """Nothing that was half done counts any more."""
        self.fresh.clear()
        self.typed = ""
        self.torn = False
