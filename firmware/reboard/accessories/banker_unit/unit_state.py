"""The state of the unit, the inputs that change it, and the effects of a change. All of them are immutable."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from reboard.accessories.banker_unit.game_records import CARDS
from reboard.accessories.banker_unit.payments import NO_PAYMENTS, Payment, Payments
from reboard.accessories.banker_unit.schema import BANK, POT
from reboard.accessories.banker_unit.texts import Text, Texts
from reboard.errors import REJECTIONS, Rejection

if TYPE_CHECKING:
    import asyncio

    from reboard.accessories.banker_unit.game_records import EndedGame
    from reboard.accessories.banker_unit.game_session import GameSession
    from reboard.accessories.banker_unit.schema import Transfer
    from reboard.editions.edition import Edition

Side = Literal["left", "right"]
"""The side of a slot. The card in the left slot receives money, and the card in the right slot pays."""

SIDES: tuple[Side, ...] = ("left", "right")
OTHER_SIDE: Mapping[Side, Side] = {"left": "right", "right": "left"}

Lines = tuple[str, str]

MOST_TYPED = 13
"""The maximum number of characters in a typed amount. A longer amount does not fit on the line of a card."""

HEAL_S = 10.0
"""The time without a key after which a broken amount is cleared, in seconds."""

NOTICE_S = 2.0
"""The time for which a notice is shown, in seconds. A key or a card removes it earlier."""


@dataclass(frozen=True, slots=True)
class Entry:
    """The amount that the user is typing. *text* holds its digits and points, unchecked until it is entered.

    An amount that lost a digit *is_broken*: more digits can follow, but it is never entered. *into_pot* is whether the
    amount goes into the Free Parking pot. At *until*, a broken amount is cleared, and so is a point that also stepped
    the volume and has no digit after it.
    """

    text: str = ""
    is_broken: bool = False
    into_pot: bool = False
    until: float = inf

    @property
    def shown(self) -> str:
        """The amount on the display, with a question mark in the place of lost digits."""
        return "?" * self.is_broken + self.text

    def __bool__(self) -> bool:
        return bool(self.text or self.is_broken)

    def typed(self, key: str) -> Entry:
        """Return the entry with a digit or a point added. ``K`` adds two zeros, or nothing to an empty entry.

        A key that would exceed `MOST_TYPED` characters adds nothing, because so many digits are rejected anyway.
        """
        added = "00" * bool(self.text) if key == "K" else key
        if len(self.text + added) > MOST_TYPED:
            return self
        return replace(self, text=self.text + added, until=self.until if self.is_broken else inf)

    def broken(self, at: float) -> Entry:
        """Return a broken entry without its digits, because the user pressed a key at *at* that was lost."""
        return Entry(is_broken=True, into_pot=self.into_pot, until=at + HEAL_S)

    @property
    def is_volume(self) -> bool:
        """Whether the entry is only a point that also stepped the volume."""
        return self.text == "." and not self.is_broken and self.until < inf

    def healed(self) -> Entry:
        """Return the entry without an amount if it is broken."""
        return self.cleared(into_pot=self.into_pot) if self.is_broken else self

    def cleared(self, *, into_pot: bool = False) -> Entry:
        """Return the entry without an amount, so that the next digit or point starts a new amount."""
        return Entry(into_pot=into_pot)


@dataclass(frozen=True, slots=True)
class InsertedCard:
    """A card in a slot. *number* is ``None`` if the card was rejected for the reason *why*."""

    tag: str
    number: int | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Act:
    """What the unit did *at* a time and can take back: *transfers* for one *reason*, in which *cards* took part.

    Without transfers, a card without money went bankrupt, or left the game.
    """

    transfers: tuple[Transfer, ...]
    cards: frozenset[int]
    reason: str
    at: float

    @classmethod
    def of(cls, transfers: Sequence[Transfer | None], at: float, *, card: int = BANK, reason: str = "") -> Act:
        """Return the act of *transfers*. If there may be none, it needs the *card* and the *reason*."""
        made = tuple(transfer for transfer in transfers if transfer)
        cards = {account for transfer in made for account in (transfer.from_, transfer.to)} | {card}
        return cls(made, frozenset(cards - {BANK, POT}), made[0].reason if made else reason, at)


@dataclass(frozen=True, slots=True)
class Notice:
    """A notice: a text for the display, and the values to fill in."""

    text: str
    values: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PotNotice:
    """A notice that shows the balance of the Free Parking pot."""


@dataclass(frozen=True, slots=True)
class TransferNotice:
    """A notice that shows one of the last transfers of *card*. *place* is 1 for the newest."""

    place: int
    card: int
    transfer: Transfer


AnyNotice = Notice | PotNotice | TransferNotice


@dataclass(frozen=True, slots=True)
class GameView:
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

    @classmethod
    def of(cls, session: GameSession) -> GameView:
        """Return a copy of the data of the current game."""
        return cls(
            session.edition,
            dict(session.balances),
            frozenset(session.retired),
            {card: session.names.of(card) for card in CARDS},
            session.pot,
            session.ended,
            session.game,
            frozenset(session.left),
            tuple(session.playing),
            tuple(session.in_game),
            session.is_over,
            len(session.counted_bankruptcies) >= (session.edition.ends_at_bankruptcy or inf),
            session.has_pot,
            session.clock,
            tuple(session.editions()),
        )

    def shown(self, amount: int) -> str:
        """Return *amount* in the format of the edition."""
        return self.edition.money.shown(amount)

    def can_pay(self, account: int, amount: int) -> bool:
        """Return whether *account* can pay *amount* at present. The bank always can."""
        least = -self.edition.money.largest if self.edition.may_owe else 0
        return account == BANK or self.balances.get(account, 0) - amount >= least

    def holder(self, account: int, texts: Texts) -> str:
        """Return the name of an account's holder: the bank, the pot, a player's name, or else the card's number."""
        if account in (BANK, POT):
            return texts(Text.POT if account else Text.BANK)
        return self.names.get(account) or texts(Text.CARD, number=account)


