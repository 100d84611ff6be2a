"""Requests from the control socket."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from reboard.accessories.banker_unit.ledger import Ledger
from reboard.errors import ReboardError, Rejection
from reboard_sim.virtual_time import run
from tests.reboard.accessories.banker_unit.fakes import AtTheTable, at_table, table
from tests.reboard.accessories.banker_unit.test_dialogs import STREET


@at_table()
async def test_an_unknown_edition_is_rejected_with_a_list(table: AtTheTable) -> None:
    with pytest.raises(Rejection, match=r'"wurld".* world, world/quick, '):
        await table.request("new_game", edition="wurld")
    assert len(table.told("game.started")) == 1


async def test_a_card_that_the_other_edition_lacks_has_to_be_taken_out_first(ledger_file: Path, tmp_path: Path) -> None:
    street = tmp_path / "street.toml"
    street.write_text(STREET, encoding="utf-8")
    async with table(ledger_file, edition=str(street)) as at_table:
        await at_table.do("insert right 7")
        with pytest.raises(Rejection, match=r"card 7 is in the right slot"):
            await at_table.request("new_game", edition="nintendo")
        assert at_table.lines[1] == "-7 100"
        assert len(at_table.told("game.started")) == 1
        await at_table.do("remove right")
        assert await at_table.request("new_game", edition="nintendo") == {"game": 2}
        assert at_table.balances == {}


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("Gwendolyn Maria Lovelace", "must be 1 to 20 characters that"),
        ("card 5", "is a name of a card"),
        ("die Bank", "is a name of the bank"),
        ("Ben", "card 2 is already called Ben"),
        ("ben", "card 2 is already called ben"),
    ],
)
@at_table(names=("Anna", "Ben"))
async def test_a_name_that_the_config_could_not_have_is_refused(table: AtTheTable, name: str, problem: str) -> None:
    await table.do("insert left 1; remove left")
    with pytest.raises(Rejection, match=problem):
        await table.request("name", card=1, name=name)
    assert table.snapshot["cards"][0]["name"] == "Anna"
    assert not table.told("named")
    assert not table.refusals, "that is the host's matter, not the table's"


@pytest.mark.parametrize(
    ("cards", "game", "worths", "problem"),
    [
        ((1, 2), 2, {}, "current game is 1"),
        ((1, 2), 1, {5: 1_000_000}, "card 5 is not playing"),
        ((1, 2), 1, {1: 1}, "not a multiple of this edition's smallest amount"),
        ((1, 2), 1, {1: 10**13}, "would be too large"),
        ((), 1, {}, "too few players"),
    ],
)
@at_table()
async def test_an_impossible_end_is_rejected(
    table: AtTheTable, cards: tuple[int, ...], game: int, worths: dict[int, int], problem: str
) -> None:
    for card in cards:
        await table.do(f"insert left {card}; key GO; remove left")
    with pytest.raises(Rejection, match=problem):
        await table.request("end_game", game=game, worths=worths)
    assert table.snapshot["ended"] is None
    assert not table.told("game.ended")
    assert not table.refusals


def test_damage_found_by_the_history_ends_the_unit(ledger_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def malformed(*_: object) -> None:
        error = sqlite3.DatabaseError("database disk image is malformed")
        error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise error

    async def main() -> None:
        async with table(ledger_file) as at_table:
            await at_table.do("insert left 1; remove left")
            with monkeypatch.context() as broken:
                broken.setattr(Ledger, "transfers", malformed)
                with pytest.raises(ReboardError, match="is damaged"):
                    await at_table.request("history")
            await at_table.do("wait 1")

    with pytest.raises(AssertionError, match="the unit stopped by itself"):
        run(main)


@at_table()
async def test_transfers_are_answered_across_games_in_pages_without_a_gap(table: AtTheTable) -> None:
    await table.do("insert left 1; key GO; remove left")
    await table.request("new_game", edition="nintendo")
    await table.do("insert left 2; remove left")
    known: list[dict[str, Any]] = []
    while True:
        after = known[-1]["id"] if known else 0
        page = await table.request("transfers", after=after, most=2)
        assert (page["before"], page["last"]) == (after, 3)
        if not page["transfers"]:
            break
        assert all(str(row["game"]) in page["editions"] for row in page["transfers"])
        known += page["transfers"]
    assert [(row["game"], row["reason"]) for row in known] == [(1, "start"), (1, "salary"), (2, "start")]
    assert page["editions"] == {}
