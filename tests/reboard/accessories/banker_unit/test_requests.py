"""Requests from the control socket."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from reboard.accessories.banker_unit.ledger import Ledger
from reboard.errors import ReboardError, Rejection, RequestError
from reboard_sim.virtual_time import run
from tests.reboard.accessories.banker_unit.fakes import AtTheTable, Play, table

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


# Another edition.


def test_an_unknown_edition_is_rejected_with_a_list(play: Play) -> None:
    async def scenario(table: AtTheTable) -> None:
        with pytest.raises(RequestError, match=r'there is no edition "wurld"; there are world, world/quick, '):
            await table.request("new_game", edition="wurld")
        assert len(table.told("game.started")) == 1

    play(scenario)


def test_a_repeated_new_game_starts_no_second_one(play: Play) -> None:
    async def scenario(table: AtTheTable) -> None:
        for _ in range(2):
            assert await table.request("new_game", game=1, edition="nintendo") == {"game": 2}
        assert len(table.told("game.started")) == 2

    play(scenario)


def test_a_card_that_the_other_edition_has_not_has_to_be_taken_out_first(ledger_file: Path, tmp_path: Path) -> None:
    street = tmp_path / "street.toml"
    street.write_text(STREET, encoding="utf-8")

    async def main() -> None:
        async with table(ledger_file, edition=str(street)) as at_table:
            await at_table.insert("right", "a seventh card")
            assert at_table.lines[1] == "-7 100"
            with pytest.raises(Rejection, match=r"card 7 is in the right slot, and .* has only 6: take it out first"):
                await at_table.request("new_game", edition="nintendo")
            assert at_table.lines[1] == "-7 100"
            assert len(at_table.told("game.started")) == 1
            await at_table.remove("right")
            assert await at_table.request("new_game", edition="nintendo") == {"game": 2}
            assert at_table.balances == {}

    run(main)


# Names.


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("Gwendolyn", 'must be a name of at most 8 characters that the display can show, and is "Gwendolyn"'),
        ("card 5", "must be other than the names of bank, pot and cards"),
        ("Ben", "card 2 is called Ben already"),
    ],
)
def test_a_name_that_the_config_could_not_have_is_refused(play: Play, name: str, problem: str) -> None:
    async def scenario(table: AtTheTable) -> None:
        await players(table, 1)
        with pytest.raises(RequestError, match=problem):
            await table.request("name", card=1, name=name)
        assert names(table) == {1: "Anna"}
        assert not table.told("named")
        assert not table.refusals, "that is the host's matter, not the table's"

    play(scenario, names=NAMES)


# The end of a game.


@pytest.mark.parametrize(
    ("game", "worths", "problem"),
    [
        (2, {}, "current game is 1"),
        (1, {5: 1_000_000}, "card 5 has no player"),
        (1, {1: 1}, "finer than this edition's smallest money"),
        (1, {1: 10**13}, "would not fit the display"),
    ],
)
def test_an_impossible_end_is_rejected(play: Play, game: int, worths: dict[int, int], problem: str) -> None:
    async def scenario(table: AtTheTable) -> None:
        await players(table, 1, 2)
        with pytest.raises(ReboardError, match=problem):
            await table.request("end_game", game=game, worths=worths)
        assert ending(table) is None
        assert not table.told("game.ended")
        assert not table.refusals

    play(scenario)


def test_a_game_without_players_cannot_end(play: Play) -> None:
    async def scenario(table: AtTheTable) -> None:
        with pytest.raises(RequestError, match="no players"):
            await table.request("end_game", game=1, worths={})

    play(scenario)


# Looking back.


def test_damage_found_by_the_history_ends_the_unit(ledger_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
                    await at_table.history()
            await at_table.wait(1)

    with pytest.raises(AssertionError, match="the unit stopped by itself"):
        run(main)
