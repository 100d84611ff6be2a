"""Going on with a game that was put aside, at the keypad."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from reboard.banker.ledger import Ledger
from reboard_sim.virtual_time import run
from tests.reboard.banker.hand_table import AtTheTable, Play, table

A_YEAR = ("0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "-", ":", " ")


async def played(table: AtTheTable, *cards: int) -> None:
    """Something more than that cards were put in."""
    for card in cards:
        await table.insert("left", card)
        await table.key("GO")
        await table.remove("left")


async def new_game(table: AtTheTable) -> None:
    await table.key("C", seconds=3.1)


def test_the_games_are_offered_newest_first_with_edition_players_and_when(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await played(table, 1)
        await new_game(table)
        await played(table, 1, 2)
        await new_game(table)
        await table.choose(3)
        shown = []
        for _ in range(3):
            shown.append(table.lines)
            await table.key("GO")
        assert [first for first, _ in shown] == ["2 WORLD 2P", "1 WORLD 1P", "2 WORLD 2P"]
        when = shown[0][1]
        assert len(when) == 16
        assert set(when) <= set(A_YEAR)
        assert when.startswith("2023-11-1")

    play(hands)


def test_games_in_which_nothing_happened_but_their_starts_are_not_offered(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.remove("left")
        await new_game(table)
        await table.choose(3)
        assert table.refusals == ["no other game"]
        assert table.lines == ("3 OTHER GAME", "NO OTHER GAME")

    play(hands)


def test_m_goes_on_with_it_where_it_was_left(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await played(table, 1, 2)
        await new_game(table)
        await table.insert("left", 1)
        await table.key("GO")
        await table.key("GO")
        await table.remove("left")
        await table.choose(3)
        await table.key("M")
        assert table.lines == ("GAME 1", "INSERT CARD")
        assert table.sounds[-1] == "new_game"
        assert table.told("game.resumed") == [{"game": 1, "edition": "world"}]
        assert table.balances == {1: 17_000_000, 2: 17_000_000}
        await table.insert("left", 1)
        assert table.lines == ("+1 17M", "")
        await table.key("C")
        assert table.refusals == ["nothing to undo"]
        await table.key("GO")
        assert table.told("transfer")[-1]["game"] == 1
        assert await table.books.ask(Ledger.verify) == []

    play(hands)


def test_the_game_that_was_on_can_be_gone_on_with_in_its_turn(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await played(table, 1)
        await new_game(table)
        await played(table, 2)
        for number in (1, 2, 1):
            await table.choose(3)
            await table.key("M")
            assert table.unit.snapshot()["game"] == number

    play(hands)


def test_with_a_card_in_no_other_game_goes_on(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await played(table, 1)
        await new_game(table)
        await table.choose(3)
        await table.insert("left", 1)
        await table.key("M")
        assert table.refusals == ["cards in"]
        assert table.lines == ("1 WORLD 1P", "TAKE CARDS OUT")
        await table.remove("left")
        await table.key("M")
        assert table.unit.snapshot()["game"] == 1

    play(hands)


def test_other_keys_change_nothing_and_c_leaves(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await played(table, 1)
        await new_game(table)
        await table.choose(3)
        for key in ("1", ".", "K", "DEAL"):
            await table.key(key)
            assert table.lines[0] == "1 WORLD 1P"
        await table.key("C")
        assert table.lines == ("WORLD EDITION", "INSERT CARD")
        assert table.unit.snapshot()["game"] == 2

    play(hands)


def test_it_goes_on_in_its_own_edition_also_after_a_power_cut(ledger_file: Path) -> None:
    async def main() -> None:
        async with table(ledger_file, edition="nintendo") as nintendo:
            await played(nintendo, 1)
        async with table(ledger_file) as world:
            await world.choose(3)
            assert world.lines[0] == "1 NINTENDO 1P"
            await world.key("M")
            await world.insert("left", 1)
            assert world.lines == ("+1 1700", "")
            assert world.unit.edition.name == "nintendo"
        async with table(ledger_file) as again:
            assert again.unit.edition.name == "nintendo"
            assert again.unit.snapshot()["game"] == 1

    run(main)


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
