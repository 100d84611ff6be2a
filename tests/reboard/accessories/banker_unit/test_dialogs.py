from __future__ import annotations

import asyncio
from importlib import resources
from pathlib import Path

from reboard.accessories.banker_unit.ledger import Ledger
from tests.reboard.accessories.banker_unit.fakes import AtTheTable, at_table, stalling, table

RESTING = ("WORLD EDITION", "INSERT CARD")

STREET = """
title = "The game of our street"
short_title = "Our street"
start = 100
salary = 10
jail_fee = 5
money = { units = false, smallest = 1 }
players = { fewest = 2, most = 8 }
"""


@at_table()
async def test_go_held_down_opens_the_menu_once_and_it_times_out(table: AtTheTable) -> None:
    table.keypad.press("GO")
    await table.do("wait 21")
    assert table.lines[0] == "1 FINAL COUNT"
    await table.do("wait 1")
    assert table.lines == RESTING
    await table.do("wait 3600")
    assert table.snapshot["asleep"]
    table.keypad.release("GO")
    await table.do("wait 0.1")
    assert table.lines == RESTING
    assert table.refusals == []


@at_table()
async def test_a_request_keeps_no_dialog_open(table: AtTheTable) -> None:
    await table.do("insert left 1; type 1M2M3M; remove left; hold GO 1.6")
    for transfer in (2, 3, 4):
        await table.do("wait 9")
        await table.request("undo", transfer=transfer)
    assert table.lines == RESTING


@at_table(books=stalling(name=5.0))
async def test_a_dialog_that_times_out_while_a_request_waits_for_the_disk_stays_closed(table: AtTheTable) -> None:
    await table.do("hold GO 1.6; wait 17")
    await asyncio.gather(table.request("name", card=1, name="Zoe"), table.do("wait 6"))
    assert table.lines == RESTING
    await table.do("insert left 1; type 2")
    assert table.lines == ("+1 15M         2", "Zoe")


@at_table(edition="nintendo/short", books=stalling(bankrupt=25.0))
async def test_a_disk_slower_than_a_dialog_is_patient_does_not_close_it(table: AtTheTable) -> None:
    await table.do(
        "insert left 1; insert right 2; remove right; insert right 3; type 5M; hold GO 1.6; key 2; key GO; wait 20"
    )
    assert table.lines[1] == "PLEASE WAIT"
    await table.do("wait 8; remove right")
    assert table.snapshot["dialog"] == "count"


async def test_an_edition_of_the_owners_is_offered_and_chosen_again(ledger_file: Path, tmp_path: Path) -> None:
    own = tmp_path / "street.toml"
    own.write_text(STREET, encoding="utf-8")
    async with table(ledger_file, edition=str(own)) as at_own:
        await at_own.do("hold GO 1.6; key 4; key GO")
        assert at_own.lines[0] == "1 OUR STREET"
        await at_own.do("key 2; key GO")
        assert at_own.unit.edition.name != "street"
        await at_own.do("hold GO 1.6; key 4; key GO; key 1; key GO; insert left 1")
        assert at_own.lines == ("+1 100", "")
        assert await at_own.ledger_thread.ask(Ledger.verify) == []


async def test_a_game_of_an_edition_that_is_gone_stays_where_it_is(ledger_file: Path, tmp_path: Path) -> None:
    own = tmp_path / "our-own-monopoly.toml"
    own.write_bytes((resources.files("reboard.editions") / "nintendo.toml").read_bytes())
    async with table(ledger_file, edition=str(own)) as at_own:
        await at_own.do("insert left 1; key GO")
    async with table(ledger_file) as world:
        await world.do("hold GO 1.6; key 3; key GO")
        assert world.lines[0] == "1 OUR-OWN-MONOPO"
        await world.do("key 1; key GO")
        assert world.refusals == ["no edition"]
        assert world.lines[1] == "EDITION IS GONE"
        assert world.snapshot["game"] == 2
    async with table(ledger_file, edition=str(own)) as back:
        await back.do("hold GO 1.6; key 3; key GO; key 1; key GO")
        assert back.refusals == []
        assert back.snapshot["game"] == 1
        assert back.balances == {1: 1700}


