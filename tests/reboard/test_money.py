from fractions import Fraction

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from reboard.money import MOST_CHARACTERS, Money
from reboard.refusal import REFUSALS, Refusal

WORLD = Money(units=True, smallest=1000)
CLASSIC = Money(units=False, smallest=1)
MONEYS = st.builds(Money, units=st.booleans(), smallest=st.sampled_from([1, 5, 10, 250, 1000, 250_000, 1_000_000]))


def refused(money: Money, text: str, key: str) -> str:
    with pytest.raises(Refusal) as refusal:
        money.typed(text, key)
    return refusal.value.why


@pytest.mark.parametrize(
    ("text", "key", "amount"),
    [
        ("1.5", "M", 1_500_000),
        ("12.75", "M", 12_750_000),
        ("260", "K", 260_000),
        ("100", "K", 100_000),
        (".5", "M", 500_000),
        ("1.", "M", 1_000_000),
        ("99999", "M", 99_999_000_000),
        ("0.001", "M", 1_000),
        ("0001", "K", 1_000),
    ],
)
def test_k_and_m_multiply_exactly(text: str, key: str, amount: int) -> None:
    assert WORLD.typed(text, key) == amount


def test_without_units_m_enters_what_is_typed_and_k_does_not_enter() -> None:
    assert CLASSIC.typed("1500", "M") == 1500
    assert CLASSIC.entering_keys == {"M"}
    with pytest.raises(ValueError, match="K enters no amount"):
        CLASSIC.typed("15", "K")


@pytest.mark.parametrize(
    ("text", "key", "why"),
    [
        ("", "M", "zero"),
        ("0", "M", "zero"),
        (".", "K", "zero"),
        ("0.00", "M", "zero"),
        ("1.5", "K", "too fine"),
        ("0.5", "K", "too fine"),
        ("1.0005", "M", "too fine"),
        ("123456", "M", "too long"),
        ("1.23456", "M", "too long"),
        ("000001", "M", "too long"),
        ("1.2.3", "M", "two points"),
        ("..", "M", "two points"),
    ],
)
def test_a_wrong_amount_is_refused_with_its_reason(text: str, key: str, why: str) -> None:
    assert refused(WORLD, text, key) == why


@pytest.mark.parametrize("text", ["1.5", "1.0", "1."])
def test_a_point_is_too_fine_where_there_are_no_units(text: str) -> None:
    assert refused(CLASSIC, text, "M") == "too fine"


@pytest.mark.parametrize(
    ("amount", "shown"),
    [
        (0, "0"),
        (16_500_000, "16.5M"),
        (15_000_000, "15M"),
        (1_000_000, "1M"),
        (999_000, "999K"),
        (260_000, "260K"),
        (1_000, "1K"),
        (12_751_000, "12.751M"),
        (-500_000, "-500K"),
    ],
)
def test_a_balance_is_shown_in_units_and_never_rounded(amount: int, shown: str) -> None:
    assert WORLD.shown(amount) == shown


def test_without_units_a_balance_is_plain_digits() -> None:
    assert [CLASSIC.shown(amount) for amount in (0, 1500, 12_345_678, -30)] == ["0", "1500", "12345678", "-30"]


def value(shown: str) -> Fraction:
    factor = {"K": 1000, "M": 1_000_000}.get(shown[-1], 1)
    return Fraction(shown.rstrip("KM")) * factor


@given(MONEYS, st.data())
def test_what_is_shown_is_exactly_what_there_is(money: Money, data: st.DataObject) -> None:
    amount = money.smallest * data.draw(st.integers(-money.largest // money.smallest, money.largest // money.smallest))
    assert value(money.shown(amount)) == amount


@given(MONEYS, st.data())
def test_every_balance_up_to_the_largest_fits_its_line(money: Money, data: st.DataObject) -> None:
    amount = money.smallest * data.draw(st.integers(0, money.largest // money.smallest))
    assert len(money.shown(amount)) <= MOST_CHARACTERS
    assert len(f"+8 {money.shown(-amount)}") <= 16


@given(MONEYS)
def test_a_balance_beyond_the_largest_might_not_fit(money: Money) -> None:
    beyond = (money.largest + steps * money.smallest for steps in (1, 2))
    assert max(len(money.shown(amount)) for amount in beyond) > MOST_CHARACTERS


def test_every_amount_that_can_be_typed_fits_in_every_edition_of_the_box() -> None:
    assert WORLD.largest >= 99_999_000_000
    assert CLASSIC.largest >= 99_999


@given(MONEYS, st.text("0123456789.", max_size=8), st.sampled_from("KM"))
@example(WORLD, "1.5", "M")
def test_typing_is_exact_or_refused(money: Money, text: str, key: str) -> None:
    assume(key in money.entering_keys)
    factor = {"K": 1000, "M": 1_000_000}[key] if money.units else 1
    try:
        amount = money.typed(text, key)
    except Refusal as refusal:
        why = refusal.why
    else:
        assert amount == Fraction(f"0{text}0" if "." in text else text) * factor
        assert amount > 0
        assert amount % money.smallest == 0
        return
    assert why in {"zero", "too fine", "too long", "two points"}


@given(st.integers(1, 99_999))
def test_what_is_shown_can_be_typed_again(thousands: int) -> None:
    shown = WORLD.shown(thousands * 1000)
    assert WORLD.typed(shown[:-1], shown[-1]) == thousands * 1000


def test_every_refusal_fits_the_display_and_is_a_sentence() -> None:
    for why in REFUSALS:
        refusal = Refusal(why)
        assert len(refusal.words.display) <= 16
        assert refusal.words.display.isascii()
        assert len(str(refusal)) > len(why)
