"""Payments that players ask for on their phones. `tests/plays/bank_pay_from_a_phone.play` has the usual course."""

from __future__ import annotations

from pathlib import Path

import pytest

from reboard.errors import Rejection, RequestError
from tests.reboard.accessories.banker_unit.fakes import AtTheTable, at_table, stalling, table

READY = "wait 1.1"
"""The display has shown a payment for long enough to answer it."""


async def ask(table: AtTheTable, from_: int, to: int, amount: str | None = None, payment: str = "") -> object:
    amounts = {} if amount is None else {"amount": amount}
    payment = payment or f"payment {from_} {to} {amount} {len(table.events)}"
    answer = await table.request("ask_payment", payment=payment, game=1, **{"from": from_, "to": to}, **amounts)
    return answer["state"]


async def join(table: AtTheTable, *cards: int) -> None:
    for card in cards:
        await ask(table, 0, card)
        await table.do(f"{READY}; key GO")


@at_table()
async def test_a_key_that_was_meant_for_the_payment_before_does_not_answer_the_next(table: AtTheTable) -> None:
    await join(table, 1, 2)
    await ask(table, 1, 0, "1M")
    for _ in range(2):
        assert await ask(table, 2, 0, "2M", "the second") == "asked"
    await table.do(f"{READY}; key GO; key GO; key C")
    assert table.moved == [(1, 0, 1_000_000, "paid")]
    assert table.lines[0] == "CARD 2 > BANK 2M"
    await table.do(f"{READY}; key C; wait 4")
    assert len(table.moved) == 1
    assert await ask(table, 2, 0, "2M", "the second") == "rejected"
    assert len(table.told("payment.asked")) == 4
    assert [ended["why"] for ended in table.told("payment.ended")][-2:] == ["booked", "rejected"]


@at_table()
async def test_an_id_is_for_one_payment(table: AtTheTable) -> None:
    await join(table, 1, 2)
    assert await ask(table, 1, 2, "1M", "the one") == "asked"
    for from_, to, amount in ((1, 2, "2M"), (1, 0, "1M"), (2, 1, "1M"), (0, 2, None)):
        with pytest.raises(Rejection, match="belongs to another transfer"):
            await ask(table, from_, to, amount, "the one")
    await table.do(f"{READY}; key GO")
    assert await ask(table, 1, 2, "1M", "the one") == "booked"
    for number in range(40):  # the unit forgets it, the ledger does not
        await ask(table, 1, 0, "1M", f"number {number}")
        await table.do(f"{READY}; key C")
    assert await ask(table, 1, 2, "1000K", "the one") == "booked"
    with pytest.raises(Rejection, match="belongs to another transfer"):
        await ask(table, 1, 2, "2M", "the one")
    await table.request("each", payment="the each", card=1, amount="1M", receives=True)
    for card, amount, receives in ((1, "2M", True), (2, "1M", True), (1, "1M", False)):
        with pytest.raises(Rejection, match="belongs to another transfer"):
            await table.request("each", payment="the each", card=card, amount=amount, receives=receives)
    with pytest.raises(Rejection, match="card 2 cannot pay, so no money has moved"):
        await table.request("each", payment="too much", card=1, amount="16M", receives=True)
    for card in (1, 2):  # card 1 leaves, too: what was paid stays paid
        await table.request("each", payment="the each", card=1, amount="1M", receives=True)
        await table.request("leave", card=card)
    assert table.moved[:2] == [(1, 2, 1_000_000, "players"), (2, 1, 1_000_000, "each_received")]


@at_table()
async def test_go_confirms_only_a_payment_that_can_be_read(table: AtTheTable) -> None:
    await join(table, 1)
    await table.do("hold GO 1.6")
    await ask(table, 1, 0, "1M")
    await table.do("wait 20")  # the menu closes
    assert table.lines[0] == "CARD 1 > BANK 1M"
    await table.do("key GO")
    table.display.is_working = False
    table.unit.show_fault("display")
    await table.do(f"{READY}; key GO")
    table.display.is_working = True
    table.unit.show_fault(None)
    await table.do("key GO")
    assert table.moved == []
    await table.do(f"{READY}; key GO")
    assert len(table.moved) == 1


@at_table()
async def test_c_during_a_deal_calls_the_deal_off(table: AtTheTable) -> None:
    await join(table, 1)
    await table.do("key DEAL")
    await ask(table, 1, 0, "1M")
    await table.do(f"{READY}; key C")
    assert table.told("deal.cancelled")
    assert table.lines[0] == "CARD 1 > BANK 1M"
    await table.do(f"{READY}; key GO")
    assert len(table.moved) == 1


