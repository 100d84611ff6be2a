"""The state of the unit, which is immutable, and the effects of a change. See `step.step`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from math import inf
from typing import Any, ClassVar

from reboard.accessories.banker_unit import phone_vocabulary
from reboard.accessories.banker_unit.accounts import BANK, CARDS, PaymentEnd
from reboard.accessories.banker_unit.effects import Again, Deal, Done, DrawCode, Reply, Sound, Volume, Warn
from reboard.accessories.banker_unit.game_record import GameRecord
from reboard.accessories.banker_unit.inputs import Asked
from reboard.accessories.banker_unit.payments import NO_PAYMENTS, Payment, Payments
from reboard.accessories.banker_unit.phone_access import PhoneAccess
from reboard.accessories.banker_unit.phone_vocabulary import PaymentEnded
from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.accessories.banker_unit.schema import Transfer
from reboard.accessories.banker_unit.vocabulary import Refused, Side
from reboard.accessories.shared_requests import SHORT_PHONE
from reboard.errors import Rejection, RequestError, Why
from reboard.languages import Texts
from reboard.record import Record, replace
from reboard.vocabulary.declared import Event

SIDES: tuple[Side, ...] = ("left", "right")
OTHER_SIDE: Mapping[Side, Side] = {"left": "right", "right": "left"}

Lines = tuple[str, str]

MOST_TYPED = 13
"""The maximum number of characters in a typed amount. A longer amount does not fit on the line of a card."""

HEAL_S = 10.0
"""The time without a key after which a broken amount is cleared, in seconds."""

MOST_UNDOABLE = 100
"""The maximum number of acts that ``C`` can take back. Only a card that is taken out makes them fewer, not a phone."""

NOTICE_S = 2.0
"""The time for which a notice is shown, in seconds. A key or a card removes it earlier."""


class Ask(Record):
    """A call of a method of the game session with *args* and *options*, which writes or reads the ledger.

    *then* changes the state for the result, and *refused* for a rejection.
    """

    method: str
    args: tuple[Any, ...]
    then: Callable[[UnitState, Any], UnitState]
    refused: Callable[[UnitState, Rejection], UnitState]
    options: Mapping[str, object]


class Answer(Record):
    """The ledger's answer to *ask*: its result or its rejection, and the *game* after it."""

    ask: Ask
    result: Any
    game: GameRecord
    at: float


Effect = Event | Sound | Deal | Volume | DrawCode | Done | Reply | Warn | Again | Ask


# Parts of the state.


