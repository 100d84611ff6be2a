"""What the speed die says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from reboard.accessories.speed_die.dice import Meaning
from reboard.vocabulary.declared import Event, State


class Rolled(Event, name="die.rolled", is_shared=True):
    """The dice have come to rest."""

    white: Sequence[int]
    red: Annotated[str | None, "1, 2, 3, bus or mr_monopoly, or null if it was not rolled"]


class Double(Event, name="die.double", is_shared=True):
    """The roll is a double."""


class Jail(Event, name="die.jail", is_shared=True):
    """It is the third double in a row."""


class Triple(Event, name="die.triple", is_shared=True):
    """It is a triple."""


class Rent(Event, name="die.rent", is_shared=True):
    """A roll for rent."""

    total: Annotated[int, "the sum, in which bus and mr_monopoly count 0"]


class Die(State):
    """The dice."""

    mode: Literal["speed", "two", "one"]
    dice: Annotated[str | None, "the last roll, such as 4 4 bus"]
    means: Meaning | None
    doubles: int


class Snapshot(State):
    """The part of the speed die."""

    die: Die | None
