from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from reboard.accessories.installed import all_rejections
from reboard.editions.money import Money
from reboard.errors import Rejection

WORLD = Money(units=True, smallest=1000)
MONEYS = st.builds(Money, units=st.booleans(), smallest=st.sampled_from([1, 5, 10, 250, 1000, 250_000, 1_000_000]))


def refused(money: Money, text: str, key: str) -> str:
    with pytest.raises(Rejection) as rejection:
        money.typed(text, key)
    return rejection.value.why


@pytest.mark.parametrize(
    ("text", "key", "why"),
    [
        ("", "M", "zero"),
        (".", "K", "zero"),
        ("0.00", "M", "zero"),
        ("1.5", "K", "too fine"),
        ("1.0005", "M", "too fine"),
        ("123456", "M", "too long"),
        ("1.23456", "M", "too long"),
        ("000001", "M", "too long"),
        ("1.2.3", "M", "two points"),
    ],
)
def test_a_wrong_amount_is_rejected(text: str, key: str, why: str) -> None:
    assert refused(WORLD, text, key) == why


def test_a_point_before_three_digits_separates_thousands_where_no_amount_has_decimals() -> None:
    plain = Money(units=False, smallest=1)
    assert [plain.typed("1.500", "M"), plain.written("12,500")] == [1500, 12_500]
    assert [refused(plain, text, "M") for text in ("1.5", "1.50", ".500", "0.500")] == ["too fine"] * 4


@pytest.mark.parametrize(
    ("amount", "shown"),
    [
        (0, "0"),
        (16_500_000, "16.5M"),
        (1_000_000, "1M"),
        (999_000, "999K"),
        (1_000, "1K"),
        (12_751_000, "12.751M"),
        (-500_000, "-500K"),
    ],
)
def test_a_balance_is_shown_unrounded(amount: int, shown: str) -> None:
    assert WORLD.shown(amount) == shown


def value(shown: str) -> Fraction:
    factor = {"K": 1000, "M": 1_000_000}.get(shown[-1], 1)
    return Fraction(shown.rstrip("KM")) * factor


@given(MONEYS, st.data())
def test_a_shown_amount_is_exact(money: Money, data: st.DataObject) -> None:
    amount = money.smallest * data.draw(st.integers(-money.largest // money.smallest, money.largest // money.smallest))
    assert value(money.shown(amount)) == amount


@given(MONEYS, st.text("0123456789.", max_size=8), st.sampled_from("KM"))
@example(WORLD, "1.5", "M")
@example(WORLD, "260", "K")
@example(WORLD, ".5", "M")
@example(WORLD, "1.", "M")
@example(WORLD, "99999", "M")
@example(WORLD, "0.001", "M")
def test_a_typed_amount_is_exact_or_rejected(money: Money, text: str, key: str) -> None:
    assume(key in money.entering_keys)
    factor = {"K": 1000, "M": 1_000_000}[key] if money.units else 1
    is_number = text.count(".") < 1 + money.units and sum(map(str.isdigit, text)) <= 5
    exact = Fraction(f"0{text}0" if "." in text else f"0{text}") * factor if is_number else 0
    if exact == 0 or exact % money.smallest:
        assert refused(money, text, key) in {"zero", "too fine", "too long", "two points"}
    else:
        assert money.typed(text, key) == exact
        assert money.written(f" {text.replace('.', ',')} {key.lower()}" if money.units else text) == exact


@pytest.mark.parametrize("text", ["", "M", "1.5", "1500", "-1M", "1M M", "1e3K", "1MM", "²M"])
def test_what_is_no_amount_of_the_edition_cannot_be_written(text: str) -> None:
    with pytest.raises(ValueError, match=r"like 1\.5M"):
        WORLD.written(text)
    with pytest.raises(ValueError, match="like 1500"):
        Money(units=False, smallest=1).written("1.5M")


def test_every_rejection_fits_the_display() -> None:
    for why in all_rejections():
        assert len(why.display) <= 16
        assert why.display.isascii()
        assert len(str(Rejection(why))) > len(why)
