from __future__ import annotations

from importlib import resources
from pathlib import Path

from reboard.accessories.banker_unit.ledger import Ledger
from reboard_sim.virtual_time import run
from tests.reboard.accessories.banker_unit.fakes import AtTheTable, Play, table

TITLES = ["1 FINAL COUNT", "2 BANKRUPTCY", "3 OTHER GAME", "4 NEW EDITION", "5 GAME CLOCK"]
AT_REST = ("WORLD EDITION", "INSERT CARD")


def test_twenty_seconds_without_a_touch_close_it_and_a_touch_keeps_it_open(play: Play) -> None:
    async def scenario(table: AtTheTable) -> None:
        await table.key("GO", seconds=1.6)
        await table.wait(19.5)
        await table.key("GO")
        await table.wait(19.5)
        assert table.lines[0] == TITLES[1]
        await table.wait(0.5)
        assert table.lines == AT_REST

    play(scenario)


def test_the_c_that_closes_a_dialog_begins_no_new_game_however_long_it_is_held(play: Play) -> None:
    async def scenario(table: AtTheTable) -> None:
        await table.key("GO", seconds=1.6)
        await table.key("C", seconds=10)
        assert table.lines == AT_REST
        assert len(table.told("game.started")) == 1
        await table.key("C", seconds=3.1)
        assert len(table.told("game.started")) == 2

    play(scenario)


def test_go_held_down_opens_the_menu_once_and_it_times_out(play: Play) -> None:
    async def scenario(table: AtTheTable) -> None:
        table.keypad.press("GO")
        await table.wait(21)
        assert table.lines[0] == TITLES[0]
        await table.wait(1)
        assert table.lines == AT_REST
        await table.wait(3600)
        assert table.display.dark
        table.keypad.release("GO")
        await table.wait(0.1)
        assert table.lines == AT_REST
        assert table.refusals == []

    play(scenario)


