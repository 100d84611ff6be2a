"""What the banker unit says and takes: its events, its requests and its part of the snapshot, except for phones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Annotated, Literal, NotRequired, TypedDict

from reboard.accessories.banker_unit.accounts import (
    LARGEST_BALANCE,
    AccountNumber,
    TransferReason,
)
from reboard.accessories.banker_unit.fields import Amount, Card, Money, Moved, PaymentId, Row, Shown
from reboard.accessories.banker_unit.phone_vocabulary import PhonesState, WaitingPayment
from reboard.accessories.banker_unit.rejections import REJECTIONS
from reboard.editions.edition import MOST_PLAYERS
from reboard.record import Record
from reboard.vocabulary.declared import Event, Request, State
from reboard.vocabulary.limits import LARGEST_WHOLE, LOCAL, Between, Keys, Length, Matches, OneOf, Sensor

CLOCK_LENGTHS_MIN = (30, 45, 60, 90, 120)
"""The lengths to which the game clock can be set, in minutes."""

USUAL_OUTGOING = 100
MOST_OUTGOING = 500
"""The usual and the maximum number of transfers in an answer to ``transfers``."""

LONGEST_NAME = 20
"""The maximum length of a player's name, in characters as people see them."""

MOST_NAME_CODES = 240
"""The maximum length in Unicode's code points, of which a family of emoji has up to eleven."""

OfGame = Annotated[Row, "in another game than the current one, nothing happens"]
Side = Literal["left", "right"]
"""The side of a slot. The card in the left slot receives money, and the card in the right slot pays."""

Device = Literal["left", "right", "keypad", "display"]
"""A device of the unit, by its key in ``[bank]``."""

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


class Name(Request, do="name", label="name a card", is_private=True):
    """Name a player in every game."""

    card: Card
    name: Annotated[
        str,
        Length(0, MOST_NAME_CODES),
        Matches("[^\\u0000-\\u001f\\u007f-\\u00a0]*", "printable characters"),
        f'up to {LONGEST_NAME} characters, of which the display shows eight; "" for the name of `table.toml`',
    ]


class Forgotten(TypedDict):
    """The answer to a request to forget a player."""

    cards: Annotated[Sequence[Card], "those that had the name from the host"]


class Forget(Request, do="forget", label="forget a player", answer=Forgotten, is_private=True):
    """Delete a name that the host has given, also from the backups, which are made again: all have the ledger of now.

    The transfers stay. Repeating it does no harm.
    """

    name: Annotated[str, Length(1, MOST_NAME_CODES), "in capitals or not"]


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
    phones: Annotated[PhonesState, LOCAL]
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
