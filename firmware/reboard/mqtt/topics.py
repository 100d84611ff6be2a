"""The topics of a table, and the messages that bridge and hall exchange, read with bounds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Self

from reboard.accessories.banker_unit.accounts import AccountNumber
from reboard.config.mqtt import TABLE_NAME
from reboard.errors import ReboardError
from reboard.record import Record
from reboard.strict_json import encoded, plain
from reboard.vocabulary.checks import arguments_of
from reboard.vocabulary.limits import LARGEST_WHOLE, Between, Length, Matches

ROOT = "reboard"

LARGEST_PAYLOAD_BYTES = 64 * 1024
LARGEST_COUNTED_BYTES = 16 * LARGEST_PAYLOAD_BYTES
"""The maximum length as `strict_json.plain` counts it, which is generous."""

LARGEST_AMOUNT = 10**15
LONGEST_TEXT = 200
LAST_SECOND = 253_402_300_799
"""The end of the year 9999, in seconds since 1970."""

ONLINE, OFFLINE = b"online", b"offline"
"""The payloads of ``availability``, which Home Assistant expects by default."""


class TopicLevel(StrEnum):
    """The last level of a table's topic."""

    AVAILABILITY = "availability"
    """QoS 1, retained: ``online`` or ``offline``; ``offline`` also when the bridge or the table is gone."""
    STATE = "state"
    """QoS 1, retained: the table now, after each change, at most ten times a second."""
    TRANSFER = "transfer"
    """QoS 1: a row of the ledger."""
    HEAD = "head"
    """QoS 0: the newest row, every five seconds."""
    HAVE = "have"
    """QoS 1: to the table: which rows a receiver has."""
    EVENT = "event"
    """QoS 1: what happened."""
    REQUEST = "request"
    """any QoS: to the table: a command of a user of the broker, whose name is one more level."""
    RESPONSE = "response"
    """QoS 1: the answer to a command of that user."""


def topic(table: str, kind: TopicLevel) -> str:
    """Return the topic of *kind* of a table. With ``+`` as *table*, it is a filter for all tables."""
    return f"{ROOT}/{table}/{kind}"


def parse_topic(name: str) -> tuple[str, TopicLevel] | None:
    """Return the table and the kind of a topic, or ``None`` if it is not a topic of a table.

    A topic of a request has one more level, and gives ``None`` too.
    """
    root, table, kind = [*name.split("/"), "", ""][:3]
    if name.count("/") != 2 or root != ROOT or kind not in list(TopicLevel) or not TABLE_NAME.fullmatch(table):
        return None
    return table, TopicLevel(kind)


class MessageError(ReboardError, ValueError):
    """The error raised if a message from the network is damaged or not of the expected form."""


def decoded(payload: bytes) -> dict[str, Any]:
    """Return the JSON object in *payload*.

    Raises `MessageError` for anything else, and for one that is too large or that `strict_json.plain` refuses.
    """
    if len(payload) > LARGEST_PAYLOAD_BYTES:
        raise MessageError(f"it has {len(payload)} bytes, but the limit is {LARGEST_PAYLOAD_BYTES}")
    try:
        message = plain(json.loads(payload.decode()), most_bytes=LARGEST_COUNTED_BYTES)
    except (ValueError, RecursionError) as error:
        raise MessageError(f"it is not JSON in UTF-8: {error}") from None
    if not isinstance(message, dict):
        raise MessageError("it is not a JSON object")
    return message


class Message(Record):
    """The base class of the messages of bridge and hall. A receiver ignores other keys."""

    @classmethod
    def parse(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `MessageError`."""
        return cls.of(decoded(payload))

    @classmethod
    def of(cls, message: Mapping[str, Any]) -> Self:
        for each in arguments_of(cls):
            if not each.allows(message.get(each.name)):
                raise MessageError(f'"{each.name}" must be {each.words}')
        return cls(*(message.get(each.name) for each in arguments_of(cls)))

    def encoded(self) -> bytes:
        return encoded(self.as_json())


Number = Annotated[int, Between(1, LARGEST_WHOLE)]
NumberOrNone = Annotated[int, Between(0, LARGEST_WHOLE)]
Text = Annotated[str, Length(1, LONGEST_TEXT)]
LedgerName = Annotated[str, Matches("[0-9a-f]{16}", "of 16 hex digits"), "the random name of the ledger"]
At = Annotated[float, Between(0, LAST_SECOND), "seconds since 1970"]


class TransferMessage(Message):
    """A row of the ledger."""

    ledger: LedgerName
    id: Number
    prev: Annotated[NumberOrNone, "the id of the row before it in that ledger, or 0"]
    game: Number
    edition: Annotated[Text, "that of the game"]
    from_: AccountNumber
    to: AccountNumber
    amount: Annotated[int, Between(1, LARGEST_AMOUNT)]
    reason: Text
    at: At
    undoes: Number | None

    @classmethod
    def of(cls, message: Mapping[str, Any]) -> Self:
        row = super().of(message)
        if row.prev >= row.id:
            raise MessageError(f'"prev" must be a whole number from 0 to {row.id - 1}')
        return row


class Head(Message):
    """The id of the last row of a ledger, or 0."""

    ledger: LedgerName
    last: NumberOrNone


class Have(Message):
    """A receiver's answer: it has stored every row of *ledger* up to *upto*.

    With *again*, the table must send the rows after it again.
    """

    ledger: LedgerName
    upto: NumberOrNone
    again: bool


class OfLedger(Message):
    """The ledger to which a state or an event belongs, or null. It can be older or newer than the last head's."""

    ledger: LedgerName | None
