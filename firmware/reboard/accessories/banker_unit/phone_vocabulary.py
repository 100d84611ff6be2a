"""What the banker unit says to the phones of players, and takes from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, TypedDict

from reboard.accessories.banker_unit.accounts import ASKED, AskedAccount, AskedReason, PaymentEnd
from reboard.accessories.banker_unit.fields import Amount, Card, Money, PaymentId, Row, Shown
from reboard.accessories.banker_unit.rejections import REJECTIONS
from reboard.accessories.shared_requests import OfPhone
from reboard.accessories.table_vocabulary import PhonePay
from reboard.editions.edition import MOST_PLAYERS
from reboard.record import Record
from reboard.vocabulary.declared import Event, Request, State, Waits
from reboard.vocabulary.limits import Between, Length, OneOf

PhonesOfCards = Annotated[Mapping[str, str], "the phone of each card that has one: eight hex digits of its name"]
Asked = Annotated[Money, Between(0, None), "of each player. 0 only for a player who goes bankrupt without money"]
By = Annotated[int, Between(0, MOST_PLAYERS), "the card of the player who asks, or 0 if no phone asks"]
TakeBack = Annotated[float, Between(0, None), "seconds within which players can take it back, or 0"]

ENDS, ENDED = (*PaymentEnd.members, *REJECTIONS), f"{', '.join(PaymentEnd.members)}, or the rejection"
"""The ends of a payment, with their meaning."""


class PaymentFields(Record):
    """The fields of the events of a payment."""

    payment: PaymentId
    game: Row
    from_: AskedAccount
    to: AskedAccount
    amount: Asked
    reason: AskedReason
    by: By


class PaymentAsked(PaymentFields, Event, name="payment.asked"):
    """A player asks for this transfer."""


class PaymentEnded(PaymentFields, Event, name="payment.ended"):
    """A payment waits no more, or is taken back. In the mode `free`, some are booked at once."""

    why: Annotated[str, OneOf(*ENDS), ENDED]
    take_back_s: TakeBack


class PhonesChanged(Event, name="phones"):
    """The payments from phones were switched, or a card has a phone now, or none any more."""

    pay: PhonePay
    cards: PhonesOfCards


AskedAccounts = TypedDict("AskedAccounts", {"from": AskedAccount, "to": AskedAccount})


class WaitingPayment(AskedAccounts):
    """A payment that a player asks for."""

    payment: PaymentId
    game: Row
    amount: Asked
    reason: AskedReason
    by: By
    shown: Shown


class PhonesState(State):
    """The phones of players."""

    pay: PhonePay
    cards: PhonesOfCards


class PaymentState(State):
    """The state of a payment."""

    state: Annotated[str, OneOf(ASKED, *ENDS), f"{ASKED}, {ENDED}"]
    by: By
    take_back_s: TakeBack


class AskPayment(
    OfPhone,
    Request,
    do="ask_payment",
    label="ask for a transfer",
    answer=PaymentState,
    is_for_players=True,
    waits=Waits("payments", id="payment", reject="reject_payment"),
):
    """Announce a payment, or book it at once in the mode `free`. Without an amount, the card joins the game.

    In the mode `free`, a player's own money moves at once, and that of the bank or the pot to the player. Money of
    other players waits. A player who goes *bankrupt* pays everything to the bank or to another player.
    """

    payment: PaymentId
    game: Annotated[Row, "the current one's number"]
    from_: AskedAccount
    to: AskedAccount
    amount: Amount = ""
    bankrupt: Annotated[bool, "without an amount: the payer goes bankrupt"] = False


class OfPayment(OfPhone):
    """The fields of the answers to a payment."""

    payment: PaymentId


class ConfirmPayment(
    OfPayment,
    Request,
    do="confirm_payment",
    label="request confirmed",
    answer=PaymentState,
    is_for_players=True,
):
    """Book a payment. Of the phones, only those of its payers can confirm what another player asks for."""


class RejectPayment(
    OfPayment,
    Request,
    do="reject_payment",
    label="request rejected",
    answer=PaymentState,
    is_for_players=True,
):
    """End a payment that waits. Of the phones, only those of its payers and of the player who asks can."""


class TakeBackPayment(
    OfPayment,
    Request,
    do="take_back",
    label="request taken back",
    answer=PaymentState,
    is_for_players=True,
):
    """Undo a booked payment that a player asked for. A phone can do it within its `take_back_s`."""


class Join(OfPhone, Request, do="join", label="a phone joins", answer=PhonesState, is_for_players=True, secret="code"):
    """Give a card to the phone. The card joins the game if it is not in it.

    A phone without a card needs the code, which the display shows if it is left out or wrong.
    """

    card: Card
    code: Annotated[str, Length(0, 4), "the four digits of the code"] = ""
    instead: Annotated[bool, "whether the phone replaces the card's present one"] = False


class LeaveCard(OfPhone, Request, do="leave_card", label="a phone leaves", answer=PhonesState, is_for_players=True):
    """Take the phone from its card. The card stays in the game. The host takes it from any *card*."""

    card: Annotated[int, Between(0, MOST_PLAYERS), "for the host: the card"] = 0


class Auction(OfPhone, Request, do="auction", is_for_players=True):
    """Start the deal timer, or cancel it. A phone needs a card for that."""

    on: bool = True


class SetPhones(Request, do="phones", label="how phones pay", answer=PhonesState):
    """Switch the payments from phones: off, ask or free, until `pay` in the config changes."""

    pay: PhonePay
