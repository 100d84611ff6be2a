"""Requests of players' phones, and the host's answers to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from reboard.accessories.banker_unit import paying
from reboard.accessories.banker_unit.accounts import ASKED, BANK, PaymentEnd
from reboard.accessories.banker_unit.effects import Reply
from reboard.accessories.banker_unit.inputs import Asked
from reboard.accessories.banker_unit.payments import asked_payment, check_same, press_of
from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.accessories.banker_unit.schema import Transfer
from reboard.accessories.banker_unit.texts import Text
from reboard.accessories.banker_unit.unit_state import UnitState
from reboard.accessories.banker_unit.vocabulary import (
    AskPayment,
    ConfirmPayment,
    OfPayment,
    PaymentAsked,
    RejectPayment,
)
from reboard.errors import Rejection, RequestError
from reboard.record import replace
from reboard.vocabulary.declared import Request


def _ask_payment(state: UnitState, asked: Asked, request: AskPayment) -> UnitState:
    """Announce a payment that a player asks for. Repeating the request has no effect."""
    if known := state.payments.known(request.payment):
        check_same(known[0], request, state.game)
        return state.do(Reply(asked, {"state": known[1]}))
    joins = not request.amount and request.from_ == BANK
    if joins and request.game == state.game.id and request.to in state.game.in_game:
        return state.do(Reply(asked, {"state": PaymentEnd.BOOKED}))

    def announced(state: UnitState, booked: Transfer | None) -> UnitState:
        if booked:
            check_same(booked, request, state.game)
            return state.do(Reply(asked, {"state": PaymentEnd.BOOKED}))
        payment = asked_payment(request, state.now, state.game)
        if not state.game.can_pay(payment.from_, payment.amount):
            state = state.awake().saying(Text.TOO_POOR, cards=payment.from_).play("refused")
            return state.do(Reply(asked, Rejection(BankWhy.NO_FUNDS)))
        if any(each.card == payment.card for each in state.payments.waiting):
            raise Rejection(BankWhy.ASKED_ALREADY)
        state = replace(state.awake(), payments=state.payments.with_asked(payment))
        state = state if state.question else state.saying(Text.ASKS, who=payment.card)
        return state.emit(PaymentAsked(*payment.fields)).play("asked").do(Reply(asked, {"state": ASKED}))

    return state.ask_for(asked, "booked", press_of(request.payment), then=announced)


def _answer_payment(state: UnitState, asked: Asked, request: OfPayment) -> UnitState:
    """Make the transfer for a payment that a player asked for, or reject the payment."""
    known = state.payments.known(request.payment)
    if not known:
        raise RequestError("this payment is not waiting for an answer: the player can ask again")
    payment, answer = known

    def answered(state: UnitState) -> UnitState:
        return state.do(Reply(asked, {"state": dict(state.payments.ended)[payment]}))

    if answer != ASKED:
        return answered(state)
    if isinstance(request, RejectPayment):
        return answered(state.end_payment(payment, PaymentEnd.REJECTED).play("key"))
    # the host's own transfer is newer than what C could take back at the unit
    return paying.confirm(state, payment, lambda state: answered(state.barred()))


HANDLERS: Mapping[type[Request], Callable[..., UnitState]] = {
    AskPayment: _ask_payment,
    ConfirmPayment: _answer_payment,
    RejectPayment: _answer_payment,
}
"""The requests of phones that wait in the input queue."""