class Entry(Record):
    """The amount that the user is typing. *text* holds its digits and points, unchecked until it is entered.

    An amount that lost a digit *is_broken*: more digits can follow, but it is never entered. *into_pot* is whether the
    amount goes into the Free Parking pot. At *until*, a broken amount is cleared, and so is a point that had another
    meaning and has no digit after it: it stepped the volume, or it was held and is not in *text* any more.
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

    @property
    def is_volume(self) -> bool:
        """Whether the entry is only a point that stepped the volume."""
        return self.text == "." and not self.is_broken and self.until < inf

    @property
    def has_lost_point(self) -> bool:
        """Whether a point was held just before, which a digit would make the beginning of an amount."""
        return not self and self.until < inf

    def typed(self, key: str) -> Entry:
        """Return the entry with a digit or a point added. ``K`` adds two zeros, or nothing to an empty entry.

        A key that would exceed `MOST_TYPED` characters adds nothing, because so many digits are rejected anyway.
        """
        added = "00" * bool(self.text) if key == "K" else key
        if len(self.text + added) > MOST_TYPED:
            return self
        return replace(self, text=self.text + added, until=self.until if self.is_broken else inf)


class InsertedCard(Record):
    """A card in a slot. *number* is ``None`` until the ledger knows it, or if it was rejected for the reason *why*."""

    tag: str
    number: int | None = None
    why: Why | None = None


class Act(Record):
    """What the unit did *at* a time and can take back: *transfers* for one *reason*, in which *cards* took part.

    Without transfers, a card without money went bankrupt, or left the game.
    """

    transfers: tuple[Transfer, ...]
    cards: frozenset[int]
    reason: str
    at: float


class Notice(Record):
    """A notice: a text for the display, and the values to fill in."""

    text: str
    values: Mapping[str, object] = field(default_factory=dict)


class PotNotice(Record):
    """A notice that shows the balance of the Free Parking pot."""


class TransferNotice(Record):
    """A notice that shows one of the last transfers of *card*. *place* is 1 for the newest."""

    place: int
    card: int
    transfer: Transfer


AnyNotice = Notice | PotNotice | TransferNotice


class Dialog(Record, ABC):
    """A dialog on the display that handles the keys. Cards can be inserted and removed while it is open."""

    name: ClassVar[str]
    """The name of the dialog in the snapshot."""

    @property
    def patience_s(self) -> float:
        """The time without a key or card after which the dialog closes, in seconds."""
        return 20.0

    @property
    def asks(self) -> bool:
        """Whether the display shows what ``GO`` will do, so that no notice may hide that."""
        return False

    @abstractmethod
    def lines(self, state: UnitState, texts: Texts) -> Lines:
        """Return the two lines for the display. A notice replaces the second line."""


class Down(Record):
    """The pressed key, if holding or releasing it has a meaning.

    *card* was in the left slot when it was pressed, and *answers* is the payment that the display showed. If the key
    *has_woken* the unit, only holding it has a meaning. *offers* is whether releasing ``C`` offers to take back.
    """

    key: str
    card: int | None = None
    answers: Payment | None = None
    has_woken: bool = False
    offers: bool = False


class UnitState(Record):
    """The state of the unit. Times are on the event loop's clock; ``inf`` is a time that never comes.

    Its methods return the state after a change. *now* is the time of the current input, and *effects* are its effects
    so far.
    """

    game: GameRecord
    now: float = 0.0
    effects: tuple[Effect, ...] = ()
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
    guest: tuple[str | Notice, str | Notice] | Payment | None = None
    """The lines of another accessory, the new balance of a card that was only tapped, or what a phone has paid."""
    guest_until: float = inf
    payments: Payments = NO_PAYMENTS
    """The payments that players asked for on their phones: those that are waiting, and the latest that have ended."""
    access: PhoneAccess = PhoneAccess()
    asked: Payment | None = None
    """The payment that the display has shown as a question since *asked_since*."""
    asked_since: float = -inf
    deal_at: float | None = None
    """The start of the running deal, or ``None``."""
    minute_at: float = inf
    """The end of the current minute of the game clock."""
    busy_until: float = -inf
    """The time of the ledger's last answer, if the current input came before it: the user has not seen the answer."""
    touched_at: float = 0.0
    is_asleep: bool = False
    can_show: bool = False
    """Whether there is a display, and it has no fault."""
    is_blind: bool = False
    """Whether the display has a fault, so that the user cannot see what ``GO`` would do."""

    def tag(self, side: Side) -> str | None:
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
        return self.number(self.taken[0]) if len(self.taken) == 1 else None

    @property
    def rejected(self) -> Why | None:
        """The reason why a card in a slot was rejected, or ``None`` if none was."""
        return next((card.why for card in self.cards.values() if card.why), None)

    @property
    def is_idle(self) -> bool:
        """Whether no card is in, nothing is typed, no dialog is open, and no deal runs."""
        return not (self.taken or self.entry or self.dialog) and self.deal_at is None

    @property
    def question(self) -> Payment | None:
        """The oldest waiting payment, if the unit is idle. The display shows it, and ``GO`` and ``C`` answer it."""
        return self.payments.waiting[0] if self.payments.waiting and self.can_show and self.is_idle else None

    @property
    def has_no_display(self) -> bool:
        return not self.can_show and not self.is_blind

    @property
    def phones_now(self) -> phone_vocabulary.PhonesState:
        """The phones in the snapshot."""
        phones = sorted(self.game.phones.items())
        return {"pay": self.game.pay, "cards": {str(card): phone[:SHORT_PHONE] for card, phone in phones}}

    @property
    def shown_code(self) -> str:
        """The code with which a phone joins, while the display shows it, or ``""``."""
        return "" if self.has_no_display or self.access.code_until == inf else self.access.code

    def waits(self, payment: Payment) -> bool:
        """Return whether *payment* must be confirmed: money of other players always, and all of it in ``ask``.

        A payment that no phone asks for waits, too.
        """
        return not payment.by or self.game.pay != "free" or payment.is_demand

    @property
    def seen_at(self) -> float:
        """The time from which the user sees what the current input does."""
        return max(self.now, self.busy_until)

    def typing(self, entry: Entry) -> UnitState:
        return replace(self, entry=entry)

    def cleared(self, *, keeps_pot: bool = False, heals: bool = True) -> UnitState:
        """Clear the amount. With *keeps_pot*, the next amount goes where this one was to go.

        Without *heals*, a broken amount stays, because the user has not seen that it is broken.
        """
        if self.entry.is_broken and not heals:
            return self
        return self.typing(Entry(into_pot=keeps_pot and self.entry.into_pot))

    def broken(self) -> UnitState:
        """Replace the amount by a broken one, because the user pressed a key that was lost."""
        return self.typing(Entry(is_broken=True, into_pot=self.entry.into_pot, until=self.seen_at + HEAL_S))

    def holding(self, side: Side, card: InsertedCard | None) -> UnitState:
        others = {other: present for other, present in self.cards.items() if other != side}
        return replace(self, cards={**others, side: card} if card else others)

    def showing(self, dialog: Dialog | None) -> UnitState:
        """Open *dialog*, whose patience begins now, or close the dialog."""
        return replace(self, dialog=dialog, dialog_until=self.seen_at + dialog.patience_s if dialog else inf)

    def saying(self, notice: AnyNotice | str | None, *, lasting_s: float = NOTICE_S, **values: object) -> UnitState:
        """Show a notice, or a text with *values*, for *lasting_s* seconds. ``None`` removes the notice."""
        if isinstance(notice, str):
            notice = Notice(notice, values)
        return replace(self, notice=notice, notice_until=self.now + lasting_s if notice else inf)

    def awake(self) -> UnitState:
        """Wake the unit, or keep it awake for another minute."""
        return replace(self, is_asleep=False, touched_at=self.now)

    def hushed(self) -> UnitState:
        """Forget the last rejection, and remove the notices."""
        return replace(self, refused="", guest=None, guest_until=inf).saying(None)

    def did(self, transfers: Sequence[Transfer | None], *, card: int = BANK, reason: str = "") -> UnitState:
        """Keep an act of *transfers* for ``C``. If there may be none, it needs the *card* and the *reason*."""
        made = tuple(transfer for transfer in transfers if transfer)
        cards = {account for transfer in made for account in (transfer.from_, transfer.to)} | {card}
        act = Act(made, frozenset(cards.intersection(CARDS)), made[0].reason if made else reason, self.now)
        return replace(self, undoable=(*self.undoable, act)[-MOST_UNDOABLE:], refused="")

    def undid(self, is_gone: Callable[[Act], bool]) -> UnitState:
        return replace(self, undoable=tuple(act for act in self.undoable if not is_gone(act)))

    def undone(self, opposites: Sequence[Transfer]) -> UnitState:
        """Forget the acts that the transfers *opposites* have undone, and end the payments as taken back."""
        undone = {opposite.undoes for opposite in opposites}
        state = self.undid(lambda act: any(made.id in undone for made in act.transfers))
        for payment in self.payments.ended:
            if payment.transfer in undone:
                state = state.end_payment(payment, PaymentEnd.TAKEN_BACK)
        return state.play("undone")

    def barred(self, card: int | None = None) -> UnitState:
        """Let ``C`` take back nothing of *card*, and nothing that is older. Without a card, nothing at all."""
        last = max((place for place, act in enumerate(self.undoable, 1) if card in act.cards), default=0)
        return replace(self, undoable=self.undoable[last:] if card else ())

    def in_another_game(self) -> UnitState:
        state = replace(self, undoable=(), last_amount=0, entry=Entry(), down=None, deal_at=None, minute_at=inf)
        return state.showing(None).do(Deal(None)).play("new_game")

    # Effects.

    def do(self, *effects: Effect) -> UnitState:
        return replace(self, effects=(*self.effects, *effects))

    def play(self, sound: str) -> UnitState:
        return self.do(Sound(sound))

    def emit(self, event: Event) -> UnitState:
        return self.do(event)

    def done(self) -> UnitState:
        """Report a payment to the slots of its cards."""
        return self.do(*map(Done, self.taken))

    def refuse(self, why: Why, notice: Notice | None = None) -> UnitState:
        # C does what these two ask for, and otherwise only dismisses the rejection
        state = replace(self, refused="" if why in (BankWhy.DIALOG, BankWhy.ANSWER) else why)
        return state.saying(notice or why.display or None).emit(Refused(why)).play("refused")

    def ask(
        self,
        method: str,
        *args: Any,
        then: Callable[[UnitState, Any], UnitState],
        refused: Callable[[UnitState, Rejection], UnitState] = lambda state, rejection: state.refuse(rejection.why),
        **options: object,
    ) -> UnitState:
        """Call a method of the game session, see `Ask`."""
        return self.do(Ask(method, args, then, refused, options))

    def ask_for(
        self, asked: Asked, method: str, *args: Any, then: Callable[[UnitState, Any], UnitState], **options: object
    ) -> UnitState:
        """Call a method of the game session for a request.

        A rejection of the ledger, or one that *then* raises, is the answer to the request.
        """
        return self.ask(
            method,
            *args,
            then=lambda state, result: state.or_rejected(asked, then, result),
            refused=lambda state, rejection: state.do(Reply(asked, rejection)),
            **options,
        )

    def or_rejected(self, asked: Asked, change: Callable[..., UnitState], *args: object) -> UnitState:
        """Change the state. If *change* rejects that, the rejection is the answer to the request."""
        try:
            return change(self, *args)
        except (Rejection, RequestError) as problem:
            return self.do(Reply(asked, problem))

    def ask_without_cards(self, method: str, *args: Any, then: Callable[[UnitState, Any], UnitState]) -> UnitState:
        """Call a method of the game session, unless a card is in a slot."""
        return self.refuse(BankWhy.CARDS_IN) if self.cards else self.ask(method, *args, then=then)

    def end_payment(self, payment: Payment, why: str, *, transfer: int = 0, take_back_s: float = 0) -> UnitState:
        """End *payment* for the reason *why*, such as ``booked`` or ``rejected``.

        Its first transfer is *transfer*, and players can take it back for *take_back_s*.
        """
        ended = replace(payment, state=why, transfer=transfer, until=self.now + take_back_s if take_back_s else -inf)
        state = replace(self, payments=self.payments.with_ended(ended))
        return state.emit(PaymentEnded(*payment.fields, why, take_back_s))
