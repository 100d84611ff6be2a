from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from reboard.accessories.banker_unit.accounts import BANK
from reboard.accessories.banker_unit.game_session import GameSession
from reboard.accessories.banker_unit.input_queue import MOST_WAITING
from reboard.accessories.banker_unit.ledger import Ledger
from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.errors import ReboardError, Rejection
from tests.reboard.accessories.banker_unit.fakes import DECK, SLOW_TO_PAY, AtTheTable, at_table, stalling, table


@pytest.mark.parametrize("key", ["C", "GO"])
@at_table()
async def test_a_lost_key_is_neither_held_nor_released(table: AtTheTable, key: str) -> None:
    table.keypad.press(key)
    await table.do("wait 1")
    table.keypad.cancel()
    await table.do("wait 10")
    table.keypad.release(key)
    await table.do("wait 1")
    assert len(table.told("game.started")) == 1
    assert table.snapshot["dialog"] is None


PLAYS = {"retired": False, "left": False, "playing": True}


@at_table()
async def test_the_snapshot_has_everything_as_json(table: AtTheTable) -> None:
    await table.do("insert left 1; insert right 2; type 1M25")
    snapshot = table.snapshot
    assert snapshot["cards"] == [
        {"number": 1, "balance": 16_000_000, "shown": "16M", "name": "", **PLAYS},
        {"number": 2, "balance": 14_000_000, "shown": "14M", "name": "", **PLAYS},
    ]
    assert [row["id"] for row in snapshot["transfers"]] == [3, 2, 1]
    assert {key: snapshot[key] for key in ("display", "game", "slots", "deal", "typed", "asleep")} == {
        "display": ["+1 16M", "-2 14M        25"],
        "game": 1,
        "slots": {"left": 1, "right": 2},
        "deal": {"running": False},
        "typed": "25",
        "asleep": False,
    }


@at_table()
async def test_the_snapshot_names_the_rejection_until_the_next_key_and_the_open_dialog(table: AtTheTable) -> None:
    seen = []
    for acts in ("key M", "wait 5", "key C", "hold GO 1.6", "key M", "key C", "hold GO 1.6; key 1; key GO"):
        await table.do(acts)
        seen.append((table.snapshot["refused"], table.snapshot["dialog"]))
    rejected, menu, count = ("no card", None), (None, "menu"), (None, "count")
    assert seen == [rejected, rejected, (None, None), menu, menu, (None, None), count]


@at_table()
async def test_c_does_not_undo_what_a_request_undid(table: AtTheTable) -> None:
    await table.do("insert left 1; key GO; type 1M")
    await table.request("undo", transfer=3)
    assert table.lines == ("+1 17M", "")
    await table.do("key C")
    assert table.lines[0] == "UNDO 2M   BANK>1"


@at_table(books=SLOW_TO_PAY)
async def test_more_touches_than_the_unit_can_keep_void_the_entry_and_keep_the_slots_true(table: AtTheTable) -> None:
    await table.do("insert left 1; type 1M")
    for _ in range(MOST_WAITING):
        table.keypad.press("1")
    await table.do("insert right 2")
    table.left.take()
    table.keypad.press("M")
    with pytest.raises(Rejection):
        await table.request("undo", transfer=1)
    await table.do("wait 6")
    assert table.refusals == ["too fast"]
    assert table.balances == {1: 16_000_000, 2: 15_000_000}
    assert table.snapshot["slots"] == {"left": None, "right": 2}
    assert table.lines == ("", "-2 15M         ?")
    await table.do("type 1M")
    assert table.refusals[-1] == "torn"
    await table.do("type 1M; wait 6")
    assert table.lines == ("", "-2 14M")


@pytest.mark.parametrize(
    ("before", "key", "hold_s", "dialog"),
    [
        ("insert left 1; wait 0", "GO", 1.5, "menu"),
        ("wait 61", "GO", 1.5, "menu"),
        ("insert left 1; remove left; insert right 2; key 1", "M", 1.5, "offer"),
        ("insert left 1; remove left; insert right 2; key 1", "K", 1.5, "offer"),
    ],
)
@at_table()
async def test_a_key_counts_as_held_after_its_time(
    table: AtTheTable, before: str, key: str, hold_s: float, dialog: str
) -> None:
    await table.do(f"{before}; hold {key} {hold_s - 0.01}")
    assert table.snapshot["dialog"] is None
    await table.do(f"key C; key C; key C; wait 11; {before.split('; ')[-1]}; hold {key} {hold_s + 0.01}")
    assert table.snapshot["dialog"] == dialog


@pytest.mark.parametrize("other", ["key 1", "insert left 1"])
@at_table()
async def test_another_key_or_a_card_ends_the_hold(table: AtTheTable, other: str) -> None:
    table.keypad.press("C")
    await table.do(f"wait 1; {other}; wait 30")
    table.keypad.release("C")
    await table.do("wait 61; hold C 10")
    assert len(table.told("game.started")) == 1, "nor does the key that wakes the unit count as held"
    await table.do("hold C 2.9; key C")
    assert len(table.told("game.started")) == 1


BROKEN = {
    "the card was taken out": "insert right 1; type 1; remove right; insert right 1",
    "the unit slept": "insert right 1; wait 61; key 1",
    "an offer refused it": "insert right 1; key GO; type 1; insert left 2",
}


@pytest.mark.parametrize("how", BROKEN)
@pytest.mark.parametrize("key", ["K", "M"])
@at_table(pot=True)
async def test_a_broken_amount_is_shown_and_never_entered(table: AtTheTable, how: str, key: str) -> None:
    await table.do(f"{BROKEN[how]}; type 60")
    assert table.lines[1].endswith(" ?60")
    refusals = len(table.refusals)
    await table.do(f"key {key}")
    assert table.refusals[refusals:] == ["torn"]
    assert table.moved == []
    await table.do("type 60K")
    assert [amount for _, _, amount, _ in table.moved] == [60_000]


