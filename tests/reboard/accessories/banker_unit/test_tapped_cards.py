"""Readers that report a card once and never that it goes."""

from __future__ import annotations

from reboard.accessories.banker_unit.ledger import BANK
from tests.reboard.accessories.banker_unit.fakes import SLOW_TO_PAY, AtTheTable, TapSlot, at_table


@at_table(slots=TapSlot)
async def test_a_card_that_is_tapped_at_the_other_slot_has_left_the_first_one(table: AtTheTable) -> None:
    await table.do("insert left 1; insert right 1")
    assert table.lines == ("", "-1 15M")
    await table.do("type 3M")
    assert table.moved == [(1, BANK, 3_000_000, "paid")]


@at_table(slots=TapSlot)
async def test_a_card_goes_five_seconds_after_the_last_touch_and_never_in_the_midst_of_an_amount(
    table: AtTheTable,
) -> None:
    await table.do("insert left 1; key GO; wait 4; insert right 2; wait 4; key 1; wait 30")
    await table.do("type .5M")
    assert table.moved[1:] == [(2, 1, 1_500_000, "players")]
    await table.do("wait 4; key C; wait 4")
    assert table.lines == ("+1 17M", "-2 15M")
    await table.do("wait 2")
    assert table.lines == ("WORLD EDITION", "INSERT CARD")
    await table.do("insert left STRANGER; wait 6")
    assert table.told("card.removed")[-1] == {"slot": "left", "number": None}


@at_table(slots=TapSlot)
async def test_an_unused_card_leaves_when_the_unit_falls_asleep(table: AtTheTable) -> None:
    await table.do("insert left 1; wait 61")
    assert table.snapshot["asleep"]
    await table.do("insert right 2; type 2M")
    assert table.moved == [(2, BANK, 2_000_000, "paid")]


@at_table(slots=TapSlot, books=SLOW_TO_PAY)
async def test_a_card_that_took_the_others_place_meanwhile_is_not_let_go_with_it(table: AtTheTable) -> None:
    await table.do("insert right 1; insert left 2; key GO")
    table.left.seen("D1")
    table.right.seen("D4")
    await table.do("wait 6")
    assert table.snapshot["slots"] == {"left": 1, "right": 4}
    await table.do("wait 200")
    assert table.snapshot["slots"] == {"left": None, "right": None}


@at_table(slots=TapSlot)
async def test_another_card_at_the_same_reader_does_not_get_the_rest_of_an_amount(table: AtTheTable) -> None:
    await table.do("insert left 1; type 12; insert left 3; type 5M")
    assert table.moved == []
