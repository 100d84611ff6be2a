"""The topics of a table, and the messages that bridge and hall exchange, read with bounds."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NoReturn

from reboard.config.mqtt import TABLE_NAME
from reboard.errors import ReboardError
from reboard.strict_json import encoded

ROOT = "reboard"

LARGEST_PAYLOAD_BYTES = 64 * 1024
DEEPEST = 16
"""The maximum number of objects and lists around a value."""

LARGEST_ID = 2**63 - 1
LARGEST_AMOUNT = 10**15
LONGEST_TEXT = 200
LAST_SECOND = 253_402_300_799
"""The end of the year 9999, in seconds since 1970."""

BANK_ACCOUNT, POT_ACCOUNT = 0, 9
"""The accounts in a transfer that are not cards: the bank, and the Free Parking pot."""
START = "start"
"""The reason of a transfer of starting money."""

ONLINE, OFFLINE = b"online", b"offline"
"""The payloads of ``availability``, which Home Assistant expects by default."""

LEDGER_NAME = re.compile("[0-9a-f]{16}")
"""A pattern for the random name of a ledger."""


class Kind(StrEnum):
    """The last level of a table's topic. ``docs/mqtt.md`` describes the messages."""

    AVAILABILITY = "availability"
    STATE = "state"
    TRANSFER = "transfer"
    HEAD = "head"
    HAVE = "have"
    EVENT = "event"
    REQUEST = "request"
    """The user of the broker who sends the request is one more level."""
    RESPONSE = "response"
    """The same."""


def topic(table: str, kind: Kind) -> str:
    """Return the topic of *kind* of a table. With ``+`` as *table*, it is a filter for all tables."""
    return f"{ROOT}/{table}/{kind}"


def parse_topic(name: str) -> tuple[str, Kind] | None:
    """Return the table and the kind of a topic, or ``None`` if it is not a topic of a table.

    A topic of a request has one more level, and gives ``None`` too.
    """
    root, table, kind = [*name.split("/"), "", ""][:3]
    if name.count("/") != 2 or root != ROOT or kind not in list(Kind) or not TABLE_NAME.fullmatch(table):
        return None
    return table, Kind(kind)


class MessageError(ReboardError, ValueError):
    """The error raised if a message from the network is damaged or not of the expected form."""


def decoded(payload: bytes) -> dict[str, Any]:
    """Return the JSON object in *payload*.

    Raises `MessageError` for anything else, and for one that is too large, nested too deeply, or has half a character.
    """
    if len(payload) > LARGEST_PAYLOAD_BYTES:
        raise MessageError(f"it has {len(payload)} bytes, but the limit is {LARGEST_PAYLOAD_BYTES}")
    try:
        message = json.loads(payload.decode(), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise MessageError(f"it is not JSON in UTF-8: {error}") from None
    if not isinstance(message, dict):
        raise MessageError("it is not a JSON object")
    _check(message, 1)
    return message


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number of JSON")


def _check(value: object, depth: int) -> None:
    if isinstance(value, dict | list):
        if depth > DEEPEST:
            raise MessageError(f"it is nested more than {DEEPEST} deep")
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            _check(key, depth)
            _check(inner, depth + 1)
    elif isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise MessageError("a text in it has half a character") from None
    elif isinstance(value, float) and not math.isfinite(value):
        raise MessageError("a number in it is too large")


@dataclass(frozen=True, slots=True)
class TransferMessage:
    """A row of the ledger *ledger*. *prev* is the id of the row before it in that ledger, or 0.

    *edition* is that of the game. *at* is in seconds since 1970.
    """

    ledger: str
    id: int
    prev: int
    game: int
    edition: str
    from_: int
    to: int
    amount: int
    reason: str
    at: float
    undoes: int | None

    @classmethod
    def parse(cls, payload: bytes) -> TransferMessage:
        """Return the transfer in *payload*. Raises `MessageError`."""
        message = decoded(payload)
        number = whole(message, "id", least=1)
        undoes = message.get("undoes")
        return cls(
            ledger_name(message),
            number,
            whole(message, "prev", most=number - 1),
            whole(message, "game", least=1),
            text(message, "edition"),
            whole(message, "from", most=POT_ACCOUNT),
            whole(message, "to", most=POT_ACCOUNT),
            whole(message, "amount", least=1, most=LARGEST_AMOUNT),
            text(message, "reason"),
            _time(message, "at"),
            None if undoes is None else whole(message, "undoes", least=1),
        )

    def encoded(self) -> bytes:
        """Return the message as JSON."""
        return encoded(
            {
                "ledger": self.ledger,
                "id": self.id,
                "prev": self.prev,
                "game": self.game,
                "edition": self.edition,
                "from": self.from_,
                "to": self.to,
                "amount": self.amount,
                "reason": self.reason,
                "at": self.at,
                "undoes": self.undoes,
            }
        )


@dataclass(frozen=True, slots=True)
class Head:
    """The id of the last row of a ledger, or 0."""

    ledger: str
    last: int

    @classmethod
    def parse(cls, payload: bytes) -> Head:
        """Return the head in *payload*. Raises `MessageError`."""
        message = decoded(payload)
        return cls(ledger_name(message), whole(message, "last"))

    def encoded(self) -> bytes:
        """Return the message as JSON."""
        return encoded({"ledger": self.ledger, "last": self.last})


@dataclass(frozen=True, slots=True)
class Have:
    """A receiver's answer: it has stored every row of *ledger* up to *upto*.

    With *again*, the table must send the rows after it again.
    """

    ledger: str
    upto: int
    again: bool

    @classmethod
    def parse(cls, payload: bytes) -> Have:
        """Return the answer in *payload*. Raises `MessageError`."""
        message = decoded(payload)
        if not isinstance(message.get("again"), bool):
            raise MessageError('"again" must be true or false')
        return cls(ledger_name(message), whole(message, "upto"), message["again"])

    def encoded(self) -> bytes:
        """Return the message as JSON."""
        return encoded({"ledger": self.ledger, "upto": self.upto, "again": self.again})


def whole(message: Mapping[str, Any], key: str, *, least: int = 0, most: int = LARGEST_ID) -> int:
    """Return the whole number at *key*. Raises `MessageError`."""
    value = message.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise MessageError(f'"{key}" must be a whole number from {least} to {most}')
    return value


def text(message: Mapping[str, Any], key: str, *, most: int = LONGEST_TEXT) -> str:
    """Return the text of 1 to *most* printable characters at *key*. Raises `MessageError`."""
    value = message.get(key)
    if not (isinstance(value, str) and 0 < len(value) <= most and value.isprintable()):
        raise MessageError(f'"{key}" must be a text of 1 to {most} printable characters')
    return value


def ledger_name(message: Mapping[str, Any]) -> str:
    """Return the ledger's name in *message*. Raises `MessageError`."""
    value = message.get("ledger")
    if not (isinstance(value, str) and LEDGER_NAME.fullmatch(value)):
        raise MessageError('"ledger" must be 16 hex digits')
    return value


def _time(message: Mapping[str, Any], key: str) -> float:
    value = message.get(key)
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= LAST_SECOND:
        raise MessageError(f'"{key}" must be a time in seconds since 1970')
    return value
