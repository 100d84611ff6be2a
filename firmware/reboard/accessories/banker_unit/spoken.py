"""What the table's voice says of the banker unit's events: the sentences of the pages, with amounts in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from reboard.accessories.accessory import Announcement
from reboard.accessories.banker_unit.accounts import CARDS, Account, Reason
from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.accessories.banker_unit.vocabulary import (
    CardInserted,
    DealEnded,
    DealStarted,
    GameEnded,
    GameStarted,
    Refused,
    Transferred,
)
from reboard.editions.money import K_ZEROS, M_ZEROS, AmountWhy
from reboard.languages import Texts

Fields = Mapping[str, Any]

SENTENCES: Mapping[str, str] = {why: why.sentence for why in (*AmountWhy.members, *BankWhy.members)}
SAID_REASONS = {reason: reason.label for reason in (Reason.SALARY, Reason.BANKRUPT, Reason.LEFT, Reason.UNDO)}


def spoken_amount(amount: int, units: bool, say: Texts) -> str:
    """Return *amount* as it is read aloud: ``1.5 million``, or its digits in an edition without *units*."""
    if amount < 0:
        return say("minus {amount}", amount=spoken_amount(-amount, units, say))
    if not units or amount < 10**K_ZEROS:
        return str(amount)
    if amount < 10**M_ZEROS:
        return say("{amount} thousand", amount=_number(amount, K_ZEROS, say))
    number = _number(amount, M_ZEROS, say)
    return say("1 million") if number == "1" else say("{amount} million", amount=number)


def _number(amount: int, zeros: int, say: Texts) -> str:
    whole, rest = divmod(amount, 10**zeros)
    decimals = f"{rest:0{zeros}}".rstrip("0")
    return say.amount(f"{whole}.{decimals}") if decimals else str(whole)


def _holder(account: int, table: Fields, say: Texts, context: str = "") -> str:
    """Return who has *account*: a player's name, a card, the bank or the pot. Languages decline it in a *context*."""
    if account not in CARDS:
        return Texts(say.language, context)(Account(account).label)
    name = next((card["name"] for card in table["cards"] if card["number"] == account), "")
    name = name or say("card {number}", number=account)
    return Texts(say.language, context)("{name}", name=name) if context else name


def _has(card: int, table: Fields, say: Texts) -> str:
    balance = next((each["balance"] for each in table["cards"] if each["number"] == card), None)
    if balance is None:
        return ""
    shown = spoken_amount(balance, table["units"], say)
    return say("{player} has {amount}.", player=_capital(_holder(card, table, say)), amount=shown)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _card(event: Fields, table: Fields, say: Texts) -> str:
    return _has(event["number"], table, say) if event["number"] else ""


def _transfer(event: Fields, table: Fields, say: Texts) -> str:
    if event["reason"] == Reason.START:
        return ""  # the card is said
    payer, receiver = event["from"], event["to"]
    paid = say(
        "{payer} pays {receiver} {amount}",
        payer=_holder(payer, table, say),
        receiver=_holder(receiver, table, say, "receiver"),
        amount=spoken_amount(event["amount"], table["units"], say),
    )
    if why := SAID_REASONS.get(event["reason"]):
        paid = say("{before}: {after}", before=paid, after=say(why))
    return f"{_capital(paid)}. {_has(receiver if receiver in CARDS else payer, table, say)}".strip()


def _rejection(event: Fields, table: Fields, say: Texts) -> str:
    sentence = SENTENCES.get(event["why"], "")
    return f"{_capital(say(sentence).partition(':')[0].strip())}." if sentence else ""


def _winner(event: Fields, table: Fields, say: Texts) -> str:
    winners = [_holder(place["number"], table, say) for place in event["ranking"] if place["place"] == 1]
    over = say("game {game} is over; first: {winners}", game=event["game"], winners=", ".join(winners))
    return f"{_capital(over)}."


ANNOUNCEMENTS: Mapping[str, Announcement] = {
    CardInserted.event: _card,
    Transferred.event: _transfer,
    Refused.event: _rejection,
    DealStarted.event: lambda _, __, say: f"{_capital(say('an auction starts'))}.",
    DealEnded.event: lambda _, __, say: f"{_capital(say('the auction is over'))}.",
    GameStarted.event: lambda event, _, say: f"{_capital(say('game {game} starts', game=event['game']))}.",
    GameEnded.event: _winner,
}


def spoken_texts(say: Texts) -> Iterable[str]:
    """Return the texts of which the announcements are made, each with its values in braces."""
    yield from map(
        say,
        (
            *("card {number}", "{player} has {amount}.", "{payer} pays {receiver} {amount}"),
            *("minus {amount}", "{amount} thousand", "1 million", "{amount} million"),
            *(
                "an auction starts",
                "the auction is over",
                "game {game} starts",
                "game {game} is over; first: {winners}",
            ),
            *SAID_REASONS.values(),
        ),
    )
    for texts in (say, Texts(say.language, "receiver")):
        yield from map(texts, ("{name}", *(account.label for account in Account)))
    yield from (say(sentence).partition(":")[0] for sentence in SENTENCES.values())
