"""Payments that players ask for on their phones, and which of them a game allows."""

from __future__ import annotations

from dataclasses import field
from math import inf

from reboard.accessories.banker_unit.accounts import ASKED, BANK, CARDS, EVERYONE, POT, PaymentEnd, Reason
from reboard.accessories.banker_unit.game_record import GameRecord
from reboard.accessories.banker_unit.phone_vocabulary import AskPayment, PaymentFields
from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.accessories.banker_unit.schema import Booked, Move
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
    """A payment that a player asked for. Times are on the event loop's clock.

    *state* is ``asked``, or why it has ended. Its first transfer has the number *transfer*, and players can take it
    back until *until*.
    """

    asked_at: float = field(compare=False)
    state: str = field(default=ASKED, compare=False)
    transfer: int = field(default=0, compare=False)
    until: float = field(default=-inf, compare=False)

    @property
    def card(self) -> int:
        """The card of the player who asks. If no phone asks, the paying card, or else the receiving one."""
        return self.by or (self.from_ if self.from_ in CARDS else self.to)

    @property
    def fields(self) -> tuple[str, int, int, int, int, str, int]:
        return self.payment, self.game, self.from_, self.to, self.amount, self.reason, self.by

    @property
    def is_demand(self) -> bool:
        """Whether a player asks for money of other players."""
        return bool(self.by) and self.from_ != self.by and self.from_ in (*CARDS, EVERYONE)

    def payers(self, game: GameRecord) -> set[int]:
        """Return the cards that pay."""
        return set(game.in_game) - {self.to} if self.from_ == EVERYONE else {self.from_}.intersection(CARDS)

    def moves(self, game: GameRecord) -> list[Move]:
        """Return the moves of the payment. Raises `Rejection` if everyone pays or gets without another player."""
        if EVERYONE in (self.from_, self.to):
            receives = self.from_ == EVERYONE
            return game.each(self.to if receives else self.from_, self.amount, receives=receives)
        return [Move(self.from_, self.to, self.amount, self.reason)]

    def why_over(self, game: GameRecord) -> Why | None:
        """Return why *game* does not allow the payment, or not any more, or ``None`` if it does."""
        if self.game != game.id:
            return BankWhy.ANOTHER_GAME
        if game.ended:
            return BankWhy.GAME_OVER
        is_out = self.transfer and self.reason == Reason.BANKRUPT
        why = game.why_out(self.to) if is_out else game.why_out(self.from_, self.to)
        return None if why == BankWhy.LEFT and self.reason == Reason.START else why


class Payments(Record):
    """The payments *waiting* for an answer, oldest first, and the latest *ended* ones."""

    waiting: tuple[Payment, ...] = ()
    ended: tuple[Payment, ...] = ()

    def known(self, payment: str) -> Payment | None:
        """Return the payment with this id, or ``None`` if it is unknown."""
        return next((each for each in (*self.waiting, *reversed(self.ended)) if each.payment == payment), None)

    def with_asked(self, payment: Payment) -> Payments:
        return replace(self, waiting=(*self.waiting, payment))

    def with_ended(self, payment: Payment) -> Payments:
        waiting, ended = (tuple(each for each in some if each != payment) for some in (self.waiting, self.ended))
        return Payments(waiting, (*ended, payment)[-MOST_REMEMBERED:])


NO_PAYMENTS = Payments()


def press_of(payment: str) -> str:
    """Return the ``press`` of a payment's transfer. It prevents a second transfer, even after a restart."""
    return f"payment {payment}"


def saved_payment(payment: str, booked: Booked) -> Payment:
    """Return the *payment* whose first transfer is *booked* in the ledger, and of which the unit remembers nothing."""
    transfer = booked.transfer
    from_ = EVERYONE if transfer.reason == Reason.EACH_RECEIVED else transfer.from_
    to = EVERYONE if transfer.reason == Reason.EACH_PAID else transfer.to
    asked = Payment(payment, transfer.game, from_, to, transfer.amount, transfer.reason, by=BANK, asked_at=-inf)
    state = PaymentEnd.TAKEN_BACK if booked.is_undone else PaymentEnd.BOOKED
    return replace(asked, state=state, transfer=transfer.id)


def check_same(known: Payment, request: AskPayment, current: GameRecord) -> None:
    """Raise `Rejection` if *request* has the id of the *known* payment, but asks for another one.

    Amounts can be compared only in the current game, because another game can have another edition.
    """
    is_same = (known.game, known.from_, known.to) == (request.game, request.from_, request.to)
    is_same = is_same and known.reason == _reason(request)
    if is_same and request.amount and request.game == current.id:
        is_same = known.amount == read_amount(request.amount, current.edition.money)
    if not is_same:
        raise Rejection(BankWhy.ID_USED)


def _reason(request: AskPayment) -> str:
    from_, to = request.from_, request.to
    if not request.amount:
        return Reason.BANKRUPT if request.bankrupt else Reason.START
    if EVERYONE in (from_, to):
        return Reason.EACH_RECEIVED if from_ == EVERYONE else Reason.EACH_PAID
    if POT in (from_, to):
        return Reason.POT_TAKEN if from_ == POT else Reason.POT_FILLED if from_ == BANK else Reason.POT_PAID
    return Reason.RECEIVED if from_ == BANK else Reason.PAID if to == BANK else Reason.PLAYERS


def asked_payment(request: AskPayment, by: int, asked_at: float, current: GameRecord) -> Payment:
    """Return the payment of a *request*. Raises `Rejection` or `RequestError` if it cannot be asked for.

    *by* is the card of the phone that asks, or 0. The balances of the payers are not checked here.
    """
    payment, game, from_, to = request.payment, request.game, request.from_, request.to
    if from_ == to:
        raise RequestError(f"account {to} cannot pay itself: choose another receiver")
    reason = _reason(request)
    asked = Payment(payment, game, from_, to, current.edition.start, reason, by, asked_at)
    if why := asked.why_over(current):
        raise Rejection(why)
    if reason == Reason.START:
        if from_ != BANK:
            raise RequestError(
                'the amount is missing: add "amount". Only a request to join the game, with 0 as "from", has none'
            )
        if not BANK < to <= current.edition.players.most:
            raise Rejection(BankWhy.UNKNOWN_CARD)
        return asked
    if request.bankrupt and (request.amount or not {from_, to} <= {BANK, *CARDS} or from_ == BANK):
        raise RequestError("a card goes bankrupt, without an amount, and the bank or another card gets everything")
    if EVERYONE in (from_, to) and not {from_, to}.intersection(CARDS):
        raise RequestError("everyone else pays a card, or gets money from one: name a card")
    if POT in (from_, to) and not current.has_pot and not (from_ == POT and current.pot):
        raise Rejection(BankWhy.NO_POT)
    if {from_, to} - {BANK, POT, EVERYONE} - current.balances.keys():
        raise Rejection(BankWhy.NOT_IN_THE_GAME)
    if reason == Reason.BANKRUPT:
        return replace(asked, amount=max(0, current.balances[from_]))
    return replace(asked, amount=read_amount(request.amount, current.edition.money))


def read_amount(amount: str, money: Money) -> int:
    """Return an amount that is written as on the display. Raises `Rejection` or `RequestError`."""
    try:
        return money.written(amount)
    except Rejection:
        raise
    except ValueError as problem:
        raise RequestError(f"{problem}, not {amount!r}") from None
