"""What the question block says and takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

from reboard.accessories.question_block.outcomes import MOST_COINS, OutcomeName
from reboard.vocabulary.declared import Event, Request, State
from reboard.vocabulary.limits import LOCAL, Between, Length, Sensor

Count = Annotated[int, Between(0, None)]
Counts = Mapping[OutcomeName, Count | Annotated[Sequence[Count], Length(1, MOST_COINS)]]
Coins = Annotated[int, Between(0, MOST_COINS), "the number of coins"]


class Pressed(Event, name="block.pressed"):
    """The question block was pressed."""


class Drawn(Event, name="block.outcome", is_shared=True):
    """The outcome of a press."""

    outcome: Annotated[
        OutcomeName, Sensor("outcome", "Question block", icon="mdi:comment-question"), "what the press brought"
    ]
    coins: Coins


class QuietSet(Event, name="quiet"):
    """The quiet mode of the question block was switched."""

    on: bool


class Quiet(Request, do="quiet", label="quiet mode"):
    """Switch the quiet mode of the question block on or off."""

    on: bool


class Last(State):
    """The latest outcome."""

    outcome: OutcomeName
    coins: Coins


class Block(State):
    """The question block."""

    last: Last | None
    quiet: bool
    odds: Annotated[Counts, LOCAL, "the weight of each outcome; coins has a list, for one, two, … coins"]
    tally: Annotated[Counts, LOCAL, "the number of each since the table was switched on"]


class Snapshot(State):
    """The part of the question block."""

    block: Block | None
