from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reboard.banker.entry import MOST_TYPED, Entry
from reboard.banker.screen import lines
from reboard.edition import DISPLAY_WIDTH as WIDTH
from reboard.money import Money
from reboard.refusal import REFUSALS

WORLD = Money(units=True, smallest=1000)
CARD = st.none() | st.tuples(
    st.integers(1, 8), st.integers(-WORLD.largest // 1000, WORLD.largest // 1000).map(lambda k: WORLD.shown(k * 1000))
)
NOTICE = st.sampled_from(["", *(words.display for words in REFUSALS.values())])


def shown(
    left: tuple[int, str] | None = None,
    right: tuple[int, str] | None = None,
    typed: str = "",
    notice: str = "",
    deal: bool = False,
    trouble: str = "",
) -> tuple[str, str]:
    return lines(
        title="WORLD EDITION",
        left=left,
        right=right,
        idle="INSERT CARD",
        typed=typed,
        notice=notice,
        deal="DEAL" if deal else "",
        trouble=trouble,
    )


def test_what_is_at_fault_stands_where_nothing_else_does() -> None:
    away = "! LEFT SLOT"
    assert shown(trouble=away) == ("WORLD EDITION", away)
    assert shown(right=(2, "15M"), trouble=away) == (away, "-2 15M")
    assert shown(left=(1, "15M"), right=(2, "15M"), trouble=away) == ("+1 15M", "-2 15M")
    assert shown(right=(2, "15M"), notice="NO FUNDS", trouble=away) == ("NO FUNDS", "-2 15M")
    assert away not in shown(typed="12", trouble=away)
    assert away not in shown(deal=True, trouble=away)
    assert shown(trouble="! " + "A PART WITH A LONG NAME")[1] == "! A PART WITH A "[:16].rstrip()


def test_a_balance_gives_way_to_what_is_typed_but_the_cards_number_stays() -> None:
    assert shown(left=(1, "1234.567M"), typed="12.75") == ("+1         12.75", "")


def test_a_balance_that_leaves_exactly_room_stays() -> None:
    assert shown(left=(1, "1234567"), typed="12345") == ("+1 1234567 12345", "")


def test_deal_goes_where_there_is_room() -> None:
    wide = "9999999.999M"
    assert shown(left=(1, wide), right=(2, "15M"), deal=True) == (f"+1 {wide}", "-2 15M      DEAL")
    assert shown(left=(1, wide), right=(2, wide), deal=True) == ("+1          DEAL", f"-2 {wide}")
    assert shown(left=(1, "15M"), right=(2, "15M"), typed="5", deal=True) == ("+1 15M      DEAL", "-2 15M         5")
    assert lines(title="NINTENDO", left=None, right=None, deal="DEAL") == (
        "NINTENDO",
        " " * 12 + "DEAL",
    )
    assert shown(typed="5", deal=True) == ("            DEAL", "               5")


def test_a_notice_is_never_on_the_payers_line() -> None:
    assert shown(left=(1, "15M"), right=(2, "3M"), notice="NO FUNDS") == ("NO FUNDS", "-2 3M")
    assert shown(right=(2, "3M"), notice="NO FUNDS") == ("NO FUNDS", "-2 3M")
    assert shown(left=(1, "3M"), notice="TOO MUCH") == ("+1 3M", "TOO MUCH")


@given(CARD, CARD, st.text("0123456789.", max_size=MOST_TYPED), NOTICE, st.booleans())
def test_lines_always_fit_and_what_is_typed_is_never_cut(
    left: tuple[int, str] | None, right: tuple[int, str] | None, typed: str, notice: str, deal: bool
) -> None:
    first, second = shown(left, right, typed, notice, deal)
    assert len(first) <= WIDTH
    assert len(second) <= WIDTH
    payers = first if left and not right else second
    assert payers.endswith(typed)
    if left and not notice:
        assert first.startswith(f"+{left[0]}")
    if right:
        assert second.startswith(f"-{right[0]}")
    if notice:
        assert notice in (first.removesuffix("DEAL").rstrip(), second.removesuffix("DEAL").rstrip())
    elif deal:
        assert first.endswith("DEAL") or second.endswith("DEAL")


@given(st.lists(st.sampled_from([*"0123456789.K"]), max_size=40))
def test_an_entry_always_fits_behind_a_cards_number(keys: list[str]) -> None:
    entry = Entry()
    for key in keys:
        entry.type(key)
    assert len(f"+1 {entry.text}") <= WIDTH
