"""What the banker unit says and takes: its events and requests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Annotated, Literal, NotRequired, TypedDict

from reboard.accessories.banker_unit.accounts import (
    ASKED,
    LARGEST_BALANCE,
    AccountNumber,
    AskedAccount,
    AskedReason,
    PaymentEnd,
    TransferReason,
)
from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.accessories.table_vocabulary import PhonePay
from reboard.editions.edition import MOST_PLAYERS
from reboard.editions.money import AmountWhy
from reboard.record import Record
from reboard.vocabulary.declared import Event, Request, State, Waits
from reboard.vocabulary.limits import LARGEST_WHOLE, LOCAL, Between, Keys, Length, Matches, OneOf, Sensor

CLOCK_LENGTHS_MIN = (30, 45, 60, 90, 120)
"""The lengths to which the game clock can be set, in minutes."""

USUAL_OUTGOING = 100
MOST_OUTGOING = 500
"""The usual and the maximum number of transfers in an answer to ``transfers``."""

Row = Annotated[int, Between(1, LARGEST_WHOLE), "its number in the ledger"]
Card = Annotated[int, Between(1, MOST_PLAYERS)]
Money = Annotated[int, "in the currency's ones: 15M is 15000000"]
Moved = Annotated[Money, Between(1, None)]
Asked = Annotated[Money, Between(0, None), "of each player. 0 only for a player who goes bankrupt without money"]
Shown = Annotated[str, "the amount as displayed, such as 16.5M"]
Amount = Annotated[str, Length(1, 16), "as on the display, such as 1.5M"]
LONGEST_NAME = 20
"""The maximum length of a player's name, in characters as people see them."""

MOST_NAME_CODES = 240
"""The maximum length in Unicode's code points, of which a family of emoji has up to eleven."""

SHORT_PHONE = 8
"""The number of hex digits that name a phone for pages and users."""

By = Annotated[int, Between(0, MOST_PLAYERS), "the card of the player who asks, or 0 if no phone asks"]
TakeBack = Annotated[float, Between(0, None), "seconds within which players can take it back, or 0"]
PaymentId = Annotated[str, Length(8, 64), "an id, which its sender chooses"]
OfGame = Annotated[Row, "in another game than the current one, nothing happens"]
Side = Literal["left", "right"]
"""The side of a slot. The card in the left slot receives money, and the card in the right slot pays."""

Device = Literal["left", "right", "keypad", "display"]
"""A device of the unit, by its key in ``[bank]``."""

REJECTIONS = (*AmountWhy.members, *BankWhy.members)
ENDS, ENDED = (*PaymentEnd.members, *REJECTIONS), f"{', '.join(PaymentEnd.members)}, or the rejection"
"""The rejections of the bank, and the ends of a payment with their meaning."""

PhonesOfCards = Annotated[Mapping[str, str], "the phone of each card that has one: eight hex digits of its name"]

Dialog = Literal["menu", "offer", "count", "ranking", "pot", "new card"]


class Place(State):
    """A player in the ranking."""

    place: Annotated[int, Between(1, None), "equal players share a place"]
    number: Card
    name: Annotated[str, "may be empty"]
    worth: Money
    shown: Shown


class Ended(State):
    """A game that is over."""

    game: Row
    ranking: Annotated[Sequence[Place], "best first"]


class CardInserted(Event, name="card.inserted"):
    """A card came into a slot."""

    slot: Side
    number: Annotated[Card | None, "a rejected one is null"]


class CardRemoved(Event, name="card.removed"):
    """A card was taken out."""

    slot: Side
    number: Card | None


class Transferred(Event, name="transfer"):
    """Money moved and is on the disk."""

    id: Row
    game: Row
    from_: AccountNumber
    to: AccountNumber
    amount: Moved
    reason: TransferReason
    undoes: Row | None


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


class Refused(Event, name="refused"):
    """The bank rejected an input. Nothing moved."""

    why: Annotated[str, OneOf(*REJECTIONS), "the rejection"]


