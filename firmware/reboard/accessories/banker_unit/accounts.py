"""The accounts of a game, the reasons for which money moves between them, and the states of a payment."""

from __future__ import annotations

from typing import Annotated

from reboard.editions.edition import MOST_PLAYERS
from reboard.labels import Labelled, LabelledNumbers, Labels
from reboard.vocabulary.limits import Between, OneOf

CARDS = range(1, MOST_PLAYERS + 1)
"""The accounts of the cards."""

LARGEST_BALANCE = 10**15
"""The largest balance in any edition, in the currency's ones. It is far below the maximum of SQLite's integers."""


class Account(LabelledNumbers):
    """The accounts that are no card's. All texts have their names: ``POT``, ``Pot``, ``the pot``."""

    BANK = 0
    """Its balance has no minimum."""

    POT = 9
    """The Free Parking pot. The first payment into it opens the account."""


BANK, POT = Account.BANK, Account.POT

EVERYONE = 10
"""Every other player in the game: no account, but a side of a payment that a player asks for."""

NO_CARDS = ", ".join(map(str, Account))
"""The accounts that are no card's, for SQL."""

_CARDS = f"{CARDS[0]} to {CARDS[-1]} are cards"

AccountNumber = Annotated[
    int,
    Between(BANK, max(*CARDS, *Account)),
    f"{BANK} is {BANK.label}, {_CARDS}, " + ", ".join(f"{each} is {each.label}" for each in Account if each != BANK),
]


AskedAccount = Annotated[
    int,
    Between(BANK, EVERYONE),
    f"{BANK} is {BANK.label}, {_CARDS}, {int(POT)} is {POT.label}, {EVERYONE} is every other player",
]


class Reason(Labels):
    """The reasons for the transfers of the bank. Outcomes of other accessories, and those of ``pay``, are reasons, too.

    Pages show no reason if payer and receiver say it already.
    """

    START = Labelled("start", "starting money")
    SALARY = Labelled("salary", "salary")
    RECEIVED = Labelled("received")
    PAID = Labelled("paid")
    PLAYERS = Labelled("players")
    EACH_PAID = Labelled("each_paid", "to everyone", "paid to each player")
    EACH_RECEIVED = Labelled("each_received", "from everyone", "received from each player")
    POT_PAID = Labelled("pot_paid", "", "paid into the pot")
    POT_TAKEN = Labelled("pot_taken", "", "taken from the pot")
    POT_FILLED = Labelled("pot_filled", "", "paid into the pot by the bank")
    BANKRUPT = Labelled("bankrupt", "bankrupt")
    LEFT = Labelled("left", "left the game", "left the game")
    UNDO = Labelled("undo", "taken back")


TransferReason = Annotated[str, f"{', '.join(Reason.members)}, an outcome of another accessory, or that of a `pay`"]

ASKED_REASONS = (
    *(Reason.START, Reason.RECEIVED, Reason.PAID, Reason.PLAYERS, Reason.EACH_PAID, Reason.EACH_RECEIVED),
    *(Reason.POT_PAID, Reason.POT_TAKEN, Reason.POT_FILLED, Reason.BANKRUPT),
)
AskedReason = Annotated[str, OneOf(*ASKED_REASONS), f"`{Reason.START}` to join"]

ASKED = "asked"
"""The state of a payment that waits for an answer."""


class PaymentEnd(Labels):
    """The ends of a payment that a player asks for, except rejections of the bank."""

    BOOKED = Labelled("booked", "confirmed")
    REJECTED = Labelled("rejected", "rejected")
    WITHDRAWN = Labelled("withdrawn", "withdrawn")
    EXPIRED = Labelled("expired", "not confirmed in time")
    TAKEN_BACK = Labelled("taken back", "taken back")
