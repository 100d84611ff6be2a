"""The state of the unit apart from the game, and the effects of a key, a card or a request."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import TYPE_CHECKING, ClassVar, Literal, Protocol

from reboard.accessories.banker_unit.payments import NO_PAYMENTS, Payment, Payments, book
from reboard.accessories.banker_unit.schema import BANK, POT
from reboard.accessories.banker_unit.texts import Text, Texts
from reboard.errors import Rejection

if TYPE_CHECKING:
    from reboard.accessories.banker_unit.game_records import EndedGame
    from reboard.accessories.banker_unit.game_session import GameSession
    from reboard.accessories.banker_unit.schema import Transfer
    from reboard.editions.edition import Edition
    from reboard.editions.money import Money

Side = Literal["left", "right"]
"""The side of a slot. The card in the left slot receives money, and the card in the right slot pays."""

OTHER_SIDE: Mapping[Side, Side] = {"left": "right", "right": "left"}

Lines = tuple[str, str]

MOST_TYPED = 13
"""The maximum number of characters in a typed amount. A longer amount does not fit on the line of a card."""

REST_S = 1.0
"""The pause after which the next key starts a new amount when the entry is torn, in seconds."""

REST_AFTER_WAKING_S = 2.0
"""The pause that replaces `REST_S` if the lost key woke the unit, in seconds: the time for which a notice is shown."""

REST_BEFORE_CARD_S = 0.5
"""The pause without a key after which an inserted card starts a new amount when the entry is torn, in seconds."""

OUT_S = 0.2
"""The shortest time for which a player takes a card out, in seconds. A shorter gap is a reading error."""


@dataclass(frozen=True, slots=True)
class Entry:
    """The amount that the user is typing. *text* holds its digits and points, unchecked until `amount`.

    An entry is torn if its first digits are lost. Users type on for a while before they look at the display, and the
    remaining digits must not become an amount. A torn entry rejects digits until there is a pause, an entering key is
    pressed, or the entry is cleared.

    *lost* is the first key of the amount if that key woke the unit. *into_pot* is whether the amount goes into the Free
    Parking pot. Times are on the event loop's clock.
    """

    text: str = ""
    into_pot: bool = False
    is_torn: bool = False
    lost: str = ""
    key_at: float = -inf
    torn_at: float = -inf

    def pressed(self, at: float) -> Entry:
        """Return the entry after a key press at *at*. A torn entry is no longer torn after a pause."""
        rested_s = at - max(self.key_at, self.torn_at)
        rest_s = REST_AFTER_WAKING_S if self.lost else REST_S
        return replace(self, is_torn=self.is_torn and rested_s < rest_s, key_at=at)

    def card_in(self, at: float) -> Entry:
        """Return the entry after a card was inserted at *at*.

        A torn entry is no longer torn after a pause, unless its first key woke the unit.
        """
        is_new = not self.lost and at - self.key_at >= REST_BEFORE_CARD_S and at - self.torn_at >= OUT_S
        return replace(self, is_torn=self.is_torn and not is_new)

    @property
    def can_begin_with_point(self) -> bool:
        """Whether a point would be the first key of an amount."""
        return not self.text and not (self.is_torn and self.lost != ".")

    def type(self, key: str) -> Entry:
        """Return the entry with a digit or a point added. ``K`` adds two zeros, or nothing to an empty entry.

        A key that would exceed `MOST_TYPED` characters adds nothing. Raises ``Rejection("torn")`` if the entry is torn.
        """
        if self.is_torn:
            raise Rejection("torn")
        added = "00" * bool(self.text) if key == "K" else key
        return replace(self, text=self.text + added) if len(self.text + added) <= MOST_TYPED else self

    def amount(self, key: str, money: Money) -> int:
        """Return the amount that *key* enters. Raises `Rejection` if the entry is torn or not valid."""
        if self.is_torn:
            raise Rejection("torn")
        return money.typed(self.text, key)

    def cleared(self, *, into_pot: bool = False) -> Entry:
        """Return the entry without an amount, so that the next digit or point starts a new amount."""
        return replace(self, text="", is_torn=False, into_pot=into_pot)

    def torn(self, lost: str = "") -> Entry:
        """Return a torn entry without an amount. *lost* is the key that woke the unit, or ``""``."""
        return replace(self, text="", is_torn=True, lost=lost, torn_at=asyncio.get_running_loop().time())


@dataclass(frozen=True, slots=True)
class InsertedCard:
    """A card in a slot. *number* is ``None`` if the card was rejected, and the slot then counts as empty."""

    tag: str
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Retirement:
    """The bankruptcy of a card with a balance of 0, for which there is no transfer."""

    card: int


@dataclass(frozen=True, slots=True)
class Undoable:
    """A transfer or a retirement that ``C`` can undo while its cards are in. *at* is on the event loop's clock."""

    what: Transfer | Retirement
    at: float

    def concerns(self, card: int) -> bool:
        """Return whether *card* took part in the transfer or retirement."""
        if isinstance(self.what, Retirement):
            return self.what.card == card
        return card in (self.what.from_, self.what.to)


