"""The notices that other accessories show on the unit's display."""

from __future__ import annotations

from tests.reboard.accessories.banker_unit.fakes import AtTheTable, at_table

DICE = ("4 + 4 + bus", "DOUBLE")


async def show(table: AtTheTable) -> None:
    await table.request("show_lines", lines=DICE, seconds=5.0)
    await table.do("wait 0.1")


@at_table()
async def test_both_lines_are_shown_for_their_time_and_wake_the_unit(table: AtTheTable) -> None:
    idle = table.lines
    await table.do("wait 61")
    await show(table)
    assert not table.snapshot["asleep"]
    assert table.lines == DICE
    await table.do("wait 4.7")
    assert table.lines == DICE
    await table.do("wait 0.3")
    assert table.lines == idle


@at_table()
async def test_an_amount_a_balance_and_a_dialog_are_never_hidden(table: AtTheTable) -> None:
    await table.do("insert left 1; type 12")
    await show(table)
    assert (table.lines[0].split()[-1], table.lines[1]) == ("12", DICE[0])
    await table.do("key M; insert right 2; type 3")
    with_both = table.lines
    await show(table)
    assert table.lines == with_both
    await table.do("key C; remove left; remove right; hold GO 2")
    dialog = table.lines
    await show(table)
    assert table.lines == dialog


@at_table()
async def test_a_rejection_is_shown_first_and_a_key_removes_the_lines(table: AtTheTable) -> None:
    await table.do("insert left 1; type 0; key M")
    rejection = table.lines
    await show(table)
    assert table.lines == rejection
    await table.do("remove left")
    await show(table)
    await table.do("key .")
    assert DICE[1] not in table.lines