@dataclass(frozen=True, slots=True)
class Dialog:
    """A dialog on the display that handles the keys. Cards can be inserted and removed while it is open.

    What a digit has chosen can be confirmed until *choice_until*. ``inf`` means that nothing is chosen.
    """

    name: ClassVar[str]
    """The name of the dialog in the snapshot."""
    patience_s: ClassVar[float] = 20.0
    """The time without a key or card after which the dialog closes, in seconds."""
    choice_until: float = field(default=inf, kw_only=True)

    def lines(self, state: UnitState, texts: Texts) -> Lines:
        """Return the two lines for the display. A notice replaces the second line."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Down:
    """The pressed key, if holding or releasing it has a meaning.

    *card* was in the left slot when it was pressed, and *answers* is the payment that the display showed.
    """

    key: str
    card: int | None = None
    answers: Payment | None = None


@dataclass(frozen=True, slots=True)
class UnitState:
    """The state of the unit. Times are on the event loop's clock; ``inf`` is a time that never comes."""

    game: GameView
    cards: Mapping[Side, InsertedCard] = field(default_factory=dict)
    entry: Entry = Entry()
    down: Down | None = None
    dialog: Dialog | None = None
    dialog_until: float = inf
    undoable: tuple[Act, ...] = ()
    """The acts that ``C`` can take back, newest last. The first one is newer than any that it cannot take back."""
    last_amount: int = 0
    """The amount of the last payment with an entering key in this game, or 0."""
    refused: str = ""
    """The reason why the last input was rejected, or ``""``. If there is a reason, ``C`` only dismisses it."""
    notice: AnyNotice | None = None
    notice_until: float = inf
    guest: Lines | None = None
    """The lines of another accessory."""
    guest_until: float = inf
    payments: Payments = NO_PAYMENTS
    """The payments that players asked for on their phones: those that are waiting, and the latest that have ended."""
    asked: Payment | None = None
    """The payment that the display has shown as a question since *asked_since*."""
    asked_since: float = -inf
    deal_at: float | None = None
    """The start of the running deal, or ``None``."""
    minute_at: float = inf
    """The end of the current minute of the game clock."""
    touched_at: float = 0.0
    is_asleep: bool = False
    can_show: bool = False
    """Whether there is a display, and it has no fault."""

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
        return tuple(side for side in SIDES if self.number(side))

    @property
    def alone(self) -> int | None:
        """The number of the only card in the slots. ``None`` if there are two cards or none."""
        numbers = [card.number for card in self.cards.values() if card.number]
        return numbers[0] if len(numbers) == 1 else None

    @property
    def rejected(self) -> str:
        """The reason why a card in a slot was rejected, or ``""`` if none was."""
        return next((card.why for card in self.cards.values() if not card.number), "")

    @property
    def is_idle(self) -> bool:
        """Whether no card is in, nothing is typed, no dialog is open, and no deal runs."""
        return not (self.taken or self.entry or self.dialog) and self.deal_at is None

    @property
    def question(self) -> Payment | None:
        """The oldest waiting payment, if the unit is idle. The display shows it, and ``GO`` and ``C`` answer it."""
        return self.payments.waiting[0] if self.payments.waiting and self.can_show and self.is_idle else None

    def with_card(self, side: Side, card: InsertedCard | None) -> UnitState:
        """Return the state with *card* in a slot. ``None`` empties the slot."""
        others = {other: present for other, present in self.cards.items() if other != side}
        return replace(self, cards={**others, side: card} if card else others)

    def with_entry(self, entry: Entry) -> UnitState:
        """Return the state with *entry*."""
        return replace(self, entry=entry)

    def with_dialog(self, dialog: Dialog | None, at: float) -> UnitState:
        """Return the state with *dialog*, whose patience begins at *at*. ``None`` closes the dialog."""
        return replace(self, dialog=dialog, dialog_until=at + dialog.patience_s if dialog else inf)

    def with_act(self, act: Act) -> UnitState:
        """Return the state in which ``C`` can take *act* back."""
        return replace(self, undoable=(*self.undoable, act), refused="")

    def without_acts_of(self, card: int) -> UnitState:
        """Return the state in which ``C`` takes back nothing of *card*, and nothing that is older."""
        last = max((place for place, act in enumerate(self.undoable, 1) if card in act.cards), default=0)
        return replace(self, undoable=self.undoable[last:])

    def without_transfer(self, number: int | None) -> UnitState:
        """Return the state after the act with transfer *number* was undone."""
        return replace(
            self, undoable=tuple(act for act in self.undoable if number not in [made.id for made in act.transfers])
        )

    def saying(self, notice: AnyNotice | None, at: float) -> UnitState:
        """Return the state with *notice* on the display for `NOTICE_S` seconds. ``None`` removes the notice."""
        return replace(self, notice=notice, notice_until=at + NOTICE_S if notice else inf)

    def awake(self, at: float) -> UnitState:
        """Return the state in which the unit is awake, and stays so for another minute."""
        return replace(self, is_asleep=False, touched_at=at)

    def for_another_game(self) -> UnitState:
        """Return the state for another game, without the typed amount, the dialog and anything to undo."""
        return replace(
            self,
            undoable=(),
            last_amount=0,
            entry=Entry(),
            dialog=None,
            dialog_until=inf,
            down=None,
            deal_at=None,
            minute_at=inf,
        )