@dataclass(frozen=True, slots=True)
class UnitState:
    """The state of the unit, apart from the game. It is immutable, and handlers return a new one."""

    cards: Mapping[Side, InsertedCard] = field(default_factory=dict)
    entry: Entry = Entry()
    dialog: Dialog | None = None
    undoable: tuple[Undoable, ...] = ()
    refused: str = ""
    """The reason why the last input was rejected, or ``""``. If there is a reason, ``C`` only dismisses the notice."""
    hold_counts: bool = True
    """Whether holding and releasing the pressed key has an effect."""
    takes_back: bool = False
    """Whether releasing the pressed ``C`` undoes a transfer or a bankruptcy."""
    deal_started_at: float | None = None
    """The start of the running deal on the event loop's clock, or ``None``. `Effects.deal` starts and stops a deal."""
    payments: Payments = NO_PAYMENTS
    """The payments that players asked for on their phones: those that are waiting, and the latest that have ended."""
    can_show: bool = False
    """Whether there is a display, and it has no fault."""
    question_since: float = -inf
    """The time when `question` last changed, on the event loop's clock."""
    answered: Payment | None = None
    """The payment that the pressed ``C`` rejects or releasing the pressed ``GO`` confirms, or ``None``."""

    def tag(self, side: Side) -> str | None:
        """Return the tag of the card in a slot, or ``None`` if the slot is empty."""
        card = self.cards.get(side)
        return card.tag if card else None

    def number(self, side: Side) -> int | None:
        """Return the number of the card in a slot, or ``None`` if the slot is empty or the card was rejected."""
        card = self.cards.get(side)
        return card.number if card else None

    @property
    def taken(self) -> tuple[Side, ...]:
        """The slots with a card that was not rejected."""
        return tuple(side for side, card in self.cards.items() if card.number)

    @property
    def alone(self) -> int | None:
        """The number of the only card in the slots. ``None`` if there are two cards or none."""
        numbers = [card.number for card in self.cards.values() if card.number]
        return numbers[0] if len(numbers) == 1 else None

    @property
    def question(self) -> Payment | None:
        """The oldest waiting payment, if the unit is otherwise idle. The display shows it, and GO and C answer it.

        With a card in a slot, a typed amount, an open dialog or a running deal, or without a working display, it is
        ``None``, and the keys have their usual meaning.
        """
        is_busy = self.dialog or self.entry.text or self.taken or self.deal_started_at is not None
        return self.payments.waiting[0] if self.payments.waiting and self.can_show and not is_busy else None

    def with_payment_ended(self, payment: Payment, why: str) -> UnitState:
        """Return the state after *payment* has ended for the reason *why*."""
        return replace(self, payments=self.payments.with_ended(payment, why))

    def with_card(self, side: Side, card: InsertedCard | None) -> UnitState:
        """Return the state with *card* in a slot. ``None`` empties the slot."""
        others = {other: present for other, present in self.cards.items() if other != side}
        return replace(self, cards={**others, side: card} if card else others)

    def with_entry(self, entry: Entry) -> UnitState:
        """Return the state with *entry*."""
        return replace(self, entry=entry)

    def with_undoable(self, what: Transfer | Retirement) -> UnitState:
        """Return the state in which the next ``C`` undoes *what*, even after a rejection."""
        undoable = Undoable(what, asyncio.get_running_loop().time())
        return replace(self, undoable=(*self.undoable, undoable), refused="")

    def without_transfer(self, number: int | None) -> UnitState:
        """Return the state without a transfer that was undone."""
        return self._without(lambda each: not isinstance(each.what, Retirement) and each.what.id == number)

    def without_retirement(self, card: int) -> UnitState:
        """Return the state without the retirement of a card that has returned to the game."""
        return self._without(lambda each: each.what == Retirement(card))

    def without_undoable_of(self, card: int) -> UnitState:
        """Return the state without the transfers and the retirement of *card*, which ``C`` can no longer undo."""
        return self._without(lambda each: each.concerns(card))

    def _without(self, is_gone: Callable[[Undoable], bool]) -> UnitState:
        return replace(self, undoable=tuple(each for each in self.undoable if not is_gone(each)))

    def for_another_game(self) -> UnitState:
        """Return the state for another game, without the typed amount, the dialog and anything to undo."""
        return replace(self, undoable=(), entry=self.entry.cleared(), dialog=None)


