"""The requests to the bank that other accessories, the table page and commands know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from reboard.languages import DISPLAY_ROWS
from reboard.record import Record
from reboard.vocabulary.declared import Request, State
from reboard.vocabulary.limits import Between, Length

LONGEST_LINES_S = 60
"""The maximum time for which the lines of another accessory are shown, in seconds."""

LONGEST_LINE = 200
"""The maximum length of a line of another accessory, in characters. The display shows the beginning."""

SHORT_PHONE = 8
"""The number of hex digits that name a phone for pages and users."""

Name = Annotated[str, Length(1, 64)]


class BookOutcome(Request, do="book_outcome", is_internal=True):
    """Book an outcome of an accessory. The edition gives the amount."""

    accessory: Name
    outcome: Name
    times: Annotated[int, Between(1, 1000)]


class ShowLines(Request, do="show_lines", is_internal=True):
    """Show a notice on the bank's display.

    Both lines are shown while no card is in and nothing is typed. With one card or an amount, only the first line is
    shown, and with two cards, or in a dialog, none is. The bank's own notices come first. A key or a card removes them.
    """

    lines: Annotated[Sequence[Annotated[str, Length(0, LONGEST_LINE)]], Length(1, DISPLAY_ROWS)]
    seconds: Annotated[float, Between(0, LONGEST_LINES_S, is_above=True)]


class OfPhone(Record, kw_only=True):
    """The field of the requests of players. Requests of the host and of programs have none."""

    phone: Annotated[str, Length(0, 64), "the phone that asks; only the table page sets it"] = ""


class Code(State):
    """The code with which a phone joins."""

    code: Annotated[str, "four digits"]


class JoinCode(OfPhone, Request, do="join_code", changes=False, answer=Code, is_for_players=True):
    """Answers with the code for other phones. A phone needs a card to read it."""