# Inputs. Each has the time *at* which it came.


@dataclass(frozen=True, slots=True)
class Key:
    """A press of a key."""

    name: str
    at: float


@dataclass(frozen=True, slots=True)
class Released:
    """The release of a key in `HOLDS_S`."""

    name: str
    at: float


@dataclass(frozen=True, slots=True)
class Held:
    """A key that has been down for its time in `HOLDS_S`, and again after each `HELD_ON_S`. *times* counts from 1."""

    name: str
    times: int
    at: float


@dataclass(frozen=True, slots=True)
class Unclear:
    """A press of several keys that the keypad cannot distinguish, or a keypad that can no longer be read."""

    at: float


@dataclass(frozen=True, slots=True)
class CardIn:
    """An inserted card."""

    side: Side
    tag: str
    at: float


@dataclass(frozen=True, slots=True)
class CardOut:
    """A removed card. *is_done* is whether the unit itself let go of a card that was only tapped, after a transfer."""

    side: Side
    at: float
    is_done: bool = False


@dataclass(frozen=True, slots=True)
class Overrun:
    """A loss of inputs because the queue was full. *tags* are those of the cards that are in the slots now."""

    tags: Mapping[Side, str | None]
    at: float


@dataclass(frozen=True, slots=True)
class Tick:
    """The end of the time *due* of a *timer*. See `deadlines`."""

    timer: str
    due: float
    at: float


