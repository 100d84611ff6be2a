"""Linked play: the outcomes of the question block move money. tests/plays/linked_play*.play have the rules."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest

from tests.reboard.accessories.banker_unit.fakes import SLOW_TO_PAY, AtTheTable, at_table, stalling


async def pay(table: AtTheTable, outcome: str = "laugh", times: int = 1) -> dict[str, Any]:
    return await table.request("book_outcome", accessory="block", outcome=outcome, times=times)


@at_table(edition="super-mario")
async def test_without_a_card_nothing_happens_and_a_unit_that_sleeps_sleeps_on(table: AtTheTable) -> None:
    await table.do("wait 61")
    await pay(table)
    assert [*table.moved, *table.refusals, *table.sounds] == []
    assert table.snapshot["asleep"]


@at_table(edition="super-mario")
async def test_while_a_dialog_is_open_it_is_refused(table: AtTheTable) -> None:
    await table.do("hold GO 2")
    await pay(table)
    assert table.refusals == [], "without a card there is nothing to refuse"
    await table.do("insert left 1")
    await pay(table)
    await table.do("wait 0.01")
    assert table.moved == []
    assert table.refusals == ["dialog"]
    assert table.lines[1] == "PRESS C FIRST"
    await table.do("key C")
    await pay(table)
    assert table.moved == [(1, 0, 5, "laugh")]


@at_table(edition="super-mario", books=stalling(admit=5.0))
async def test_it_comes_in_its_turn_behind_a_card_that_was_put_in_before(table: AtTheTable) -> None:
    table.left.seen("D1")
    paying = asyncio.create_task(pay(table))
    await table.do("wait 1")
    assert not paying.done()
    await table.do("remove left")
    await paying
    assert table.moved == [(1, 0, 5, "laugh")], "the card was in when the block was pressed"


@at_table(edition="super-mario", books=SLOW_TO_PAY)
async def test_a_cancelled_outcome_is_paid_at_most_once(table: AtTheTable) -> None:
    await table.do("insert left 1")
    for _ in range(2):  # the second one is cancelled before its turn comes
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(pay(table, "coins", 3), 1)
    await table.do("wait 20")
    assert table.moved == [(0, 1, 3, "coins")]


@at_table()
async def test_an_edition_without_amounts_for_the_block_pays_nothing_and_warns_once(
    table: AtTheTable, caplog: pytest.LogCaptureFixture
) -> None:
    await table.do("insert left 1")
    with caplog.at_level(logging.WARNING, "reboard.accessories.banker_unit.requests"):
        for _ in range(3):
            await pay(table)
    assert [*table.moved, *table.refusals, *table.sounds] == ["card"]
    (record,) = caplog.records
    assert "edition world" in record.getMessage()
