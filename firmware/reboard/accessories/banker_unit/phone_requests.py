"""Requests of players' phones, and the host's answers to them.

The table page says which phone sends a request. A request of the host or a program has no phone, and no limits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import inf

from reboard.accessories.banker_unit import booking, paying
from reboard.accessories.banker_unit.accounts import ASKED, BANK, POT, PaymentEnd
from reboard.accessories.banker_unit.effects import Deal, DrawCode, Reply
from reboard.accessories.banker_unit.inputs import Asked
from reboard.accessories.banker_unit.payments import Payment, asked_payment, check_same, press_of, saved_payment
from reboard.accessories.banker_unit.phone_access import CODE_S, MOST_WRONG
from reboard.accessories.banker_unit.phone_vocabulary import (
    AskPayment,
    Auction,
    ConfirmPayment,
    Join,
    LeaveCard,
    OfPayment,
    PaymentAsked,
    RejectPayment,
    SetPhones,
    TakeBackPayment,
)
from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.accessories.banker_unit.schema import Booked, Transfer
from reboard.accessories.banker_unit.texts import Text
from reboard.accessories.banker_unit.unit_state import UnitState
from reboard.accessories.shared_requests import JoinCode, OfPhone
from reboard.errors import Rejection, RequestError
from reboard.record import replace
from reboard.vocabulary.declared import Request

PAID_S = 5.0
"""The time for which the display shows what a phone has paid, in seconds."""


def _with_card(handler: Callable[..., UnitState], state: UnitState, asked: Asked, request: OfPhone) -> UnitState:
    """Call *handler* with the card of the phone, or 0 for the host. Raises `Rejection` if the phone has no card."""
    if not request.phone:
        return handler(state, asked, request, 0)
    if state.game.pay == "off":
        raise Rejection(BankWhy.PHONES_OFF)
    card = state.game.card_of(request.phone)
    if not card:
        raise Rejection(BankWhy.NO_PHONE)
    return handler(replace(state, access=replace(state.access, are_known=True)), asked, request, card)


# Payments.


def _ask_payment(state: UnitState, asked: Asked, request: AskPayment, by: int) -> UnitState:
    """Announce a payment that a player asks for, or book it at once. Repeating the request has no effect."""
    if by and by not in ((request.from_,) if request.bankrupt else (request.from_, request.to)):
        raise Rejection(BankWhy.OTHER_CARD)

    def announced(state: UnitState, known: Payment | None) -> UnitState:
        if known:
            check_same(known, request, state.game)
            return _answered(state, asked, known)
        joins = not request.amount and request.from_ == BANK
        if joins and request.game == state.game.id and request.to in state.game.in_game:
            return state.do(Reply(asked, _answer(PaymentEnd.BOOKED, by)))
        payment = asked_payment(request, by, state.now, state.game)
        if poor := state.game.poor(payment.moves(state.game)):
            why = BankWhy.POT_EMPTY if POT in poor else BankWhy.NO_FUNDS
            state = state.awake().saying(why.display if POT in poor else Text.TOO_POOR, cards=paying.few(poor))
            return state.play("refused").do(Reply(asked, Rejection(why)))
        if not state.waits(payment):
            return _book(state, asked, payment)
        if any(each.card == payment.card for each in state.payments.waiting):
            raise Rejection(BankWhy.ASKED_ALREADY)
        state = replace(state.awake(), payments=state.payments.with_asked(payment))
        state = state if state.question else state.saying(Text.ASKS, who=payment.card)
        return _answered(state.emit(PaymentAsked(*payment.fields)).play("asked"), asked, payment)

    return _with_payment(state, asked, request.payment, announced)


def _with_payment(
    state: UnitState, asked: Asked, payment: str, then: Callable[[UnitState, Payment | None], UnitState]
) -> UnitState:
    """Change the state with the payment of a request, or ``None`` if it is new.

    After a restart, only the ledger knows it: a repeated request must not book it twice, nor let a player ask again.
    """

    def read(state: UnitState, booked: Booked | None) -> UnitState:
        return then(state, saved_payment(payment, booked) if booked else None)

    known = state.payments.known(payment)
    return then(state, known) if known else state.ask_for(asked, "booked", press_of(payment), then=read)


def _answer(state: str, by: int, take_back_s: float = 0.0) -> dict[str, object]:
    return {"state": state, "by": by, "take_back_s": take_back_s}


def _answered(state: UnitState, asked: Asked, payment: Payment) -> UnitState:
    return state.do(Reply(asked, _answer(payment.state, payment.by, max(0.0, payment.until - state.now))))


def _book(state: UnitState, asked: Asked, payment: Payment) -> UnitState:
    """Make the transfers of a *payment* for a phone, and show it."""

    def booked(state: UnitState) -> UnitState:
        state = replace(state.awake().saying(None), guest=payment, guest_until=state.now + PAID_S)
        return _now_answered(state, asked, payment)

    def refused(state: UnitState, rejection: Rejection) -> UnitState:
        return state.do(Reply(asked, rejection))

    return booking.book(state, payment, then=booked, refused=refused)


def _now_answered(state: UnitState, asked: Asked, payment: Payment) -> UnitState:
    ended = state.payments.known(payment.payment)
    assert ended
    return _answered(state, asked, ended)


def _answer_payment(state: UnitState, asked: Asked, request: OfPayment, by: int) -> UnitState:
    """Make the transfers for a payment that a player asked for, or reject the payment."""
    return _with_payment(state, asked, request.payment, partial(_answer_known, asked=asked, request=request, by=by))


def _answer_known(state: UnitState, payment: Payment | None, *, asked: Asked, request: OfPayment, by: int) -> UnitState:
    if not payment:
        raise RequestError("this payment is not waiting for an answer: the player can ask again")
    if payment.state != ASKED:
        return _answered(state, asked, payment)
    others = payment.payers(state.game) - {payment.by}
    if isinstance(request, RejectPayment):
        if by and by not in {payment.by, *others}:
            raise Rejection(BankWhy.NOT_THE_PAYER)
        end = PaymentEnd.WITHDRAWN if by and by == payment.by else PaymentEnd.REJECTED
        return _now_answered(state.end_payment(payment, end).play("key"), asked, payment)
    if by and by not in others:
        raise Rejection(BankWhy.NOT_THE_PAYER)
    if by:
        return _book(state, asked, payment)
    # the host's own transfer is newer than what C could take back at the unit
    return booking.confirm(state, payment, lambda state: _now_answered(state.barred(), asked, payment))


def _take_back(state: UnitState, asked: Asked, request: TakeBackPayment, by: int) -> UnitState:
    """Undo the transfers of a payment. Repeating the request has no effect."""
    return _with_payment(state, asked, request.payment, partial(_take_known_back, asked=asked, by=by))


def _take_known_back(state: UnitState, payment: Payment | None, *, asked: Asked, by: int) -> UnitState:
    if payment and payment.state == PaymentEnd.TAKEN_BACK:
        return _answered(state, asked, payment)
    if not payment or not payment.transfer or (by and state.now > payment.until):
        raise Rejection(BankWhy.TOO_LATE)
    if why := payment.why_over(state.game):
        raise Rejection(why)

    def taken_back(state: UnitState, opposites: Sequence[Transfer]) -> UnitState:
        ended = replace(payment, state=PaymentEnd.TAKEN_BACK, until=-inf)
        return _answered(state.undone(opposites).awake(), asked, ended)

    return state.ask_for(asked, "undo", payment.transfer, then=taken_back)


# Joining.


def _join(state: UnitState, asked: Asked, request: Join) -> UnitState:
    """Give a card to the phone, if it has a card already or knows the code."""
    access, game, card = state.access, state.game, request.card
    if not request.phone:
        raise RequestError("only a phone joins: let a card join with ask_payment, without an amount")
    if game.pay == "off":
        raise Rejection(BankWhy.PHONES_OFF)
    if card > game.edition.players.most:
        raise Rejection(BankWhy.UNKNOWN_CARD)
    is_known = game.card_of(request.phone) or (state.has_no_display and not access.are_known)
    if not is_known and (request.code != access.code or not request.code):
        return _with_wrong_code(state, asked, request)
    if game.phones.get(card, request.phone) != request.phone and not request.instead:
        raise Rejection(BankWhy.CARD_TAKEN)
    state = replace(state, access=replace(access, wrong=0, code_until=inf, are_known=True))

    def joined(state: UnitState, _: object) -> UnitState:
        state = state.awake().saying(Text.JOINS, who=card).play("card")
        return state.do(Reply(asked, state.phones_now))

    return state.ask_for(asked, "join", card, request.phone, then=joined)


def _with_wrong_code(state: UnitState, asked: Asked, request: Join) -> UnitState:
    """Show the code, and draw another one after too many wrong ones."""
    access, is_new = state.access, not state.shown_code
    wrong = access.wrong + bool(request.code)
    state = state.awake().saying(None)
    state = replace(state, access=replace(access, wrong=wrong % MOST_WRONG, code_until=state.now + CODE_S))
    state = state.play("asked") if is_new else state
    state = state.do(DrawCode()) if wrong == MOST_WRONG else state
    return state.do(Reply(asked, Rejection(BankWhy.WRONG_CODE if request.code else BankWhy.CODE_NEEDED)))


def _leave_card(state: UnitState, asked: Asked, request: LeaveCard, by: int) -> UnitState:
    """Take the phone from its card. What it asked for ends."""
    card = by or request.card
    if not card:
        raise RequestError("name the card whose phone leaves")

    def left(state: UnitState, _: object) -> UnitState:
        for payment in state.payments.waiting:
            if payment.by == card:
                state = state.end_payment(payment, PaymentEnd.WITHDRAWN)
        return state.do(Reply(asked, state.phones_now))

    return state.ask_for(asked, "unpair", card, then=left)


def _join_code(state: UnitState, asked: Asked, request: JoinCode, by: int) -> UnitState:
    if state.game.pay == "off":
        raise Rejection(BankWhy.PHONES_OFF)
    return state.do(Reply(asked, {"code": state.access.code}))


def _auction(state: UnitState, asked: Asked, request: Auction, by: int) -> UnitState:
    """Start the deal timer, or cancel it. Repeating the request has no effect."""
    if request.on and state.dialog:
        raise Rejection(BankWhy.DIALOG)
    if request.on and state.deal_at is None:
        state = replace(state.awake(), deal_at=state.now).do(Deal(state.now))
    elif not request.on and state.deal_at is not None:
        state = replace(state, deal_at=None).do(Deal(None)).play("key")
    return state.do(Reply(asked, None))


def _set_phones(state: UnitState, asked: Asked, request: SetPhones) -> UnitState:

    def changed(state: UnitState, _: object) -> UnitState:
        state = state if state.access.code or request.pay == "off" else state.do(DrawCode())
        return state.do(Reply(asked, state.phones_now))

    return state.ask_for(asked, "set_pay", request.pay, then=changed)


HANDLERS: Mapping[type[Request], Callable[..., UnitState]] = {
    AskPayment: partial(_with_card, _ask_payment),
    ConfirmPayment: partial(_with_card, _answer_payment),
    RejectPayment: partial(_with_card, _answer_payment),
    TakeBackPayment: partial(_with_card, _take_back),
    Join: _join,
    LeaveCard: partial(_with_card, _leave_card),
    JoinCode: partial(_with_card, _join_code),
    Auction: partial(_with_card, _auction),
    SetPhones: _set_phones,
}
"""The requests of phones that wait in the input queue."""