@at_table()
async def test_a_payment_ends_when_its_card_goes_bankrupt(table: AtTheTable) -> None:
    await table.do("insert right 1")
    await ask(table, 0, 1, "1M")
    await table.do("hold GO 1.6; key 2; key GO; remove right")
    assert table.told("payment.ended")[-1]["why"] == "bankrupt"
    assert [row[3] for row in table.moved] == ["bankrupt"]
    with pytest.raises(Rejection, match="bankrupt"):
        await ask(table, 0, 1, "1M")


@at_table(cards=())
async def test_a_new_card_is_not_the_card_of_a_player_who_has_joined(table: AtTheTable) -> None:
    await join(table, 1, 2)
    await table.do("insert left 9")
    assert table.lines[0] == "+3 15M"
    await table.do("remove left")
    await join(table, *range(4, 7))
    await table.do("insert left 8")
    assert table.refusals == ["unknown card"]
    assert table.balances[1] == 15_000_000


@at_table()
async def test_payments_end_with_the_game(table: AtTheTable) -> None:
    await table.do("insert left 1; key GO; remove left")
    await ask(table, 1, 0, "1M")
    await table.request("end_game", game=1)
    assert table.told("payment.ended")[-1]["why"] == "game over"
    with pytest.raises(Rejection, match="game has ended"):
        await ask(table, 0, 2)
    assert table.snapshot["ended"]


@at_table()
async def test_what_cannot_be_booked_is_not_announced(table: AtTheTable) -> None:
    await join(table, 1)
    for from_, to, amount, problem in [
        (1, 1, "1M", "cannot pay itself"),
        (1, 0, None, "amount is missing"),
        (2, 1, None, "amount is missing"),
        (0, 7, None, "no number of this edition"),
        (1, 2, "1M", "not in the game"),
        (1, 0, "15.01M", "not have enough money"),
        (1, 0, "1500", "like 1.5M"),
        (1, 0, "-1M", "like 1.5M"),
    ]:
        with pytest.raises((Rejection, RequestError), match=problem):
            await ask(table, from_, to, amount)
    with pytest.raises(RequestError, match="not waiting"):
        await table.request("confirm_payment", payment="never asked")
    assert len(table.told("payment.asked")) == 1
    assert not table.refusals


async def test_a_repeated_request_books_nothing_twice_even_after_a_power_cut(ledger_file: Path) -> None:
    async with table(ledger_file, books=stalling(pay_all=5.0)) as slow:
        await join(slow, 1)
        assert await ask(slow, 1, 0, "1,5M", "the payment") == "asked"
        await slow.do("wait 59.5; key GO; wait 10")
        assert slow.moved == [(1, 0, 1_500_000, "paid")]
        assert [ended["why"] for ended in slow.told("payment.ended")] == ["booked"] * 2
        assert await ask(slow, 1, 0, "1,5M", "the payment") == "booked"
        assert (await slow.request("confirm_payment", payment="the payment"))["state"] == "booked"
    async with table(ledger_file) as again:
        assert await ask(again, 1, 0, "1,5M", "the payment") == "booked"
        assert await ask(again, 0, 1) == "booked"
        assert (await again.request("confirm_payment", payment="the payment"))["state"] == "booked"
        assert again.balances == {1: 13_500_000}
        assert not again.told("payment.asked")


@pytest.mark.parametrize("undo", ["by the host", "insert left 1; key C; key GO"])
async def test_a_repeated_request_says_that_its_payment_was_taken_back(ledger_file: Path, undo: str) -> None:
    async def answers(table: AtTheTable) -> set[str]:
        confirmed, taken_back = [
            (await table.request(do, payment="the payment"))["state"] for do in ("confirm_payment", "take_back")
        ]
        return {await ask(table, 1, 0, "1.5M", "the payment"), confirmed, taken_back}

    async with table(ledger_file) as first:
        await join(first, 1)
        await ask(first, 1, 0, "1.5M", "the payment")
        await first.do(f"{READY}; key GO")
        await (first.request("undo", transfer=2) if undo == "by the host" else first.do(undo))
        assert first.balances == {1: 15_000_000}
        assert [ended["why"] for ended in first.told("payment.ended")] == ["booked", "booked", "taken back"]
        assert await answers(first) == {"taken back"}
    async with table(ledger_file) as again:
        assert await answers(again) == {"taken back"}
        assert again.balances == {1: 15_000_000}
