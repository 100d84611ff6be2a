"""Typed amounts, and those whose first digits are lost."""

from __future__ import annotations

import asyncio

import pytest

from reboard.accessories.banker_unit.game_session import GameSession
from reboard.accessories.banker_unit.unit_state import OUT_S, REST_BEFORE_CARD_S, Entry
from reboard.errors import Rejection
from tests.reboard.accessories.banker_unit.fakes import SLOW_TO_PAY, AtTheTable, at_table


@pytest.mark.parametrize(
    ("rested_s", "out_s", "is_torn"),
    [
        (REST_BEFORE_CARD_S - 0.01, OUT_S, True),
        (REST_BEFORE_CARD_S, OUT_S - 0.01, True),
        (REST_BEFORE_CARD_S + 0.01, OUT_S + 0.01, False),
    ],
)
async def test_a_card_that_was_out_begins_an_amount_after_half_a_second_without_keys(
    rested_s: float, out_s: float, is_torn: bool
) -> None:
    await asyncio.sleep(1)
    entry = Entry().pressed(at=1 + out_s - rested_s).torn().card_in(at=1 + out_s)
    assert entry.is_torn is is_torn


async def touch_too_much(table: AtTheTable) -> None:
    """Press more keys than the unit can keep while the disk stalls."""
    table.keypad.press("GO")
    await table.do("wait 0")
    for _ in range(70):
        await table.do("hold 1 0.001")


@pytest.mark.parametrize("swapped", [False, True])
@at_table(books=SLOW_TO_PAY)
async def test_nor_after_touches_were_lost(table: AtTheTable, swapped: bool) -> None:
    await table.do("insert left 1")
    await touch_too_much(table)
    if swapped:
        table.left.take()
        table.left.seen("D3")
    await table.do("wait 4.8")
    assert table.refusals[-1] == "too fast"
    before = table.moved
    await table.do("type 5M")
    assert table.refusals[-2:] == ["torn", "torn"]
    assert table.moved == before


@at_table(books=SLOW_TO_PAY)
async def test_a_card_that_is_refused_after_touches_were_lost_hides_no_other(
    table: AtTheTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(_: GameSession, tag: str) -> None:
        monkeypatch.undo()
        raise Rejection("disk")

    await table.do("insert left 1; insert right 1")
    await touch_too_much(table)
    table.left.take()
    table.left.seen("D3")
    monkeypatch.setattr(GameSession, "admit", refuse)
    await table.do("wait 6")
    assert table.refusals == ["same card twice", "disk", "too fast"]
    assert table.snapshot["slots"] == {"left": 3, "right": None}