class GameFields(Record):
    """The fields of the events of a game that becomes current."""

    game: Row
    edition: str


class GameStarted(GameFields, Event, name="game.started", is_shared=True):
    """A new game."""


class GameResumed(GameFields, Event, name="game.resumed", is_shared=True):
    """An earlier game continues."""


class GameEnded(Event, name="game.ended", is_shared=True):
    """The game is over."""

    game: Row
    ranking: Annotated[Sequence[Place], "as in the snapshot's ended"]


class ClockSet(Event, name="game.clock", is_shared=True):
    """The game clock was set or turned off, has five minutes left, or is up."""

    minutes: Annotated[int | None, Between(0, CLOCK_LENGTHS_MIN[-1]), "0 is up, null is off"]


class Named(Event, name="named"):
    """A player's name was set."""

    number: Card
    name: Annotated[str, "may be empty"]


class DealStarted(Event, name="deal.started", is_shared=True):
    """The deal timer runs, for a secret time."""


class DealTick(Event, name="deal.tick", is_passing=True):
    """A tick of the deal timer."""


class DealEnded(Event, name="deal.ended", is_shared=True):
    """The gavel fell."""


class DealCancelled(Event, name="deal.cancelled", is_shared=True):
    """The deal timer was cancelled."""


class CardState(State):
    """A card in the game."""

    number: Card
    balance: Money
    shown: Shown
    name: Annotated[str, "may be empty"]
    retired: Annotated[bool, "bankrupt"]
    left: Annotated[bool, "has left the game"]
    playing: Annotated[bool, "counts as a player: it is in the game, and has more than its starting money"]


class Pot(State):
    """The Free Parking pot."""

    balance: Money
    shown: Shown


class Slots(State):
    """The number of the card in each slot."""

    left: Card | None
    right: Card | None


class Deal(State):
    """The deal timer."""

    running: Annotated[
        bool, Sensor("deal", "Auction", device_class="running", icon="mdi:gavel"), "whether an auction runs"
    ]


Accounts = TypedDict("Accounts", {"from": AccountNumber, "to": AccountNumber})


class TransferRow(Accounts):
    """A transfer."""

    id: Row
    game: Row
    amount: Moved
    reason: TransferReason
    at: Annotated[float, "seconds since 1970"]
    undoes: Annotated[Row | None, "the transfer that this one undoes"]
    act: Annotated[Row | None, "the first transfer of an act of several, which are undone together"]


class LastTransfer(TransferRow):
    """The game's last transfer."""

    shown: Shown


AskedAccounts = TypedDict("AskedAccounts", {"from": AskedAccount, "to": AskedAccount})


class WaitingPayment(AskedAccounts):
    """A payment that a player asks for."""

    payment: PaymentId
    game: Row
    amount: Asked
    reason: AskedReason
    by: By
    shown: Shown


class Phones(State):
    """The phones of players."""

    pay: PhonePay
    cards: PhonesOfCards


class EditionState(State):
    """An edition for a new game."""

    name: str
    title: str
    titles: Annotated[Mapping[str, str], "the title in each language"]
    units: Annotated[bool, "whether amounts are shown with K and M"]
    currency: Annotated[str, "the sign of the currency, may be empty"]


class Past(State):
    """The past of the current game."""

    game: Row | None
    before: Annotated[Mapping[str, Money], "each card's balance before the first of these transfers"]
    transfers: Annotated[Sequence[TransferRow], "oldest first"]


class History(Request, do="history", changes=False, answer=Past):
    """Answers with the current game's latest 2,000 transfers, and each card's balance before them."""


class Outgoing(State):
    """Transfers to copy."""

    ledger: Annotated[str, "the random name of the ledger"]
    before: Annotated[int, "the number of the last transfer before these, or 0"]
    last: Annotated[int, "the number of the ledger's last transfer, or 0"]
    editions: Annotated[Mapping[str, str], "the edition of each game"]
    transfers: Annotated[Sequence[TransferRow], "oldest first"]