@dataclass(frozen=True, slots=True)
class DealOver:
    """The end of the deal that began at *deal_at*."""

    deal_at: float
    at: float


@dataclass(frozen=True, slots=True)
class VolumeIs:
    """The volume after a step."""

    level: int
    at: float


@dataclass(frozen=True, slots=True)
class CanShow:
    """A display that has begun or stopped working."""

    can_show: bool
    at: float


@dataclass(frozen=True, slots=True)
class Request:
    """A request from the control socket or another accessory, whose caller waits for *answer*."""

    name: str
    args: Mapping[str, Any]
    answer: asyncio.Future[Any]
    at: float


@dataclass(frozen=True, slots=True)
class Answer:
    """The ledger's answer to *ask*: its result or its rejection, and the *game* after it."""

    ask: Ask
    result: Any
    game: GameView
    at: float


Input = (
    Key
    | Released
    | Held
    | Unclear
    | CardIn
    | CardOut
    | Overrun
    | Tick
    | DealOver
    | VolumeIs
    | CanShow
    | Request
    | Answer
)


# Effects, which the unit carries out in their order.


@dataclass(frozen=True, slots=True)
class Event:
    """An event to emit."""

    name: str
    fields: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sound:
    """A sound to play."""

    name: str


@dataclass(frozen=True, slots=True)
class Deal:
    """A deal that starts *at* a time, or ``None``: to cancel the running one."""

    at: float | None


@dataclass(frozen=True, slots=True)
class Volume:
    """A number of steps by which the volume changes. After the loudest one comes 0."""

    steps: int


@dataclass(frozen=True, slots=True)
class Done:
    """A slot whose card was used for a payment or was rejected, so that a card that was only tapped is out."""

    side: Side


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a request, or the error."""

    request: Request
    answer: object


@dataclass(frozen=True, slots=True)
class Warn:
    """A warning for the log."""

    sentence: str


@dataclass(frozen=True, slots=True)
class Again:
    """An input to handle after the effects before this one."""

    input: Input


@dataclass(frozen=True, slots=True)
class Ask:
    """A call of a method of the game session, which writes or reads the ledger.

    *then* makes the step for the result, and *refused* the step for a rejection. *options* are keyword arguments.
    """

    method: str
    args: tuple[Any, ...]
    then: Callable[[UnitState, Any, float], Step]
    refused: Callable[[UnitState, Rejection, float], Step] = lambda state, rejection, at: refuse(
        state, rejection.why, at
    )
    options: Mapping[str, object] = field(default_factory=dict)


Effect = Event | Sound | Deal | Volume | Done | Reply | Warn | Again | Ask

Step = tuple[UnitState, tuple[Effect, ...]]
"""The state after an input, and the effects of the input."""


def refuse(state: UnitState, why: str, at: float, notice: Notice | None = None) -> Step:
    """Return the step that rejects an input for the reason *why*, a key of `REJECTIONS`."""
    # C does what these two ask for, and otherwise only dismisses the rejection
    kept = "" if why in ("dialog", "answer") else why
    state = replace(state, refused=kept).saying(notice or Notice(REJECTIONS[why].display), at)
    return state, (Event("refused", {"why": why}), Sound("refused"))


def done(state: UnitState) -> tuple[Done, ...]:
    """Return the effects that report a payment to the slots of its cards."""
    return tuple(map(Done, state.taken))


def end_payment(payment: Payment, why: str, state: UnitState) -> Step:
    """Return the step that ends *payment* for the reason *why*, such as ``booked`` or ``rejected``."""
    ended = replace(state, payments=state.payments.with_ended(payment, why))
    return ended, (Event("payment.ended", {**payment.as_json(), "why": why}),)


def another_game(state: UnitState, notice: Notice, at: float) -> Step:
    """Return the step that starts or continues another game."""
    return state.for_another_game().saying(notice, at), (Deal(None), Sound("new_game"))
