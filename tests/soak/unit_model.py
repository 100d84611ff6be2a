"""A model of the banker unit: what a key or a press of the linked block will do, given the recognised cards."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from tests.soak.money_model import BANK, PAID, Game, MoneyModel, Move, amount_of

SLEEP_S = 60.0
MOST_TYPED = 13
HEAL_S = 10.0
"""A broken amount is cleared when no key was pressed for this long."""
POINT_S = 3.0
"""A point that stepped the volume begins an amount if a digit follows within this time."""
OFFER_S = 10.0
EVERYONE_S = 1.5
"""The time after which a held entering key is for everyone."""
NEVER = float("inf")

Outcome = tuple[object, ...]
"""One effect of a touch: ``("refused", why)``, a `Move`, or the name of an event alone."""
Outcomes = tuple[Outcome, ...]

NOTHING: Outcomes = ()


def refused(why: Iterable[str]) -> set[Outcomes]:
    return {(("refused", reason),) for reason in why}


@dataclass(frozen=True)
class Offer:
    """What ``GO`` does until a time: the undo of the transfers *undoes*, or else *moves*."""

    until: float
    undoes: tuple[int, ...] = ()
    moves: tuple[Move, ...] = ()


UNKNOWN = Offer(NEVER)


@dataclass
class UnitModel:
    """The state of the unit that decides what keys do."""

    money: MoneyModel
    slots: dict[str, int | None] = field(default_factory=dict)
    """The cards in the slots; ``None`` for a card that was rejected."""
    why: dict[str, str] = field(default_factory=dict)
    """Why the card in a slot was rejected."""
    typed: str = ""
    broken: bool = False
    """Whether digits of the amount were lost."""
    entry_until: float = NEVER
    """When a broken amount, or a point that stepped the volume, is cleared."""
    offer: Offer | None = None
    last_amount: int = 0
    fresh: list[tuple[list[int], float]] = field(default_factory=list)
    """The acts that ``C`` can take back, newest last: their transfers, and when."""
    deal_since: float | None = None
    touched_at: float = 0.0
    refused: bool | None = False
    """Whether ``C`` only dismisses a rejection; ``None``: unknown."""
    unsure_until: float = 0.0
    """Until then the state is uncertain."""
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

    @property
    def rejected(self) -> set[str]:
        """Why cards in the slots were rejected."""
        return {self.why.get(slot, "") for slot, number in self.slots.items() if number is None}

    @property
    def shown(self) -> str:
        """The amount on the display."""
        return "?" * self.broken + self.typed

    @property
    def is_volume(self) -> bool:
        return self.typed == "." and not self.broken and self.entry_until < NEVER

    def restarted(self, now: float) -> None:
        self.slots.clear()
        self.game_changed()
        self.refused = False
        self.deal_since = None
        self.touched_at = now
        self.due, self.block_pressed = set(), False

    def game_changed(self) -> None:
        self.fresh.clear()
        self.clear()
        self.offer = None
        self.last_amount = 0

    def clear(self) -> None:
        self.typed, self.broken, self.entry_until = "", False, NEVER

    def break_(self, now: float) -> None:
        self.typed, self.broken, self.entry_until = "", True, now + HEAL_S

    def is_asleep(self, now: float) -> bool:
        """Whether the next key only wakes it."""
        return now - self.touched_at >= SLEEP_S

    def falls_asleep(self, now: float) -> bool:
        """Whether it falls asleep just now, when a card that was only tapped leaves by itself."""
        return abs(now - self.touched_at - SLEEP_S) < 0.1

    def let_pass(self, now: float) -> None:
        """Clear what time has cleared."""
        if self.is_asleep(now):
            self.refused = False
        if self.is_asleep(now) or now >= self.entry_until:
            self.clear()
        if self.offer and now >= self.offer.until:
            self.offer = None

    def is_between(self, now: float) -> bool:
        """Whether a time ends just now."""
        until = self.offer.until if self.offer else NEVER
        return any(abs(now - end) < 0.3 for end in (until, self.entry_until))

    # Keys.

    def expects(self, key: str, held_s: float) -> set[Outcomes]:
        """The possible outcomes of a key while the unit is awake, but not those of a held ``C``."""
        if self.offer:
            if key == "GO":
                return self._accepted(self.offer)
            return {NOTHING} if key == "C" else refused(["answer"])
        if key == "C" and self.refused:
            return {NOTHING}
        match key:
            case "GO":
                return self._salary()
            case "DEAL":
                return {NOTHING if self.deal_since is not None else (("deal.started",),)}
            case "C":
                return self._corrected() | ({NOTHING} if self.refused is None else set())
        return self._entered(key, held_s) if self._enters(key) else {NOTHING}

    def wake(self, key: str, now: float) -> None:
        self.clear()
        if key in "0123456789.":
            self.break_(now)

    def press(self, key: str, held_s: float, now: float, *, was_refused: bool | None) -> None:
        """A key went down *now* while the unit was awake."""
        if self.broken:
            self.entry_until = now + HEAL_S
        if self.offer:
            self._answer(key, now)
        elif key == "C":
            self._correct(now, dismisses=bool(was_refused), held_s=held_s)
        elif self._enters(key):
            offers = self._offers(key, held_s)
            self.clear()
            if offers:
                self.offer = Offer(now + OFFER_S + held_s * (held_s >= EVERYONE_S), moves=offers)
        elif key not in ("GO", "DEAL"):
            self._type(key, now)

    def _answer(self, key: str, now: float) -> None:
        if key == "C" or self._enters(key) or (key == "GO" and not self.broken):
            self.clear()
        if key in ("C", "GO"):
            self.offer = None
        elif key in "0123456789.":
            self.break_(now)

    def _type(self, key: str, now: float) -> None:
        if key == "." and self.is_volume:
            self.clear()
        steps_volume = key == "." and not (self.cards or self.typed or self.broken)
        added = "00" * bool(self.typed) if key == "K" else key
        if len(self.typed + added) <= MOST_TYPED:
            self.typed += added
            if not self.broken:
                self.entry_until = now + POINT_S if steps_volume else NEVER

    def _enters(self, key: str) -> bool:
        return key == "M" or (key == "K" and self.game.edition.money.units)

    def _salary(self) -> set[Outcomes]:
        if self.shown:
            return refused(["torn" if self.broken else "m enters"])
        left = self.slots.get("left")
        if self.rejected or not left:
            return refused(self.rejected or ["wrong slot" if self.cards else "no card"])
        return self._allowed(Move(BANK, left, self.game.edition.salary, "salary"))

    def _corrected(self) -> set[Outcomes]:
        if self.shown or self._undoable():
            return {NOTHING}
        if self.deal_since is not None:
            return {(("deal.cancelled",),)}
        return refused(["nothing to undo"]) if self.cards and not self._ghost() else {NOTHING}

    def _correct(self, now: float, *, dismisses: bool, held_s: float) -> None:
        if dismisses:
            if self.broken:
                self.clear()
        elif self.shown:
            self.clear()
        elif numbers := self._undoable():
            self.offer = Offer(now + OFFER_S, undoes=tuple(numbers))
        elif (ghost := self._ghost()) and self.deal_since is None:
            self.offer = Offer(now + OFFER_S, moves=(Move(ghost, BANK, self.game.accounts[ghost], "left"),))
        if held_s >= 3:
            self.offer = None

    def _undoable(self) -> list[int]:
        """The newest act, unless a deal is newer."""
        numbers, at = self.fresh[-1] if self.fresh else ([], 0.0)
        return numbers if self.deal_since is None or at > self.deal_since else []

    def _ghost(self) -> int | None:
        """The only card, if it only joined the game."""
        card = self.cards[0] if len(self.cards) == 1 else BANK
        return card if card in self.game.in_game and not self.game.plays(card) and not self.fresh else None

    def _entered(self, key: str, held_s: float) -> set[Outcomes]:
        if self.broken:
            return refused(["torn"])
        if self.rejected or not self.cards:
            return refused(self.rejected or ["no card"])
        amount, why = amount_of(self.typed, key, self.game.edition)
        if not self.typed and self.last_amount:
            return {NOTHING}
        if not why and self._is_for_everyone(held_s):
            return {NOTHING} if self._offers(key, held_s) else refused(self._each_refused(amount))
        return refused(why) if why else self._allowed(self._payment(amount))

    def _payment(self, amount: int) -> Move:
        left, right = self.slots.get("left"), self.slots.get("right")
        reason = "players" if left and right else "received" if left else "paid"
        return Move(right or BANK, left or BANK, amount, reason)

    def _is_for_everyone(self, held_s: float) -> bool:
        return bool(self.typed) and len(self.cards) == 1 and held_s >= EVERYONE_S

    def _offers(self, key: str, held_s: float) -> tuple[Move, ...]:
        """What an entering key offers."""
        if self.broken or self.rejected or not self.cards:
            return ()
        if not self.typed:
            return (self._payment(self.last_amount),) if self.last_amount else ()
        amount, why = amount_of(self.typed, key, self.game.edition)
        if why or not self._is_for_everyone(held_s) or self._each_refused(amount):
            return ()
        return self._each(amount)

    def _each(self, amount: int) -> tuple[Move, ...]:
        (card,) = self.cards
        others = [other for other in self.game.in_game if other != card]
        if self.slots.get("left"):
            return tuple(Move(other, card, amount, "each_received") for other in others)
        return tuple(Move(card, other, amount, "each_paid") for other in others)

    def _each_refused(self, amount: int) -> set[str]:
        (card,), moves = self.cards, self._each(amount)
        if card not in self.game.in_game:
            return {"bankrupt", "left"}
        return {"no funds"} & self.game.refusals_of(moves) if moves else {"no players"}

    def _accepted(self, offer: Offer) -> set[Outcomes]:
        moves = tuple(map(self.game.opposite, offer.undoes)) or offer.moves
        return refused(self.game.refusals_of(moves)) or {moves}

    def _allowed(self, move: Move) -> set[Outcomes]:
        return refused(self.game.refusals(move)) or {(move,)}

    # What happens.

    def booked(self, number: int, move: Move, now: float) -> None:
        if move.undoes is not None:
            self.fresh = [(numbers, at) for numbers, at in self.fresh if move.undoes not in numbers]
            if self.offer and move.undoes in self.offer.undoes:
                self.offer = None
        elif move.reason == PAID:
            self.fresh.clear()
            self.offer = None if self.offer and self.offer.undoes else self.offer
        elif move.reason != "start":
            if move.reason.startswith("each") and self.fresh and number in self.game.act_of(self.fresh[-1][0][-1]):
                self.fresh[-1][0].append(number)
            else:
                self.fresh.append(([number], now))
            self.refused = False
        if move.reason in ("received", "paid", "players", "each_paid", "each_received"):
            self.last_amount = move.amount

    def inserted(self, slot: str, number: int | None, now: float) -> None:
        # it was still in the other slot when it came
        is_twin = self.slots.get(slot, 0) is None and self.why.get(slot) == "same card twice"
        assert slot not in self.slots or is_twin, (
            f"a card came into the {slot} slot, and {self.slots[slot]} had not left"
        )
        assert number is None or number not in self.cards, f"card {number} is in both slots"
        self.let_pass(now)
        self.slots[slot] = number
        self.refused, self.offer = False, None
        self.touched_at = max(self.touched_at, now)
        if number and self.money.current:
            self.game.left.discard(number)

    def removed(self, slot: str, now: float, *, is_done: bool) -> None:
        """A card left; if it *is_done*, the unit itself let go of it after a transfer."""
        number = self.slots.pop(slot, None)
        self.offer = None
        if is_done:
            return
        self.refused = False
        self.let_pass(now)
        if number:
            if self.falls_asleep(now):
                self.clear()
            if self.typed:
                self.break_(now)
            self._bar(number)
        self.touched_at = max(self.touched_at, now)

    def _bar(self, card: int) -> None:
        """An act of a card that was taken out stays, and so does every older one."""
        moves = self.game.moves
        of_card = [any(card in (moves[n].from_, moves[n].to) for n in numbers) for numbers, _ in self.fresh]
        newest = max((place for place, is_of in enumerate(of_card, 1) if is_of), default=0)
        self.fresh = self.fresh[newest:]

    # The linked block.

    def press_block(self) -> None:
        self.block_pressed, self.block_brought = True, None

    def is_of_block(self, outcome: Outcome) -> bool:
        """Whether the transfer or the rejection is of what the block brought, not of a key."""
        return self.block_pressed or outcome in self.due

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
        if self.offer or self.rejected or len(self.cards) > 1:
            whys = {"dialog"} if self.offer else self.rejected or {"two cards"}
            return {("refused", why) for why in whys}
        (card,) = self.cards
        if outcome == "coins":
            move = Move(BANK, card, coins * block["coins"], outcome)
        else:
            move = Move(card, BANK, -block[outcome], outcome)
        return {move} if booked else {outcome for (outcome,) in self._allowed(move)}
