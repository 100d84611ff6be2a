"""How things are written on the unit's display, besides its usual lines."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reboard.banker.bookkeeper import Bookkeeper
from reboard.banker.desk import Desk
from reboard.banker.entry import Entry
from reboard.banker.ledger import BANK, Transfer
from reboard.banker.names import Names
from reboard.banker.seats import Seats
from reboard.banker.texts import Texts
from reboard.banker.till import Till
from reboard.edition import DISPLAY_WIDTH, load_edition
from reboard.events import to_nobody
from reboard.languages import LANGUAGES
from tests.reboard.banker.hand_table import HandSpeaker


def desk(*names: str, language: str = "en", edition: str = "world") -> Desk:
    books = Bookkeeper(Path("nowhere"))
    till = Till(books, load_edition(edition), emit=to_nobody, wall_time=lambda: 0.0, names=Names(names))
    return Desk(
        till,
        Seats(),
        Texts(language),
        HandSpeaker(),
        Entry(),
        say=lambda _: None,
        booked=lambda _: None,
        begun=lambda _: None,
    )


def transfer(from_: int, to: int, amount: int) -> Transfer:
    return Transfer(1, 1, from_, to, amount, "players", 0.0, None)


@pytest.mark.parametrize(
    ("names", "from_", "to", "amount", "line"),
    [
        ((), BANK, 1, 1_500_000, "1 +1.5M BANK"),
        ((), 1, BANK, 260_000, "1 -260K BANK"),
        ((), 3, 1, 12_750_000, "1 +12.75M CARD 3"),
        ((), 3, 1, 112_750_000, "1 +112.75M"),
        (("Anna", "Ben", "Clara"), 3, 1, 112_750_000, "1 +112.75M Clara"),
        (("Anna", "Ben", "Clementi"), 3, 1, 112_750_000, "1 +112.75M Cleme"),
        (("Anna", "Ben"), 1, 2, 112_750_000, "1 -112.75M Ben"),
        (("Anna", "Ben"), 1, 3, 1_000, "1 -1K CARD 3"),
        ((), BANK, 1, 9_999_999_999_000, "1 +9999999.999M"),
    ],
)
def test_a_transfer_at_a_glance(names: tuple[str, ...], from_: int, to: int, amount: int, line: str) -> None:
    assert desk(*names).glance(1, 1, transfer(from_, to, amount)) == line


@given(
    st.lists(st.text("ABCdefÄß", min_size=1, max_size=8), max_size=8),
    st.integers(0, 8),
    st.integers(1, load_edition("world").money.largest // 1000),
    st.sampled_from(LANGUAGES),
)
def test_a_glance_fits_the_line_and_never_loses_a_digit(
    names: list[str], other: int, thousands: int, lang: str
) -> None:
    at_desk = desk(*names, language=lang)
    line = at_desk.glance(3, 9, transfer(9, other, thousands * 1000))
    assert len(line) <= DISPLAY_WIDTH
    assert line.split()[1] == "-" + at_desk.shown(thousands * 1000)


def test_a_card_without_a_name_is_called_by_its_number() -> None:
    at_desk = desk("Anna")
    assert [at_desk.who(account) for account in (BANK, 1, 2)] == ["BANK", "Anna", "CARD 2"]
    assert [at_desk.name(card) for card in (1, 2)] == ["Anna", ""]