@at_table()
async def test_c_clears_the_entry_then_the_last_amount_then_leaves(table: AtTheTable) -> None:
    await table.do("insert left 1; key GO; hold GO 1.6; key 1; key GO; type 1M2M7")
    for shown in [("1 20M", "+ 2M"), ("1 18M", "+ 1M"), ("1 17M", "+"), ("+1 17M", "")]:
        await table.do("key C")
        assert table.lines == shown


@at_table()
async def test_without_a_card_c_asks_before_a_count_is_thrown_away(table: AtTheTable) -> None:
    await table.do("insert left 1; key GO; hold GO 1.6; key 1; key GO; type 1M; remove left; key C; key C")
    assert table.lines[0] == "FINAL COUNT", "C drops the offer"
    await table.do("insert left 1")
    assert table.lines == ("1 18M", "+ 1M")
    await table.do("remove left; key C; key GO")
    assert table.lines == RESTING


@at_table()
async def test_only_players_are_counted(table: AtTheTable) -> None:
    await table.do("insert left 1; insert right 2; type 1M; remove left; insert left 3; remove left")
    await table.do("hold GO 1.6; key 2; key GO; remove right; hold GO 1.6; key 1; key GO")
    for card, why, line in [(2, "bankrupt", "CARD IS BANKRUPT"), (3, "not playing", "NOT PLAYING YET")]:
        await table.do(f"insert left {card}; type 5M")
        assert table.refusals[-1] == why
        assert table.lines[1] == line
        await table.do("remove left")
    await table.do("key 1")
    for _ in range(2):
        await table.do("key GO")
        assert table.lines == ("1. CARD 1", "16M")


@at_table()
async def test_a_count_outlives_ten_minutes_at_the_property_cards_and_the_sleep(table: AtTheTable) -> None:
    await table.do("insert left 1; key GO; hold GO 1.6; key 1; key GO; type 5M; wait 599")
    assert table.snapshot["asleep"]
    await table.do("key K")
    assert not table.snapshot["asleep"]
    assert table.lines == ("1 22M", "+ 5M"), "the key that wakes does only that"
    await table.do("type 1; wait 601")
    assert table.snapshot["asleep"]
    await table.do("key C")
    assert table.lines == ("+1 17M", ""), "the count and the entry are forgotten"


async def retire_with_nothing(table: AtTheTable) -> None:
    """Card 3 pays all it has to the bank, and then goes bankrupt; it is still in."""
    await table.do("insert right 3; type 15M; remove right; hold GO 1.6; key 2; insert right 3")
    await table.do("key GO")


@at_table()
async def test_a_card_that_had_nothing_retires_and_comes_back_with_nothing(table: AtTheTable) -> None:
    await retire_with_nothing(table)
    assert table.moved == [(3, 0, 15_000_000, "paid")]
    await table.do("remove right; insert left 3; type 1M")
    assert table.refusals == ["bankrupt"]
    await table.do("remove left; hold GO 1.6; key 2; insert right 3; key GO")
    assert table.lines == ("BACK IN", "-3 0")


@at_table()
async def test_c_takes_the_bankruptcy_of_a_card_with_nothing_back_while_it_is_in(table: AtTheTable) -> None:
    await retire_with_nothing(table)
    await table.do("key C")
    assert table.lines == ("CARD 3 BACK IN", "GO OKAY     C NO")
    await table.do("key GO")
    assert table.lines == ("", "-3 0")
    assert table.sounds[-1] == "undone"
    await table.do("key C")
    assert table.refusals == ["nothing to undo"]
    await table.do("remove right; insert left 3; type 1M")
    assert table.balances == {3: 1_000_000}


@at_table()
async def test_a_card_does_not_come_back_when_its_money_is_spent(table: AtTheTable) -> None:
    await table.do("hold GO 1.6; key 2; insert left 2; insert right 3; key GO; remove left")
    await table.do("remove right; insert right 2; type 20M; remove right; hold GO 1.6; key 2")
    await table.do("insert right 3; key GO")
    assert table.refusals == ["no funds"]
    assert table.balances == {2: 10_000_000, 3: 0}
    assert table.snapshot["dialog"] == "menu", "the dialog stays open"
