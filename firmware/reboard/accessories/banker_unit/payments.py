"""Payments that players ask for on their phones. No money moves until ``GO`` on the unit or the host confirms it."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from reboard.accessories.banker_unit.accounts import ASKED, BANK, Reason
from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.accessories.banker_unit.vocabulary import AskPayment
from reboard.errors import Rejection, RequestError, Why
from reboard.record import Record, replace

if TYPE_CHECKING:
    from reboard.accessories.banker_unit.game_record import GameRecord
    from reboard.accessories.banker_unit.schema import Transfer
    from reboard.editions.money import Money

PATIENCE_S = 60.0
"""The time after which a payment that is not confirmed expires, in seconds."""

SETTLE_S = 1.0
"""The time for which ``GO`` and ``C`` do not answer a payment that has just appeared on the display, in seconds.

A user who presses the key at that moment means something else, such as the payment that was shown before."""

MOST_REMEMBERED = 32
"""The number of ended payments that the unit remembers, so that a repeated request gets the same answer."""


class Payment(Record):
    """A payment that a player asked for in *game*. The phone chooses the *id*.

    *asked_at* is a time on the event loop's clock. *reason* is the reason of the later transfer: ``received``,
    ``paid``, ``players``, or ``start`` to join the game.
    """

    id: str
    game: int
    from_: int
    to: int
    amount: int
    reason: str
    asked_at: float = field(compare=False)

    @property
    def card(self) -> int:
        """The card of the player who asks: the paying card, or the receiving card if the bank pays."""
        return self.from_ or self.to

    @property
    def fields(self) -> tuple[str, int, int, int, int, str]:
        """The fields of its events, in their order."""
        return self.id, self.game, self.from_, self.to, self.amount, self.reason

    def why_over(self, game: GameRecord) -> Why | None:
        """Return why *game* does not allow the payment any more, or ``None`` if it does."""
        if self.game != game.id:
            return BankWhy.ANOTHER_GAME
        if game.ended:
            return BankWhy.GAME_OVER
        if {self.from_, self.to} & game.retired:
            return BankWhy.BANKRUPT
        return BankWhy.LEFT if {self.from_, self.to} & game.left and self.reason != Reason.START else None


class Payments(Record):
    """The payments *waiting* for an answer, oldest first, and each of the latest *ended* ones with its reason."""

    waiting: tuple[Payment, ...] = ()
    ended: tuple[tuple[Payment, str], ...] = ()

    def find(self, payment: str) -> Payment | None:
        """Return the waiting payment with this id, or ``None``."""
        return next((each for each in self.waiting if each.id == payment), None)

    def state_of(self, payment: str) -> str | None:
        """Return ``asked`` if the payment is waiting, why it has ended, or ``None`` if it is unknown or forgotten."""
        known = self.known(payment)
        return known[1] if known else None

    def known(self, payment: str) -> tuple[Payment, str] | None:
        """Return the payment with this id and its state, see `state_of`, or ``None``."""
        known = (*((each, ASKED) for each in self.waiting), *reversed(self.ended))
        return next((each for each in known if each[0].id == payment), None)

    def with_asked(self, payment: Payment) -> Payments:
        """Return the payments with *payment* added to the waiting ones."""
        return replace(self, waiting=(*self.waiting, payment))

    def with_ended(self, payment: Payment, why: str) -> Payments:
        """Return the payments after *payment* has ended for the reason *why*."""
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

    The ledger checks the balance of the payer again when the payment is confirmed.
    """
    payment, game, from_, to = request.payment, request.game, request.from_, request.to
    if game != current.id:
        raise Rejection(BankWhy.ANOTHER_GAME)
    if current.ended:
        raise Rejection(BankWhy.GAME_OVER)
    if from_ == to:
        raise RequestError(f"account {to} cannot pay itself: choose another receiver")
    if not request.amount:
        if from_ != BANK:
            raise RequestError(
                'the amount is missing: add "amount". Only a request to join the game, with 0 as "from", has none'
            )
        if to > current.edition.players.most:
            raise Rejection(BankWhy.UNKNOWN_CARD)
        return Payment(payment, game, from_, to, current.edition.start, Reason.START, asked_at)
    reason = Reason.RECEIVED if from_ == BANK else Reason.PAID if to == BANK else Reason.PLAYERS
    cards = {from_, to} - {BANK}
    if cards - current.balances.keys():
        raise Rejection(BankWhy.NOT_IN_THE_GAME)
    if cards - set(current.in_game):
        raise Rejection(BankWhy.BANKRUPT if cards & current.retired else BankWhy.LEFT)
    asked = Payment(payment, game, from_, to, read_amount(request.amount, current.edition.money), reason, asked_at)
    if not current.can_pay(from_, asked.amount):
        raise Rejection(BankWhy.NO_FUNDS)
    return asked


def read_amount(amount: str, money: Money) -> int:
    """Return an amount that is written as on the display. Raises `Rejection` or `RequestError`."""
    try:
        return money.written(amount)
    except Rejection:
        raise
    except ValueError as problem:
        raise RequestError(f"{problem}, not {amount!r}") from None
