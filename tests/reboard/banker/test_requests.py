"""What the host asks of the unit from afar."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import ClassVar

import pytest

from reboard.banker.ledger import Ledger
from reboard.edition import editions_in_the_box
from reboard.errors import ReboardError, RequestError
from reboard.refusal import Refusal
from reboard_sim.virtual_time import run
from tests.reboard.banker.hand_table import AtTheTable, Play, StallingBookkeeper, table

NAMES = ("Anna", "Ben")

STREET = """
title = "The game of our street"
short_title = "Our street"
start = 100
salary = 10
jail_fee = 5
money = { units = false, smallest = 1 }
players = { fewest = 2, most = 8 }
"""


def ending(table: AtTheTable) -> object:
    return table.unit.snapshot()["ended"]


def names(table: AtTheTable) -> dict[int, str]:
    cards = table.unit.snapshot()["cards"]
    assert isinstance(cards, list)
    return {card["number"]: card["name"] for card in cards}


async def players(table: AtTheTable, *cards: int) -> None:
    for card in cards:
        await table.insert("left", card)
        await table.remove("left")


async def go_bankrupt(table: AtTheTable, card: int) -> None:
    await table.choose(2)
    await table.insert("right", card)
    await table.key("M")
    await table.remove("right")


def switched_on_and_off(file: Path, *evenings: Callable[[AtTheTable], Awaitable[None]]) -> None:
    """One evening after the other at the same ledger."""

    async def main() -> None:
        for evening in evenings:
            async with table(file, names=NAMES) as at_table:
                await evening(at_table)

    run(main)


# Another edition.


def test_a_new_game_can_be_begun_in_each_edition_that_the_snapshot_lists(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await players(table, 1)
        editions = table.unit.snapshot()["editions"]
        assert isinstance(editions, list)
        others = [edition.name for edition in editions_in_the_box() if not edition.name.startswith("world")]
        assert [edition["name"] for edition in editions] == ["world", "world/quick", *others]
        for edition in editions:
            answer = await table.unit.requests.new_game(edition=edition["name"])
            assert table.told("game.started")[-1] == {**answer, "edition": edition["name"]}
            assert edition["title"] == table.unit.edition.title
            assert table.balances == {1: table.unit.edition.start}
            assert table.lines[0] == "NEW GAME"

    play(hands)


def test_without_an_edition_a_new_game_is_in_that_of_the_one_before(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.unit.requests.new_game(1, "nintendo")
        await table.unit.requests.new_game(2)
        assert table.unit.edition.name == "nintendo"

    play(hands)


def test_an_unknown_edition_is_told_with_those_there_are(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        with pytest.raises(RequestError, match=r'there is no edition "wurld"; there are world, world/quick, '):
            await table.unit.requests.new_game(edition="wurld")
        assert len(table.told("game.started")) == 1

    play(hands)


def test_a_request_that_comes_again_begins_no_second_game_in_another_edition(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        for _ in range(2):
            assert await table.unit.requests.new_game(1, "nintendo") == {"game": 2}
        assert len(table.told("game.started")) == 2

    play(hands)


def test_cards_that_are_in_begin_in_the_other_edition_too(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.unit.requests.new_game(edition="nintendo")
        await table.wait(2.1)
        assert table.lines == ("+1 1500", "")
        await table.key("GO")
        assert table.lines == ("+1 1700", "")

    play(hands)


def test_a_card_that_the_other_edition_has_not_has_to_be_taken_out_first(ledger_file: Path, tmp_path: Path) -> None:
    street = tmp_path / "street.toml"
    street.write_text(STREET, encoding="utf-8")

    async def main() -> None:
        async with table(ledger_file, edition=str(street)) as at_table:
            await at_table.insert("right", "a seventh card")
            assert at_table.lines[1] == "-7 100"
            with pytest.raises(Refusal, match=r"card 7 is in the right slot, and .* has only 6: take it out first"):
                await at_table.unit.requests.new_game(edition="nintendo")
            assert at_table.lines[1] == "-7 100"
            assert len(at_table.told("game.started")) == 1
            await at_table.remove("right")
            assert await at_table.unit.requests.new_game(edition="nintendo") == {"game": 2}
            assert at_table.balances == {}

    run(main)


# Names.


def test_a_name_is_shown_at_once_and_the_configs_comes_back_when_it_is_taken_away(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        assert table.lines == ("+1 15M", "Anna")
        await table.unit.requests.name(1, "Zoë")
        assert table.lines == ("+1 15M", "Zoë")
        assert names(table) == {1: "Zoë"}
        await table.unit.requests.name(1, "")
        assert table.lines == ("+1 15M", "Anna")
        assert table.told("named") == [{"number": 1, "name": "Zoë"}, {"number": 1, "name": "Anna"}]

    play(hands, names=NAMES)


def test_a_name_is_kept_from_game_to_game_and_when_the_plug_is_pulled(ledger_file: Path) -> None:
    async def first(table: AtTheTable) -> None:
        await players(table, 1, 2, 3)
        await table.unit.requests.name(3, "Cem")
        await table.unit.requests.name(2, "Bea")
        await table.unit.requests.name(1, "Zoë")
        await table.unit.requests.name(1, "")

    async def second(table: AtTheTable) -> None:
        assert names(table) == {1: "Anna", 2: "Bea", 3: "Cem"}
        await table.unit.requests.new_game()
        assert names(table) == {1: "Anna", 2: "Bea", 3: "Cem"}
        await table.insert("left", 3)
        await table.wait(3)
        assert table.lines == ("+3 15M", "Cem")

    switched_on_and_off(ledger_file, first, second)


def test_a_card_can_be_named_before_it_plays(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.unit.requests.name(8, "Hal")
        assert table.told("named") == [{"number": 8, "name": "Hal"}]

    play(hands)


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("Gwendolyn", 'must be a name of at most 8 characters that the display can show, and is "Gwendolyn"'),
        ("card 5", "must be other than the names of bank, pot and cards"),
        ("Ben", "card 2 is called Ben already"),
    ],
)
def test_a_name_that_the_config_could_not_have_is_refused(play: Play, name: str, problem: str) -> None:
    async def hands(table: AtTheTable) -> None:
        await players(table, 1)
        with pytest.raises(RequestError, match=problem):
            await table.unit.requests.name(1, name)
        assert names(table) == {1: "Anna"}
        assert not table.told("named")
        assert not table.refusals, "that is the host's matter, not the table's"

    play(hands, names=NAMES)


def test_to_be_named_twice_alike_changes_nothing(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await players(table, 1)
        for _ in range(2):
            await table.unit.requests.name(1, "Zoë")
        assert names(table) == {1: "Zoë"}

    play(hands)


# The end of a game.


async def in_a_game_that_is_ended(table: AtTheTable) -> None:
    """Anna has 17M and deeds for 1M, Ben 15M and card 3 18M; the game is over."""
    await players(table, 1, 2, 3)
    await table.insert("left", 1)
    await table.key("GO")
    await table.remove("left")
    await table.insert("left", 3)
    await table.type("3M")
    await table.remove("left")
    await table.unit.requests.end_game(1, {1: 1_000_000})


ENDING = {
    "game": 1,
    "ranking": [
        {"place": 1, "number": 1, "name": "Anna", "worth": 18_000_000, "shown": "18M"},
        {"place": 1, "number": 3, "name": "", "worth": 18_000_000, "shown": "18M"},
        {"place": 3, "number": 2, "name": "Ben", "worth": 15_000_000, "shown": "15M"},
    ],
}


def test_the_end_of_a_game_is_answered_told_and_shown_and_nothing_is_booked(play: Play, ledger_file: Path) -> None:
    async def hands(table: AtTheTable) -> None:
        await in_a_game_that_is_ended(table)
        moved = len(table.moved)
        assert ending(table) == ENDING
        assert table.told("game.ended") == [ENDING]
        assert table.lines[0] == "GAME OVER"
        await table.wait(2.1)
        assert table.lines == ("GAME OVER", "Anna & CARD 3")
        assert await table.unit.requests.end_game(1, {1: 1_000_000}) == ENDING, "it can be asked for again"
        assert len(table.moved) == moved

    play(hands, names=NAMES)
    with closing(Ledger(ledger_file)) as ledger:
        assert ledger.verify() == []


def test_in_german_too(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await players(table, 1)
        await table.unit.requests.end_game(1, {})
        assert table.lines[0] == "SPIEL ZU ENDE"

    play(hands, language="de")


def test_who_is_bankrupt_is_not_ranked(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await players(table, 1, 2)
        await go_bankrupt(table, 1)
        with pytest.raises(RequestError, match="nobody plays with card 1 in game 1"):
            await table.unit.requests.end_game(1, {1: 500_000})
        ended = await table.unit.requests.end_game(1, {})
        assert ended["ranking"] == [{"place": 1, "number": 2, "name": "", "worth": 15_000_000, "shown": "15M"}]

    play(hands)


@pytest.mark.parametrize(
    ("game", "worths", "problem"),
    [
        (2, {}, "game 2 is not on, but game 1"),
        (1, {5: 1_000_000}, "nobody plays with card 5 in game 1"),
        (1, {1: 1}, "finer than this edition's smallest money"),
        (1, {1: 10**13}, "would not fit the display"),
    ],
)
def test_an_end_that_makes_no_sense_is_refused_and_the_game_goes_on(
    play: Play, game: int, worths: dict[int, int], problem: str
) -> None:
    async def hands(table: AtTheTable) -> None:
        await players(table, 1, 2)
        with pytest.raises(ReboardError, match=problem):
            await table.unit.requests.end_game(game, worths)
        assert ending(table) is None
        assert not table.told("game.ended")
        assert not table.refusals

    play(hands)


def test_a_game_that_nobody_plays_has_no_end(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        with pytest.raises(RequestError, match="nobody plays in game 1"):
            await table.unit.requests.end_game(1, {})

    play(hands)


async def pass_go(table: AtTheTable) -> None:
    await table.insert("left", 1)
    await table.key("GO")
    await table.remove("left")


async def somebody_joins(table: AtTheTable) -> None:
    await players(table, 4)


async def take_back(table: AtTheTable) -> None:
    await table.unit.requests.undo()


async def begin_anew(table: AtTheTable) -> None:
    await table.unit.requests.new_game()


async def begin_another_and_come_back(table: AtTheTable) -> None:
    await table.unit.requests.new_game()
    await table.choose(3)
    await table.key("M")
    assert table.told("game.resumed") == [{"game": 1, "edition": "world"}]


@pytest.mark.parametrize("act", [pass_go, somebody_joins, take_back, begin_anew, begin_another_and_come_back])
def test_a_game_is_over_only_until_something_happens_also_for_one_who_pulls_the_plug_then(
    ledger_file: Path, act: Callable[[AtTheTable], Awaitable[None]]
) -> None:
    async def end_it_and_go_on(table: AtTheTable) -> None:
        await in_a_game_that_is_ended(table)
        await act(table)
        assert ending(table) is None

    async def look(table: AtTheTable) -> None:
        assert ending(table) is None

    switched_on_and_off(ledger_file, end_it_and_go_on, look)


def test_a_player_without_money_who_goes_bankrupt_changes_the_ranking_so_the_game_is_not_over(
    ledger_file: Path,
) -> None:
    async def end_it_and_retire(table: AtTheTable) -> None:
        await players(table, 1, 2, 3)
        await table.insert("right", 1)
        await table.type("15M")
        await table.remove("right")
        await table.unit.requests.end_game(1, {})
        await go_bankrupt(table, 1)
        assert ending(table) is None

    async def look(table: AtTheTable) -> None:
        assert ending(table) is None

    switched_on_and_off(ledger_file, end_it_and_retire, look)


def test_a_game_that_is_over_is_over_when_the_plug_was_pulled_and_cards_come_and_go(ledger_file: Path) -> None:
    async def look(table: AtTheTable) -> None:
        assert ending(table) == ENDING
        await players(table, 1, 2)
        await table.insert("right", 1)
        await table.type("99M")
        assert table.refusals == ["no funds"]
        assert ending(table) == ENDING
        await table.remove("right")
        await table.unit.requests.name(3, "Cem")
        await table.unit.requests.name(1, "Zoë")

    async def look_again(table: AtTheTable) -> None:
        over = ending(table)
        assert isinstance(over, dict)
        assert [player["name"] for player in over["ranking"]] == ["Zoë", "Cem", "Ben"]

    switched_on_and_off(ledger_file, in_a_game_that_is_ended, look, look_again)


# Looking back.


def test_the_past_is_that_of_the_game_that_is_on(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await players(table, 1)
        await pass_go(table)
        past = json.loads(await table.unit.requests.history())
        assert (past["game"], past["before"]) == (1, {})
        assert [transfer["reason"] for transfer in past["transfers"]] == ["start", "salary"]
        await table.unit.requests.new_game()
        past = json.loads(await table.unit.requests.history())
        assert (past["game"], [transfer["game"] for transfer in past["transfers"]]) == (2, [2])

    play(hands)


class SlowHistory(StallingBookkeeper):
    stalls_s: ClassVar = {"history": 5.0}


def test_the_unit_plays_on_while_somebody_looks_back(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        looking = [asyncio.create_task(table.unit.requests.history()) for _ in range(100)]
        await table.wait(0.1)
        await pass_go(table)
        assert table.balances == {1: 17_000_000}
        assert not any(look.done() for look in looking)
        assert table.refusals == [], "those who look back leave room for those who pay"
        await asyncio.gather(*looking)

    play(hands, books=SlowHistory)


def test_before_a_game_is_on_there_is_no_past(ledger_file: Path) -> None:
    ledger_file.mkdir()

    async def main() -> None:
        async with table(ledger_file) as without_ledger:
            past = json.loads(await without_ledger.unit.requests.history())
            assert past == {"game": None, "before": {}, "transfers": []}

    run(main)


def test_damage_that_is_found_while_somebody_looks_back_is_the_units_matter_too(
    ledger_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def malformed(*_: object) -> None:
        error = sqlite3.DatabaseError("database disk image is malformed")
        error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise error

    async def main() -> None:
        async with table(ledger_file) as at_table:
            await players(at_table, 1)
            with monkeypatch.context() as broken:
                broken.setattr(Ledger, "transfers", malformed)
                with pytest.raises(ReboardError, match="the ledger was found damaged"):
                    await at_table.unit.requests.history()
            await at_table.wait(1)

    with pytest.raises(AssertionError, match="the unit stopped by itself"):
        run(main)
