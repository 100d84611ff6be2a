"""Payments between any two accounts, which other accessories and programs make with `pay`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from reboard.accessories.banker_unit.accounts import BANK, POT
from reboard.errors import Rejection, RequestError
from tests.reboard.accessories.banker_unit.fakes import SLOW_TO_PAY, AtTheTable, at_table, table

START = 15_000_000


async def pay(table: AtTheTable, from_: int, to: int, amount: int, /, **others: Any) -> dict[str, Any]:
    args = {"payment": f"number {len(table.events)}", "from": from_, "to": to, "amount": amount, "reason": "Buzzer"}
    return await table.request("pay", **args | others)


async def join(table: AtTheTable, *cards: int) -> None:
    for card in cards:
        await table.do(f"insert left {card}; remove left")


@at_table(pot=True)
async def test_money_moves_between_any_two_accounts(table: AtTheTable) -> None:
    await join(table, 1, 2)
    moves = [(BANK, 1, 12_340_000), (1, 2, 10_000), (2, POT, 20_000), (POT, 1, 10_000), (1, BANK, 27_340_000)]
    for from_, to, amount in (*moves, (BANK, POT, 30_000), (POT, BANK, 40_000)):
        made = await pay(table, from_, to, amount)
        assert table.told("transfer")[-1].items() <= made.items()
        assert table.moved[-1] == (from_, to, amount, "Buzzer")
    assert table.balances == {1: 0, 2: START - 10_000}
    assert table.sounds[-7:] == ["received", "paid", "paid", "paid", "paid", "received", "paid"]
    assert not table.refusals


@pytest.mark.parametrize(
    ("from_", "to", "amount", "others", "problem"),
    [
        (1, 1, 10_000, {}, "cannot pay itself"),
        (1, 2, 10_000, {"reason": "salary"}, "have the reason 'salary'"),
        (1, 2, 10_000, {"game": 2}, "plays another game"),
        (1, 3, 10_000, {}, "not in the game"),
        (3, BANK, 10_000, {}, "not in the game"),
        (4, 1, 10_000, {}, "has left the game"),
        (1, 5, 10_000, {}, "is bankrupt"),
        (1, 2, 10_001, {}, "smallest amount"),
        (1, 2, START + 10_000, {}, "does not have enough money"),
        (BANK, 1, 10**13, {}, "would be too large"),
        (1, POT, 10_000, {}, "has no Free Parking pot"),
        (POT, 1, 10_000, {}, "pot does not have enough money"),
    ],
)
@at_table()
async def test_a_payment_that_breaks_a_rule_is_rejected(
    table: AtTheTable, from_: int, to: int, amount: int, others: dict[str, Any], problem: str
) -> None:
    await join(table, 1, 2, 4, 5)
    await table.request("leave", card=4)
    await table.do("insert right 5; hold GO 1.6; key 2; key GO; remove right")
    before, moved = table.balances, table.moved
    with pytest.raises((Rejection, RequestError), match=problem):
        await pay(table, from_, to, amount, **others)
    assert (table.balances, table.moved) == (before, moved)


@at_table()
async def test_a_payment_does_not_continue_a_game_that_was_ended(table: AtTheTable) -> None:
    await table.do("insert left 1; key GO; remove left")
    await table.request("end_game", game=1)
    with pytest.raises(Rejection, match="game has ended"):
        await pay(table, BANK, 1, 10_000)
    assert table.snapshot["ended"]


async def test_a_payment_is_made_once_even_after_a_power_cut_and_in_another_game(ledger_file: Path) -> None:
    async with table(ledger_file, books=SLOW_TO_PAY) as slow:
        await join(slow, 1, 2)
        first = await pay(slow, 1, 2, 10_000, payment="the payment", game=1)
    async with table(ledger_file) as again:
        assert await pay(again, 1, 2, 10_000, payment="the payment", game=1) == first
        await again.request("leave", card=2)
        assert await pay(again, 1, 2, 10_000, payment="the payment") == first
        await again.request("new_game")
        assert await pay(again, 1, 2, 10_000, payment="the payment", game=1) == first
        assert [row[3] for row in again.moved] == ["left"]
        assert "paid" not in again.sounds
        changes: list[dict[str, Any]] = [{"from": 3}, {"to": 0}, {"amount": 20_000}, {"reason": "Another"}, {"game": 2}]
        for change in changes:
            with pytest.raises(Rejection, match="belongs to another transfer"):
                await pay(again, 1, 2, 10_000, payment="the payment", **change)


@at_table()
async def test_c_takes_back_nothing_that_is_older_than_the_payment(table: AtTheTable) -> None:
    await table.do("insert left 1; key GO")
    made = await pay(table, BANK, 1, 10_000)
    await table.do("key C")
    assert table.refusals == ["nothing to undo"]
    assert (await table.request("undo", transfer=made["id"]))["undoes"] == made["id"]
    assert table.balances == {1: START + 2_000_000}


@at_table()
async def test_another_accessory_reads_the_bank(table: AtTheTable) -> None:
    await join(table, 1)
    assert await table.request("read_bank") == table.snapshot
    assert table.snapshot["cards"][0]["balance"] == START
