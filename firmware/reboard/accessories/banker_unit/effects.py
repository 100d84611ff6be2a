"""The effects of a step, which the unit carries out in their order. `unit_state.Ask` is another one."""

from __future__ import annotations

from reboard.accessories.banker_unit.inputs import Asked, Input
from reboard.accessories.banker_unit.vocabulary import Side
from reboard.record import Record


class Sound(Record):
    """A sound to play."""

    name: str


class Deal(Record):
    """A deal that starts *at* a time, or ``None``: to cancel the running one."""

    at: float | None


class Volume(Record):
    """A number of steps by which the volume changes. After the loudest one comes 0."""

    steps: int


class DrawCode(Record):
    """A new code for phones that join."""


class Done(Record):
    """A slot whose card was used for a payment or was rejected, so that a card that was only tapped is out."""

    side: Side


class Reply(Record):
    """The answer to a request, or the error."""

    request: Asked
    answer: object


class Warn(Record):
    """A warning for the log."""

    sentence: str


class Again(Record):
    """An input to handle after the effects before this one."""

    input: Input