class Transfers(Request, do="transfers", changes=False, answer=Outgoing):
    """Answers with the transfers of all games after one, oldest first."""

    after: Annotated[int, Between(0, LARGEST_WHOLE), "a transfer's number, or 0"]
    most: Annotated[int, Between(1, MOST_OUTGOING)] = USUAL_OUTGOING


class CurrentGame(State):
    """The current game."""

    game: Row


class NewGame(Request, do="new_game", answer=CurrentGame):
    """Start a game, by default in the same edition.

    The cards in the slots join it, and with *same_players* all that are in the current game. *game* makes the request
    safe to repeat: no game starts if it is no longer the current one.
    """

    game: Annotated[Row, "the current one's number"] = 0
    edition: Annotated[str, Length(1, 200), "a name of the snapshot's list"] = ""
    same_players: bool = False


class EndGame(Request, do="end_game", answer=Ended):
    """End the game. Answers as the snapshot's `ended`. Nothing is booked."""

    game: Annotated[Row, "the current one's number"]
    worths: Annotated[
        Mapping[str, Annotated[int, Between(0, LARGEST_BALANCE)]],
        Keys(f"[1-{MOST_PLAYERS}]", f'cards ("1" to "{MOST_PLAYERS}")'),
        "the worth of each player's deeds and houses",
    ] = field(default_factory=dict)


class Undone(TransferRow):
    """An undone act: its first opposite transfer."""

    more: Annotated[Sequence[TransferRow], "the others of the act"]


class Undo(Request, do="undo", label="take back a transfer", answer=Undone):
    """Undo a transfer of the current game with its whole act.

    Answers with the opposite transfer. The others of the act are in its `more`.
    """

    transfer: Row


class Each(Request, do="each", label="everyone pays, or gets"):
    """Let each other player pay a card, or let the card pay each. All of it is booked, or nothing."""

    payment: PaymentId
    card: Card
    amount: Amount
    receives: Annotated[bool, "whether the card receives"]
    game: OfGame = 0


class FillPot(Request, do="fill_pot", label="bank to pot"):
    """Let the bank pay into the Free Parking pot."""

    payment: PaymentId
    amount: Amount
    game: OfGame = 0


class Pay(Request, do="pay", label="make a transfer", answer=TransferRow):
    """Move money between any two accounts. Answers with the transfer.

    Repeated with the same *payment*, it answers with the same transfer, also after a restart.
    """

    payment: PaymentId
    from_: AccountNumber
    to: AccountNumber
    amount: Annotated[int, Between(1, LARGEST_BALANCE), "in the currency's ones: 15M is 15000000"]
    reason: Annotated[str, Length(1, 60), "what the history shows, such as the title of an accessory"]
    game: OfGame = 0


class Name(Request, do="name", label="name a card"):
    """Name a player in every game."""

    card: Card
    name: Annotated[
        str,
        Length(0, MOST_NAME_CODES),
        Matches("[^\\u0000-\\u001f\\u007f-\\u00a0]*", "printable characters"),
        f'up to {LONGEST_NAME} characters, of which the display shows eight; "" for the name of `table.toml`',
    ]


class OfCard(Record):
    """The fields of the requests for a card."""

    card: Card
    game: OfGame = 0


class Leave(OfCard, Request, do="leave", label="a player leaves"):
    """Take a card out of the game. Its money goes to the bank. This is no bankruptcy."""


class ComeBack(OfCard, Request, do="come_back", label="a player returns"):
    """Return a card that left or is bankrupt, with its money."""


class Replace(OfCard, Request, do="replace", label="card lost"):
    """Wait for a new card in a slot, which gets the number and the balance of a lost card when `GO` is pressed.

    Both slots must be empty.
    """


class Free(OfCard, Request, do="free", label="free a number"):
    """Take a card out of the game if it is in, and free its number for a new card."""


