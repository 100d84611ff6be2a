"""The inputs of the unit: keys, cards, timers, and requests from the control socket."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from reboard.accessories.banker_unit.vocabulary import Side
from reboard.record import Record
from reboard.vocabulary.declared import Request

HOLDS_S: Mapping[str, float] = {"C": 3.0, "GO": 1.5, "K": 1.5, "M": 1.5, ".": 1.0}
"""The time after which each key counts as held, in seconds. Only these keys have another meaning when held."""

HELD_ON_S = 1.5
"""The time after which a held key is reported again, in seconds."""


class Key(Record):
    """A press of a key."""

    name: str
    at: float


class Released(Record):
    """The release of a key in `HOLDS_S`."""

    name: str
    at: float


class Held(Record):
    """A key that has been down for its time in `HOLDS_S`, and then for each `HELD_ON_S`. *times* counts from 1."""

    name: str
    times: int
    at: float


class Unclear(Record):
    """A press of several keys that the keypad cannot distinguish, or a keypad that can no longer be read."""

    at: float


class CardIn(Record):
    """An inserted card."""

    side: Side
    tag: str
    at: float


class CardOut(Record):
    """A removed card. *is_done* is whether the unit itself let go of a card that was only tapped, after a transfer."""

    side: Side
    at: float
    is_done: bool = False


class Overrun(Record):
    """A loss of inputs because the queue was full. *tags* are those of the cards that are in the slots now."""

    tags: Mapping[Side, str | None]
    at: float


class Tick(Record):
    """The end of the time *due* of a *timer*. See `deadlines`."""

    timer: str
    due: float
    at: float


class DealOver(Record):
    """The end of the deal that began at *deal_at*."""

    deal_at: float
    at: float


class VolumeIs(Record):
    """The volume after a step."""

    level: int
    at: float


class CodeIs(Record):
    """The new *code* for phones that join."""

    code: str
    at: float


class CanShow(Record):
    """A display that has begun or stopped working. *is_blind* is whether there is one, and it has a fault."""

    can_show: bool
    at: float
    is_blind: bool = False


class Asked(Record):
    """A *request* from the control socket or another accessory, whose caller waits for *answer*."""

    request: Request
    answer: asyncio.Future[Any]
    at: float


Input = (
    Key | Released | Held | Unclear | CardIn | CardOut | Overrun | Tick | DealOver | VolumeIs | CodeIs | CanShow | Asked
)
