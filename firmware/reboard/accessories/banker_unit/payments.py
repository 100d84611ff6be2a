"""Payments that players ask for on their phones. No money moves until ``GO`` on the unit or the host confirms it."""

from __future__ import annotations

from dataclasses import field

from reboard.accessories.banker_unit.accounts import ASKED, BANK, Reason
from reboard.accessories.banker_unit.game_record import GameRecord
from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.accessories.banker_unit.schema import Transfer
from reboard.accessories.banker_unit.vocabulary import AskPayment, PaymentFields
from reboard.editions.money import Money
from reboard.errors import Rejection, RequestError, Why
from reboard.record import Record, replace

PATIENCE_S = 60.0
"""The time after which a payment that is not confirmed expires, in seconds."""

SETTLE_S = 1.0
"""The time for which ``GO`` and ``C`` do not answer a payment that has just appeared on the display, in seconds.

A user who presses the key at that moment means something else, such as the payment that was shown before."""

MOST_REMEMBERED = 32
"""The number of ended payments that the unit remembers, so that a repeated request gets the same answer."""


class Payment(PaymentFields):
    """A payment that a player asked for. *asked_at* is a time on the event loop's clock."""

    asked_at: float = field(compare=False)

    @property
    def card(self) -> int:
        """The card of the player who asks: the paying card, or the receiving card if the bank pays."""
        return self.from_ or self.to

    @property
    def fields(self) -> tuple[str, int, int, int, int, str]:
        return self.payment, self.game, self.from_, self.to, self.amount, self.reason

    def why_over(self, game: GameRecord) -> Why | None:
        """Return why *game* does not allow the payment, or not any more, or ``None`` if it does."""
        if self.game != game.id:
            return BankWhy.ANOTHER_GAME
        if game.ended:
            return BankWhy.GAME_OVER
        why = game.why_out(self.from_, self.to)
        return None if why == BankWhy.LEFT and self.reason == Reason.START else why


class Payments(Record):
    """The payments *waiting* for an answer, oldest first, and each of the latest *ended* ones with its reason."""

    waiting: tuple[Payment, ...] = ()
    ended: tuple[tuple[Payment, str], ...] = ()

    def known(self, payment: str) -> tuple[Payment, str] | None:
        """Return the payment with this id, and ``asked`` or why it has ended, or ``None`` if it is unknown."""
        known = (*((each, ASKED) for each in self.waiting), *reversed(self.ended))
        return next((each for each in known if each[0].payment == payment), None)

    def with_asked(self, payment: Payment) -> Payments:
        return replace(self, waiting=(*self.waiting, payment))

    def with_ended(self, payment: Payment, why: str) -> Payments:
        waiting = tuple(each for each in self.waiting if each != payment)
        return Payments(waiting, (*self.ended, (payment, why))[-MOST_REMEMBERED:])


NO_PAYMENTS = Payments()


def press_of(payment: str) -> str:
    """Return the ``press`` of a payment's transfer. It prevents a second transfer, even after a restart."""
    return f"payment {payment}"


def check_same(known: Payment | Transfer, request: AskPayment, current: GameRecord) -> None:
    """Raise `Rejection` if *request* has the id of the *known* payment, but asks for another one.

    Amounts can be compared only in the current game, because another game can have another edition.
    """
    is_same = (known.game, known.from_, known.to) == (request.game, request.from_, request.to)
    is_same = is_same and (known.reason == Reason.START) == (not request.amount)
    if is_same and request.amount and request.game == current.id:
        is_same = known.amount == read_amount(request.amount, current.edition.money)
    if not is_same:
        raise Rejection(BankWhy.ID_USED)


def asked_payment(request: AskPayment, asked_at: float, current: GameRecord) -> Payment:
    """Return the payment of a *request*. Raises `Rejection` or `RequestError` if it cannot be asked for.

    The balance of the payer is not checked here.
    """
    payment, game, from_, to = request.payment, request.game, request.from_, request.to
    if from_ == to:
        raise RequestError(f"account {to} cannot pay itself: choose another receiver")
    reason = Reason.RECEIVED if from_ == BANK else Reason.PAID if to == BANK else Reason.PLAYERS
    reason = reason if request.amount else Reason.START
    asked = Payment(payment, game, from_, to, current.edition.start, reason, asked_at)
    if why := asked.why_over(current):
        raise Rejection(why)
    if reason == Reason.START:
        if from_ != BANK:
            raise RequestError(
                'the amount is missing: add "amount". Only a request to join the game, with 0 as "from", has none'
            )
        if to > current.edition.players.most:
            raise Rejection(BankWhy.UNKNOWN_CARD)
        return asked
    if {from_, to} - {BANK} - current.balances.keys():
        raise Rejection(BankWhy.NOT_IN_THE_GAME)
    return replace(asked, amount=read_amount(request.amount, current.edition.money))


def read_amount(amount: str, money: Money) -> int:
    """Return an amount that is written as on the display. Raises `Rejection` or `RequestError`."""
    try:
        return money.written(amount)
    except Rejection:
        raise
    except ValueError as problem:
        raise RequestError(f"{problem}, not {amount!r}") from None