class PaymentState(State):
    """The state of a payment."""

    state: Annotated[str, OneOf(ASKED, *ENDS), f"{ASKED}, {ENDED}"]
    by: By
    take_back_s: TakeBack


class OfPhone(Record, kw_only=True):
    """The field of the requests of players. Requests of the host and of programs have none."""

    phone: Annotated[str, Length(0, 64), "the phone that asks; only the table page sets it"] = ""


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


class Join(OfPhone, Request, do="join", label="a phone joins", answer=Phones, is_for_players=True, secret="code"):
    """Give a card to the phone. The card joins the game if it is not in it.

    A phone without a card needs the code, which the display shows if it is left out or wrong.
    """

    card: Card
    code: Annotated[str, Length(0, 4), "the four digits of the code"] = ""
    instead: Annotated[bool, "whether the phone replaces the card's present one"] = False


class LeaveCard(OfPhone, Request, do="leave_card", label="a phone leaves", answer=Phones, is_for_players=True):
    """Take the phone from its card. The card stays in the game. The host takes it from any *card*."""

    card: Annotated[int, Between(0, MOST_PLAYERS), "for the host: the card"] = 0


class Code(State):
    """The code with which a phone joins."""

    code: Annotated[str, "four digits"]


class JoinCode(OfPhone, Request, do="join_code", changes=False, answer=Code, is_for_players=True):
    """Answers with the code for other phones. A phone needs a card to read it."""


class Auction(OfPhone, Request, do="auction", is_for_players=True):
    """Start the deal timer, or cancel it. A phone needs a card for that."""

    on: bool = True


class SetPhones(Request, do="phones", label="how phones pay", answer=Phones):
    """Switch the payments from phones: off, ask or free, until `pay` in the config changes."""

    pay: PhonePay


class Snapshot(State):
    """The part of the banker unit."""

    display: Annotated[Sequence[str], LOCAL, Length(2, 2), "the two lines"]
    ledger: Annotated[str | None, "the random name of the ledger"]
    game: Annotated[Row | None, "the game's number in the ledger"]
    ended: Annotated[Ended | None, "disappears when the game continues"]
    clock: Annotated[int | None, Between(0, CLOCK_LENGTHS_MIN[-1]), "minutes left on the game clock"]
    cards: Annotated[Sequence[CardState], Length(0, MOST_PLAYERS)]
    pot: Annotated[Pot | None, "null if the table has none, and no money is left in it"]
    slots: Slots
    deal: Deal | None
    transfers: Annotated[Sequence[TransferRow], LOCAL, "the latest, newest first"]
    last_transfer: LastTransfer | None
    payments: Annotated[Sequence[WaitingPayment], LOCAL, "the payments that players ask for, oldest first"]
    phones: Annotated[Phones, LOCAL]
    fitted: Annotated[Sequence[Device], LOCAL, "the devices that the unit has: left, right, keypad, display"]
    editions: Annotated[Sequence[EditionState], LOCAL, "for a new game, each followed by its variants"]
    asleep: Annotated[NotRequired[bool], LOCAL, "whether the display is asleep"]
    typed: Annotated[NotRequired[str], LOCAL, "the typed amount"]
    refused: Annotated[NotRequired[str | None], LOCAL, "why the last key or card was rejected, until the next one"]
    dialog: Annotated[NotRequired[Dialog | None], LOCAL, "the open dialog"]


class ReadBank(Request, do="read_bank", changes=False, answer=Snapshot, is_internal=True):
    """Answers with the part of the banker unit, such as the game, the cards with their balances, and the pot."""


ABSENT: Snapshot = {
    "display": ["", ""],
    "ledger": None,
    "game": None,
    "ended": None,
    "clock": None,
    "cards": [],
    "pot": None,
    "slots": {"left": None, "right": None},
    "deal": None,
    "transfers": [],
    "last_transfer": None,
    "payments": [],
    "phones": {"pay": "off", "cards": {}},
    "fitted": [],
    "editions": [],
}
