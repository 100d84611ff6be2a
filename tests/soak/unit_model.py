"""A model of the banker unit: what a key or a press of the linked block will do, given the recognised cards."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.soak.money_model import BANK, Game, MoneyModel, Move, amount_of

SLEEP_S = 60.0
MOST_TYPED = 13
REST_S = 1.0
"""After the beginning of an amount was lost, no key begins another until the keypad has rested for this long."""
REST_AFTER_WAKING_S = 2.0
REST_BEFORE_CARD_S = 0.5
OUT_S = 0.2

Outcome = tuple[object, ...]
"""One effect of a touch: ``("refused", why)``, a `Move`, or the name of an event alone."""

NOTHING: Outcome = ()


@dataclass
class UnitModel:
    """The state of the unit that decides what keys do."""

    money: MoneyModel
    slots: dict[str, int | None] = field(default_factory=dict)
    """The cards in the slots; ``None`` for a card that was refused."""
    typed: str = ""
    fresh: list[tuple[int, float]] = field(default_factory=list)
    """The transfers that ``C`` can take back, and their times."""
    deal_since: float | None = None
    touched_at: float = 0.0
    torn: bool = False
    """Whether the beginning of the amount was lost."""
    lost: str = ""
    """The key that was lost, if there was one and it is known."""
    key_at: float = 0.0
    torn_at: float = 0.0
    refused: bool | None = False
    """Whether something was refused and nothing touched since; ``None``: unknown."""
    unsure_until: float = 0.0
    """Until then `torn` is uncertain."""
    block_pressed: bool = False
    """Whether the outcome of a press of the linked block is not reported yet. The bank books before it or after it."""
    block_brought: Outcome | None = None
    due: set[Outcome] = field(default_factory=set)
    """The bank must report one of these for the linked block."""

    @property
    def game(self) -> Game:
        return self.money.game

    @property
    def cards(self) -> list[int]:
        """The cards that play."""
        return [number for number in self.slots.values() if number]

    def restarted(self, now: float) -> None:
        self.slots.clear()
        self.game_changed()
        self.refused = False
        self.deal_since = None
        self.touched_at = now
        self.due, self.block_pressed = set(), False

    def game_changed(self) -> None:
        self.fresh.clear()
        self.typed = ""
        self.torn = False

    def is_asleep(self, now: float) -> bool:
        """Whether the next key only wakes it."""
        return now - self.touched_at >= SLEEP_S

    def falls_asleep(self, now: float) -> bool:
        """Whether it falls asleep just now, when a card that was only tapped leaves by itself."""
        return abs(now - self.touched_at - SLEEP_S) < 0.1

    def rested_at(self) -> float:
        """When a digit begins an amount again."""
        busy_at = max(self.key_at, self.torn_at)
        return busy_at + (REST_AFTER_WAKING_S if self.lost else REST_S) if self.torn else 0.0

    def expects(self, key: str, now: float) -> set[Outcome]:
        """The possible outcomes of a key that goes down while the unit is awake."""
        if self.refused and key == "C":
            return {NOTHING}
        is_torn = now < self.rested_at()
        if is_torn and key == "." and not self.cards and self.lost == ".":
            return {NOTHING}
        if is_torn and key not in ("GO", "DEAL"):
            why = "no card" if self._enters(key) and not self.cards else "torn"
            return {NOTHING if key == "C" else ("refused", why)}
        if key == "GO":
            left = self.slots.get("left")
            if not left:
                return {("refused", "no card")}
            return self._allowed(Move(BANK, left, self.game.edition.salary, "salary"))
        if key == "DEAL":
            return {NOTHING if self.deal_since is not None else ("deal.started",)}
        if key == "C":
            return self._correction() | ({NOTHING} if self.refused is None else set())
        return self._entered(key) if self._enters(key) else {NOTHING}

    def wake(self, key: str, now: float) -> None:
        self.typed = ""
        if key in "0123456789.":
            self.torn, self.lost = True, key
            self.key_at = self.torn_at = now

    def press(self, key: str, now: float, *, was_refused: bool | None) -> None:
        """A key went down while the unit was awake."""
        if now >= self.rested_at():
            self.torn = False
        self.key_at = now
        if key == "C" and was_refused:
            self.torn = False
        elif key in ("GO", "C") or self._enters(key):
            self.typed = ""
            self.torn = False
        elif key != "DEAL" and not self.torn and (key != "." or self.cards or self.typed):
            added = "00" * bool(self.typed) if key == "K" else key
            if len(self.typed + added) <= MOST_TYPED:
                self.typed += added

    def _enters(self, key: str) -> bool:
        return key == "M" or (key == "K" and self.game.edition.money.units)

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
        left, right = self.slots.get("left"), self.slots.get("right")
        if not left and not right:
            why.add("no card")
        if why:
            return {("refused", reason) for reason in why}
        reason = "players" if left and right else "received" if left else "paid"
        return self._allowed(Move(right or BANK, left or BANK, amount, reason))

    def _allowed(self, move: Move) -> set[Outcome]:
        return {("refused", reason) for reason in self.game.refusals(move)} or {move}

    def booked(self, number: int, move: Move, now: float) -> None:
        if move.undoes is not None:
            self.fresh = [(other, at) for other, at in self.fresh if other != move.undoes]
        elif move.reason != "start":
            self.fresh.append((number, now))

    def inserted(self, slot: str, number: int | None, now: float) -> None:
        assert slot not in self.slots, f"a card came into the {slot} slot, and {self.slots[slot]} had not left"
        assert number is None or number not in self.cards, f"card {number} is in both slots"
        self.slots[slot] = number
        self.refused = False
        if self.is_asleep(now):
            self.typed = ""
        rested_s = min(now - self.key_at - REST_BEFORE_CARD_S, now - self.torn_at - OUT_S)
        if self.torn and abs(rested_s) < 0.3:
            self.unsure_until = now + 4
        if not self.lost and rested_s >= 0:
            self.torn = False
        self.touched_at = max(self.touched_at, now)

    def removed(self, slot: str, now: float) -> None:
        number = self.slots.pop(slot, None)
        self.refused = False
        if self.is_asleep(now) or self.falls_asleep(now):
            self.typed = ""
        if number:
            if self.typed:
                self.torn, self.lost, self.torn_at = True, "", now
            self.typed = ""
            moves = self.game.moves
            self.fresh = [(n, at) for n, at in self.fresh if number not in (moves[n].from_, moves[n].to)]
        self.touched_at = max(self.touched_at, now)

    def press_block(self) -> None:
        self.block_pressed, self.block_brought = True, None

    def is_of_block(self, rejection: Outcome) -> bool:
        """Whether the rejection is of what the block brought, not of a key."""
        return self.block_pressed or rejection in self.due

    def block_came(self, outcome: Outcome, *, excused: bool) -> None:
        """The bank booked or refused something of the block's; anything if it is *excused*."""
        if self.due or not self.block_pressed:
            assert outcome in self.due or excused, f"the block should bring one of {self.due}, and {outcome} came of it"
            self.due = set()
        else:
            self.block_brought = outcome

    def block_outcome(self, outcome: str, coins: int, *, excused: bool) -> None:
        self.block_pressed = False
        if not excused:
            brought = self.block_brought
            due = self._of_block(outcome, coins, booked=isinstance(brought, Move))
            assert brought is None or brought in due, f"the block brought {outcome} {coins}, and {brought} came of it"
            self.due = set() if brought else due

    def _of_block(self, outcome: str, coins: int, *, booked: bool) -> set[Outcome]:
        """The effects of the block's outcome on the only card that is in, or the transfer if it was *booked*."""
        block = self.game.edition.outcomes.get("block")
        if not self.cards or block is None or outcome == "power_up":
            return set()
        if len(self.cards) > 1:
            return {("refused", "two cards")}
        (card,) = self.cards
        if outcome == "coins":
            move = Move(BANK, card, coins * block["coins"], outcome)
        else:
            move = Move(card, BANK, -block[outcome], outcome)
        return {move} if booked else self._allowed(move)
