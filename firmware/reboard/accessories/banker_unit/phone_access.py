"""The access of players' phones: the code with which another phone joins."""

from __future__ import annotations

import random
from math import inf

from reboard.record import Record, replace

CODE_DIGITS = 4
CODE_S = 60.0
"""The time for which the display shows the code after a phone has asked to join, in seconds."""

MOST_WRONG = 5
"""The number of wrong codes after which the unit draws another one."""

TAKE_BACK_S = 10.0
"""The time within which players can take back a payment, in seconds.

A payment that only ``GO`` or the host could confirm has none."""


class PhoneAccess(Record):
    """The *code* that a phone without a card needs. It is drawn when phones may pay.

    The display shows the code until *code_until*, unless two cards are in. *wrong* counts the wrong codes since it was
    drawn. *are_known* is whether a phone with a card has sent a request since the table started. Before that, a table
    without a display needs no code: otherwise no phone could join after all others have lost their tokens. The game's
    record has the cards.
    """

    code: str = ""
    wrong: int = 0
    code_until: float = inf
    are_known: bool = False

    def masked(self) -> PhoneAccess:
        """Return the access with a code that says nothing, for what leaves the unit."""
        return replace(self, code="*" * CODE_DIGITS)


NO_ACCESS = PhoneAccess()


class KeptPhoneAccess:
    """The *latest* access. It is kept when the unit restarts, so that the code still holds."""

    def __init__(self, latest: PhoneAccess = NO_ACCESS) -> None:
        self.latest = latest


def draw_code(rng: random.Random) -> str:
    """Draw a code for phones that join."""
    return f"{rng.randrange(10**CODE_DIGITS):0{CODE_DIGITS}}"
