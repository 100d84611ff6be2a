"""Every balance is displayed rightly: what stands on the sixteen characters, read back, is what the card has."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reboard.banker.ledger import LARGEST
from reboard.banker.screen import lines
from reboard.edition import DISPLAY_WIDTH, Edition, edition_names, load_edition
from reboard.parts.lcd_characters import ROM

EDITIONS = [load_edition(name) for name in edition_names()]


class Shown(NamedTuple):
    """A card in a slot and what it has."""

    edition: Edition
    card: int
    balance: int

    @property
    def text(self) -> tuple[int, str]:
        return self.card, self.edition.money.shown(self.balance)


def balances(edition: Edition) -> st.SearchStrategy[int]:
    """Whatever the ledger lets a card of this edition have: whole numbers of its smallest money."""
    largest = min(edition.money.largest, LARGEST) // edition.money.smallest
    least = -largest if edition.may_owe else 0
    near_powers = st.integers(0, 15).flatmap(lambda zeros: st.integers(-2, 2).map(lambda off: 10**zeros + off))
    pieces = st.one_of(st.integers(least, largest), near_powers.filter(lambda n: least <= n <= largest))
    return pieces.map(lambda number: number * edition.money.smallest)


CARDS = st.sampled_from(EDITIONS).flatmap(
    lambda edition: st.builds(Shown, st.just(edition), st.integers(1, edition.players.most), balances(edition))
)


def read_back(text: str) -> int:
    """What a person reads: an independent way back from text to amount."""
    factor = {"K": 1_000, "M": 1_000_000}.get(text[-1], 1)
    amount = Decimal(text.rstrip("KM")) * factor
    assert amount == int(amount)
    return int(amount)


@given(CARDS)
@example(Shown(EDITIONS[0], 8, EDITIONS[0].money.largest))
def test_a_balance_read_back_is_the_balance(shown: Shown) -> None:
    for left, right, sign, place in ((shown.text, None, "+", 0), (None, shown.text, "-", 1)):
        line = lines(title="A TITLE", left=left, right=right)[place]
        assert len(line) <= DISPLAY_WIDTH
        assert set(line) <= ROM.keys()
        number, balance = line.split()
        assert number == f"{sign}{shown.card}"
        assert read_back(balance) == shown.balance


@given(
    CARDS, CARDS, st.sampled_from(["", "5", "12.75"]), st.sampled_from(["", "NO FUNDS"]), st.booleans(), st.booleans()
)
def test_whatever_stands_beside_it_a_balance_is_whole_or_gives_way(
    left: Shown, right: Shown, typed: str, notice: str, deal: bool, alone: bool
) -> None:
    shown = lines(
        title="A TITLE",
        left=left.text,
        right=None if alone else right.text,
        name="Gwendola",
        typed=typed,
        notice=notice,
        deal="DEAL" if deal else "",
        trouble="! LEFT SLOT",
    )
    others = {typed, notice, "DEAL", "Gwendola", "! LEFT SLOT", ""}
    for line, sign, card in zip(shown, "+-", (left, right), strict=True):
        assert len(line) <= DISPLAY_WIDTH
        if not line.startswith(f"{sign}{card.card}"):
            assert line.removesuffix("DEAL").strip() in others
            continue
        for word in line.split()[1:]:
            assert word in others or read_back(word) == card.balance


@given(CARDS, CARDS)
def test_two_balances_that_differ_never_look_the_same(one: Shown, other: Shown) -> None:
    money = one.edition.money
    assert (money.shown(one.balance) == money.shown(other.balance)) == (one.balance == other.balance)


@pytest.mark.parametrize("edition", EDITIONS, ids=lambda edition: str(edition.name))
def test_five_figures_go_in_as_on_the_original_and_are_shown_as_they_went_in(edition: Edition) -> None:
    money = edition.money
    for figures in (1, 12, 123, 1234, 12345, 99999):
        for key in money.entering_keys:
            factor = {"K": 1_000, "M": 1_000_000}[key] if money.units else 1
            assert read_back(money.shown(money.typed(str(figures), key))) == figures * factor
