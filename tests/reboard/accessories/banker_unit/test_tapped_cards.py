"""Readers that report a card once and never that it goes."""

from __future__ import annotations

from reboard.accessories.banker_unit.accounts import BANK
from tests.reboard.accessories.banker_unit.fakes import SLOW_TO_PAY, AtTheTable, TapSlot, at_table


@at_table(slots=TapSlot)
async def test_a_card_that_is_tapped_at_the_other_slot_has_left_the_first_one(table: AtTheTable) -> None:
    await table.do("insert left 1; insert right 1")
    assert table.lines == ("", "-1 15M")
    await table.do("type 3M")
    assert table.moved == [(1, BANK, 3_000_000, "paid")]


@at_table(slots=TapSlot)
async def test_a_tap_without_a_transfer_counts_for_ten_seconds_after_the_last_tap_or_key(table: AtTheTable) -> None:
    await table.do("insert left 1; wait 9; insert right 2; wait 9; key 1; wait 9; type .5M")
    assert table.moved == [(2, 1, 1_500_000, "players")]
    await table.do("insert left 3; wait 9.9")
    assert table.snapshot["slots"] == {"left": 3, "right": None}
    await table.do("wait 0.2; insert right 2; type 2M")
    assert table.told("card.removed")[2] == {"slot": "left", "number": 3}
    assert table.moved[1:] == [(2, BANK, 2_000_000, "paid")]
    await table.do("insert left STRANGER; wait 11")
    assert table.told("card.removed")[-1] == {"slot": "left", "number": None}


@at_table(slots=TapSlot)
async def test_after_a_transfer_a_card_is_out_until_it_is_tapped_again(table: AtTheTable) -> None:
    await table.do("insert left 1; insert right 2; type 1M")
    assert table.snapshot["slots"] == {"left": None, "right": None}
    assert [removed["slot"] for removed in table.told("card.removed")] == ["left", "right"]
    await table.do("wait 1; insert left 1; key GO; type 3M; wait 1; insert left 1; key GO")
    assert table.moved[1:] == [(BANK, 1, 2_000_000, "salary")] * 2


@at_table(slots=TapSlot, books=SLOW_TO_PAY)
async def test_a_card_that_took_the_others_place_meanwhile_is_not_let_go_with_it(table: AtTheTable) -> None:
    await table.do("insert right 1; insert left 2; key GO")
    table.left.seen("D1")
    table.right.seen("D4")
    await table.do("wait 6")
    assert table.snapshot["slots"] == {"left": 1, "right": 4}
    await table.do("wait 6")
    assert table.snapshot["slots"] == {"left": None, "right": None}


@at_table(slots=TapSlot)
async def test_another_card_at_the_same_reader_does_not_get_the_rest_of_an_amount(table: AtTheTable) -> None:
    await table.do("insert left 1; type 12; insert left 3; type 5M")
    assert table.moved == []