@at_table()
async def test_a_broken_amount_heals_after_ten_seconds_without_a_key(table: AtTheTable) -> None:
    await table.do("insert right 1; type 1; remove right; insert right 1; wait 9; key 6; wait 9.8")
    assert table.snapshot["typed"] == "?6"
    await table.do("wait 0.3; type 1M")
    assert [amount for _, _, amount, _ in table.moved] == [1_000_000]


@at_table(books=SLOW_TO_PAY)
async def test_a_card_that_is_refused_after_touches_were_lost_hides_no_other(
    table: AtTheTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(_: GameSession, tag: str) -> None:
        monkeypatch.undo()
        raise Rejection(BankWhy.DISK)

    await table.do("insert left 1; insert right 1; key C; remove right; key GO; insert right 1")
    for _ in range(MOST_WAITING):
        table.keypad.press("1")
    table.left.take()
    table.left.seen("D3")
    monkeypatch.setattr(GameSession, "admit", refuse)
    await table.do("wait 6")
    assert table.refusals[-2:] == ["disk", "too fast"]
    assert table.snapshot["slots"] == {"left": 3, "right": None}


@at_table(books=SLOW_TO_PAY)
async def test_once_touches_are_lost_none_counts_until_the_unit_has_caught_up(table: AtTheTable) -> None:
    await table.do("insert left 1")
    for _ in range(MOST_WAITING):
        table.keypad.press("1")
        table.keypad.press("M")
    await table.do("wait 5.1")
    table.keypad.press("GO")
    await table.do(f"wait {5 * MOST_WAITING}")
    assert table.refusals == ["too fast"]
    assert {reason for *_, reason in table.moved} == {"received"}
    await table.do("hold C 5")
    assert len(table.told("game.started")) == 1, "the unit never heard of this C"
    await table.do("key GO; wait 5.1")
    assert table.moved[-1] == (BANK, 1, 2_000_000, "salary")


@at_table(books=stalling(pay_all=5.0, admit=1.0))
async def test_a_card_that_was_looked_up_and_queued_is_no_twin_of_itself(table: AtTheTable) -> None:
    await table.do("insert right 1; wait 1.1; type 1M")
    for _ in range(MOST_WAITING + 1):
        table.keypad.press("1")
    table.left.seen(DECK[1])
    table.right.take()
    await table.do("wait 5.3")  # the left card is being looked up, and the unit listens again
    table.right.seen(DECK[3])
    await table.do("wait 10")
    assert table.refusals == ["too fast"]
    assert table.snapshot["slots"] == {"left": 2, "right": 4}


async def test_a_waiting_request_fails_when_the_unit_ends_and_later_ones_at_once(ledger_file: Path) -> None:
    async with table(ledger_file, books=SLOW_TO_PAY) as stalled:
        await stalled.do("insert left 1; type 1M")
        waiting = asyncio.create_task(stalled.request("undo", transfer=1))
        await stalled.do("wait 0.1")
    with pytest.raises(ReboardError, match="has stopped"):
        await waiting
    with pytest.raises(ReboardError, match="not running"):
        await stalled.request("undo", transfer=1)


@at_table()
async def test_a_rejected_card_that_leaves_keeps_the_entry(table: AtTheTable) -> None:
    await table.do("insert left 1; type 1.5; insert right STRANGER")
    assert table.lines[1].startswith("TOO MANY CARDS")
    await table.do("remove right; key M")
    assert table.lines == ("+1 16.5M", "")


def test_numbers_of_cards(ledger: Ledger) -> None:
    game = ledger.new_game("nintendo", 1500, at=1.0).id

    def numbers(tags: list[str], *known: str, most: int = 6) -> list[int]:
        return [ledger.admit(game, tag, known=known, most=most, press="admit", at=1.0).number for tag in tags]

    assert numbers(["CC", "AA", "BB", "AA"]) == [1, 2, 3, 2]
    with pytest.raises(Rejection, match="no number of this edition"):
        numbers(["DD"], most=3)
    assert numbers(["DD"], most=4) == [4]
    assert numbers(["BB", "AA", "DD", "EE"], "BB") == [1, 2, 4, 5], "number 3 still has money in this game"
    game = ledger.new_game("nintendo", 1500, at=1.0).id
    assert numbers(["FF"], "BB") == [3], "a known card frees its number"
    with pytest.raises(Rejection, match="no number of this edition"):
        numbers(["K7"], "K1", "K2", "K3", "K4", "K5", "K6", "K7")
    assert ledger.verify() == []


def test_a_card_that_cannot_get_its_start_gets_no_number(ledger: Ledger) -> None:
    game = ledger.new_game("nintendo", 1500, at=1.0).id
    refuse = "CREATE TEMP TRIGGER refuse BEFORE INSERT ON main.transfer BEGIN SELECT RAISE(ABORT, 'refused'); END"
    ledger.connection.execute(refuse)
    with pytest.raises(LookupError, match="refused"):
        ledger.admit(game, "AA", known=(), most=8, press="admit", at=1.0)
    assert ledger.connection.execute("SELECT tag FROM deck").fetchall() == []


@at_table()
async def test_a_new_game_after_a_named_one_starts_once(table: AtTheTable) -> None:
    await table.do("insert left 1")
    answers = await asyncio.gather(*(table.request("new_game", game=1, edition="nintendo") for _ in range(3)))
    assert answers == [{"game": 2}] * 3
    assert table.sounds.count("new_game") == 1
    assert len(table.told("game.started")) == 2
    assert not table.told("deal.cancelled")