def test_a_request_keeps_no_dialog_open(play: Play) -> None:
    async def scenario(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.type("1M2M3M")
        await table.remove("left")
        await table.key("GO", seconds=1.6)
        for _ in range(3):
            await table.wait(9)
            await table.request("undo")
        assert table.lines == AT_REST

    play(scenario)


OWN = """
title = "The game of our street"
short_title = "Our street"
start = 100
salary = 10
jail_fee = 5

[money]
units = false
smallest = 1

[players]
fewest = 2
most = 8
"""


async def offered(table: AtTheTable, presses: int) -> list[str]:
    shown = []
    for _ in range(presses):
        shown.append(table.lines[0])
        await table.key("GO")
    return shown


def test_an_edition_of_the_owners_is_offered_and_chosen_again(ledger_file: Path, tmp_path: Path) -> None:
    own = tmp_path / "street.toml"
    own.write_text(OWN, encoding="utf-8")

    async def main() -> None:
        async with table(ledger_file, edition=str(own)) as at_own:
            await at_own.choose(4)
            assert (await offered(at_own, 2))[0] == "OUR STREET"
            await at_own.key("M")
            assert at_own.unit.edition.name != "street"
            await at_own.choose(4)
            await at_own.key("M")
            await at_own.insert("left", 1)
            assert at_own.lines == ("+1 100", "")
            assert await at_own.books.ask(Ledger.verify) == []

    run(main)


async def played(table: AtTheTable, *cards: int) -> None:
    """Something more than that cards were put in."""
    for card in cards:
        await table.insert("left", card)
        await table.key("GO")
        await table.remove("left")


def test_a_game_of_an_edition_that_is_gone_stays_where_it_is(ledger_file: Path, tmp_path: Path) -> None:
    own = tmp_path / "our-own-monopoly.toml"
    own.write_bytes((resources.files("reboard.editions") / "nintendo.toml").read_bytes())

    async def main() -> None:
        async with table(ledger_file, edition=str(own)) as at_own:
            await played(at_own, 1)
        async with table(ledger_file) as world:
            await world.choose(3)
            assert world.lines[0] == "1 OUR-OWN-MON 1P"
            await world.key("M")
            assert world.refusals == ["no edition"]
            assert world.lines[1] == "EDITION IS GONE"
            assert world.unit.snapshot()["game"] == 2
        async with table(ledger_file, edition=str(own)) as back:
            await back.choose(3)
            await back.key("M")
            assert back.refusals == []
            assert back.unit.snapshot()["game"] == 1
            assert back.balances == {1: 1700}

    run(main)


async def players(table: AtTheTable, *cards: int) -> None:
    for card in cards:
        await table.insert("left", card)
        await table.remove("left")


async def ranking(table: AtTheTable, presses: int) -> list[tuple[str, str]]:
    shown = []
    for _ in range(presses):
        await table.key("GO")
        shown.append(table.lines)
    return shown


def test_c_clears_the_entry_then_the_last_amount_then_leaves(play: Play) -> None:
    async def scenario(table: AtTheTable) -> None:
        await table.choose(1)
        await table.insert("left", 1)
        await table.type("1M2M7")
        shown = []
        for _ in range(4):
            await table.key("C")
            shown.append(table.lines)
        assert shown == [("1 18M", "+ 2M"), ("1 16M", "+ 1M"), ("1 15M", "+"), ("+1 15M", "")]

    play(scenario)


def test_without_a_card_c_asks_before_a_count_is_thrown_away(play: Play) -> None:
    async def scenario(table: AtTheTable) -> None:
        await table.choose(1)
        await table.insert("left", 1)
        await table.type("1M")
        await table.remove("left")
        await table.key("C")
        assert table.lines == ("FINAL COUNT", "C ENDS THE COUNT")
        await table.insert("left", 1)
        assert table.lines == ("1 16M", "+ 1M")
        await table.type("2M")
        await table.remove("left")
        await table.key("C")
        await table.key("DEAL")
        await table.key("C")
        assert table.lines == ("FINAL COUNT", "C ENDS THE COUNT"), "another key was an answer"
        await table.key("C")
        assert table.lines == ("WORLD EDITION", "INSERT CARD")

    play(scenario)


def test_a_bankrupt_player_is_not_counted(play: Play) -> None:
    async def scenario(table: AtTheTable) -> None:
        await players(table, 1, 2)
        await table.insert("right", 2)
        await table.wait(0.1)
        await table.remove("right")
        await table.choose(2)
        await table.insert("right", 2)
        await table.key("M")
        await table.remove("right")
        await table.choose(1)
        await table.insert("left", 2)
        await table.type("5M")
        assert table.refusals == ["bankrupt"]
        assert table.lines == ("2 0", "OUT OF THE GAME")
        assert await ranking(table, 2) == [("1. CARD 1", "15M")] * 2

    play(scenario)


def test_a_count_outlives_ten_minutes_at_the_property_cards_and_the_sleep(play: Play) -> None:
    async def scenario(table: AtTheTable) -> None:
        await table.choose(1)
        await table.insert("left", 1)
        await table.type("5M")
        await table.wait(599)
        assert table.display.dark
        await table.key("K")
        assert not table.display.dark
        assert table.lines == ("1 20M", "+ 5M"), "the key that wakes does only that"
        await table.type("1")
        await table.wait(601)
        assert table.display.dark
        await table.key("C")
        assert table.lines == ("+1 15M", ""), "nobody was there, and what was typed is forgotten"

    play(scenario)


ALL_OF_IT = 15_000_000


async def retire_with_nothing(table: AtTheTable) -> None:
    """Card 3 pays all it has to the bank, and then goes bankrupt; it is still in."""
    await table.insert("right", 3)
    await table.type("15M")
    await table.remove("right")
    await table.choose(2)
    await table.insert("right", 3)
    await table.key("M")


def test_a_card_that_had_nothing_retires_and_comes_back_with_nothing(play: Play) -> None:
    async def scenario(table: AtTheTable) -> None:
        await retire_with_nothing(table)
        assert table.moved == [(3, 0, ALL_OF_IT, "paid")]
        await table.remove("right")
        await table.insert("left", 3)
        await table.type("1M")
        assert table.refusals == ["bankrupt"]
        await table.remove("left")
        await table.choose(2)
        await table.insert("right", 3)
        await table.key("M")
        assert table.lines == ("BACK IN", "-3 0")
        await table.remove("right")
        await table.insert("left", 3)
        await table.type("1M")
        assert table.balances == {3: 1_000_000}

    play(scenario)


def test_c_takes_the_bankruptcy_of_a_card_with_nothing_back_while_it_is_in(play: Play) -> None:
    async def scenario(table: AtTheTable) -> None:
        await retire_with_nothing(table)
        await table.key("C")
        assert table.lines == ("BACK IN", "-3 0")
        assert table.sounds[-1] == "undone"
        await table.key("C")
        assert table.refusals == ["nothing to undo"]
        await table.remove("right")
        await table.insert("left", 3)
        await table.type("1M")
        assert table.balances == {3: 1_000_000}

    play(scenario)


def test_a_card_does_not_come_back_when_its_money_is_spent(play: Play) -> None:
    async def scenario(table: AtTheTable) -> None:
        await table.choose(2)
        await table.insert("left", 2)
        await table.insert("right", 3)
        await table.key("M")
        await table.remove("left")
        await table.remove("right")
        await table.insert("right", 2)
        await table.type("20M")
        await table.remove("right")
        await table.choose(2)
        await table.insert("right", 3)
        await table.key("M")
        assert table.refusals == ["no funds"]
        assert table.balances == {2: 10_000_000, 3: 0}
        assert table.lines == ("-3 0", "NO FUNDS"), "the dialog stays open"

    play(scenario)