@dataclass(frozen=True, slots=True)
class Notice:
    """A notice: a text for the display, and the values to fill in."""

    text: str
    values: Mapping[str, object] = field(default_factory=dict)


NO_NOTICE = Notice("")
"""An empty notice, which removes the notice from the display."""


@dataclass(frozen=True, slots=True)
class PotNotice:
    """A notice that shows the balance of the Free Parking pot."""


@dataclass(frozen=True, slots=True)
class TransferNotice:
    """A notice that shows one of the last transfers of *card*. *place* is 1 for the newest."""

    place: int
    card: int
    transfer: Transfer


@dataclass(frozen=True, slots=True)
class LinesNotice:
    """A notice of another accessory. *lines* are one or two, shown for *seconds*."""

    lines: Sequence[str]
    seconds: float


@dataclass(frozen=True, slots=True)
class Effects:
    """The effects of a key, a card or a request. The unit carries them out in the order of the fields.

    A handler that rejects its input raises `Rejection` if the state stays the same, and otherwise sets *rejection*.
    *done* are the slots whose card was used for a payment, or was rejected.
    """

    state: UnitState
    events: Sequence[tuple[str, Mapping[str, object]]] = ()
    done: Sequence[Side] = ()
    deal: Literal["start", "stop"] | None = None
    steps_volume: bool = False
    sound: str | None = None
    notice: Notice | PotNotice | TransferNotice | LinesNotice | None = None
    rejection: Rejection | None = None


async def confirm_payment(payment: Payment, state: UnitState, session: GameSession) -> Effects:
    """Make the transfer for *payment* and end the payment.

    If the transfer is rejected, end the payment with the reason of the rejection. Return the effects.
    """
    try:
        await book(payment, session)
    except Rejection as rejection:
        return replace(end_payment(payment, rejection.why, state), rejection=rejection)
    ended = end_payment(payment, "booked", state)
    return replace(ended, sound="received" if payment.from_ == BANK else "paid")


def end_payment(payment: Payment, why: str, state: UnitState) -> Effects:
    """Return the effects of ending *payment* for the reason *why*, such as ``booked`` or ``rejected``."""
    ended = [("payment.ended", {**payment.as_json(), "why": why})]
    return Effects(state.with_payment_ended(payment, why), ended)


def another_game(state: UnitState, notice: Notice) -> Effects:
    """Return the effects of starting or continuing another game."""
    return Effects(state.for_another_game(), deal="stop", sound="new_game", notice=notice)


@dataclass(frozen=True, slots=True)
class GameView:
    """A copy of the game's data for the display."""

    edition: Edition
    balances: Mapping[int, int]
    retired: frozenset[int]
    names: Mapping[int, str]
    pot: int
    ended: EndedGame | None

    @classmethod
    def of(cls, session: GameSession) -> GameView:
        """Return a copy of the data of the current game."""
        names = {card: session.names.of(card) for card in session.balances}
        return cls(
            session.edition, dict(session.balances), frozenset(session.retired), names, session.pot, session.ended
        )

    @property
    def playing(self) -> list[int]:
        """The cards in the game that have not gone bankrupt."""
        return [card for card in sorted(self.balances) if card not in self.retired]

    def shown(self, amount: int) -> str:
        """Return *amount* in the format of the edition."""
        return self.edition.money.shown(amount)

    def holder(self, account: int, texts: Texts) -> str:
        """Return the name of an account's holder: the bank, the pot, a player's name, or else the card's number."""
        if account == BANK:
            return texts(Text.BANK)
        if account == POT:
            return texts(Text.POT)
        return self.names.get(account) or texts(Text.CARD, number=account)


class Dialog(Protocol):
    """A dialog on the display that handles the keys. Cards can be inserted and removed while it is open."""

    name: ClassVar[str]
    """The name of the dialog in the snapshot."""

    @property
    def patience_s(self) -> float:
        """The time without a key or card after which the dialog closes, in seconds."""

    def lines(self, state: UnitState, game: GameView, texts: Texts) -> Lines:
        """Return the two lines for the display. A notice replaces the second line."""

    async def key(self, key: str, state: UnitState, session: GameSession) -> Effects:
        """Handle a key, and return its effects. Raises `Rejection` if the key is rejected and changes no state."""
