"""The booking of payments that players ask for, when GO, the host or a phone confirms them, or at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from reboard.accessories.banker_unit.accounts import BANK, EVERYONE, POT, PaymentEnd, Reason
from reboard.accessories.banker_unit.bankruptcy import bankruptcy_done
from reboard.accessories.banker_unit.payments import Payment, press_of
from reboard.accessories.banker_unit.phone_access import TAKE_BACK_S
from reboard.accessories.banker_unit.schema import Transfer
from reboard.accessories.banker_unit.unit_state import UnitState
from reboard.errors import Rejection


def confirm(
    state: UnitState, payment: Payment, then: Callable[[UnitState], UnitState] = lambda state: state
) -> UnitState:
    """Make the transfers for a waiting *payment*, end it, and change the state with *then*.

    A rejection ends the payment, too.
    """

    def rejected(state: UnitState, rejection: Rejection) -> UnitState:
        return then(state.end_payment(payment, rejection.why).refuse(rejection.why))

    return book(state, payment, then=then, refused=rejected)


def book(
    state: UnitState,
    payment: Payment,
    *,
    then: Callable[[UnitState], UnitState],
    refused: Callable[[UnitState, Rejection], UnitState],
) -> UnitState:
    """Make the transfers for *payment*, end it as booked, and change the state with *then*."""
    # it can be taken back if no GO and no host had to confirm it
    take_back_s = 0 if state.waits(payment) and not payment.is_demand else TAKE_BACK_S

    press = press_of(payment.payment)

    def booked(state: UnitState, transfers: Sequence[Transfer] | None) -> UnitState:
        ended: dict[str, Any] = {"transfer": transfers[0].id, "take_back_s": take_back_s} if transfers else {}
        sound = "received" if payment.from_ in (BANK, POT, EVERYONE) else "paid"
        state = state.end_payment(payment, PaymentEnd.BOOKED, **ended).play(sound)
        return then(state.did(transfers) if transfers else state)

    def went_bankrupt(state: UnitState, transfer: Transfer | None) -> UnitState:
        state = booked(state, [transfer] if transfer else None)
        return bankruptcy_done(state if transfer else state.did([], card=payment.from_, reason=Reason.BANKRUPT))

    if payment.reason == Reason.BANKRUPT:
        return state.ask("bankrupt", payment.from_, payment.to, then=went_bankrupt, refused=refused, press=press)
    if payment.reason == Reason.START:
        return state.ask("join", payment.to, then=booked, refused=refused)
    try:
        moves = payment.moves(state.game)
    except Rejection as rejection:
        return refused(state, rejection)
    return state.ask("pay_all", moves, then=booked, refused=refused, press=press)
