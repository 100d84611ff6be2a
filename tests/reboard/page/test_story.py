from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reboard.errors import DoorError, ReboardError
from reboard.page.story import MOST_TRANSFERS, Storyteller, after
from reboard_sim.virtual_time import run
from tests.reboard.page.fake_table import FakeTable
from tests.reboard.page.games import any_game, story_of, transfer


def balances(before: dict[int, int], rows: list[dict[str, Any]]) -> dict[int, int]:
    now = dict(before)
    for row in rows:
        now.update(after(row, now))
    return now


def test_the_bank_has_no_balance() -> None:
    assert after(transfer(1, 0, 2, 5), {2: 10}) == [(2, 15)]
    assert after(transfer(1, 2, 0, 5), {2: 10}) == [(2, 5)]
    assert after(transfer(1, 2, 9, 5), {2: 10}) == [(2, 5)], "nor has the Free Parking pot"
    assert after(transfer(1, 2, 1, 5), {2: 10}) == [(2, 5), (1, 5)]


@given(known=st.integers(1, 40), seen=st.integers(0, 20), new=st.integers(0, 20))
def test_a_story_goes_on_with_what_is_seen_or_knows_that_something_is_missing(known: int, seen: int, new: int) -> None:
    rows = any_game(known + new)
    latest = rows[max(0, len(rows) - seen) :]
    goes_on = story_of(rows[:known]).followed_by(latest)
    if goes_on is None:
        assert seen <= new
    else:
        assert goes_on.transfers == tuple(rows if seen else rows[:known])


def test_a_long_story_begins_later_with_what_everybody_had_then() -> None:
    rows = any_game(MOST_TRANSFERS + 50)
    story = story_of(rows[:MOST_TRANSFERS])
    for number in range(MOST_TRANSFERS, len(rows)):
        goes_on = story.followed_by(rows[number - 19 : number + 1])
        assert goes_on
        story = goes_on
    assert len(story.transfers) == MOST_TRANSFERS
    assert story.transfers == tuple(rows[50:])
    assert story.before == balances({}, rows[:50])


Telling = Callable[[FakeTable, Storyteller], Awaitable[None]]


def told(tmp_path: Path, story: Telling) -> None:
    async def main() -> None:
        table = FakeTable(tmp_path / "table.sock")
        await table.open()
        try:
            await story(table, Storyteller(tmp_path / "table.sock"))
        finally:
            await table.door.close()

    run(main)


def seen(rows: list[dict[str, Any]], game: int | None = 3) -> dict[str, Any]:
    """A snapshot as far as the story is concerned."""
    return {"game": game, "transfers": rows[-20:][::-1]}


def test_the_past_is_asked_for_once_and_then_followed(tmp_path: Path) -> None:
    async def story(table: FakeTable, teller: Storyteller) -> None:
        rows = any_game(60)
        table.past = {"game": 3, "before": {"1": 7}, "transfers": rows[:30]}
        teller.hear(seen(rows[:30]))
        assert table.looks_back == 0, "nobody wanted to know"
        for count in (30, 31, 45, 45, 60):
            teller.hear(seen(rows[:count]))
            game = await teller.story()
            assert game
            assert (game.before, game.transfers) == ({1: 7}, tuple(rows[:count]))
        assert table.looks_back == 1

    told(tmp_path, story)


def test_however_many_want_to_know_at_once_the_table_is_asked_once(tmp_path: Path) -> None:
    async def story(table: FakeTable, teller: Storyteller) -> None:
        rows = any_game(30)
        table.past = {"game": 3, "before": {}, "transfers": rows}
        teller.hear(seen(rows))
        games = await asyncio.gather(*(teller.story() for _ in range(500)))
        assert all(game is games[0] for game in games)
        assert table.looks_back == 1

    told(tmp_path, story)


def test_one_who_does_not_wait_for_the_answer_spoils_it_for_nobody(tmp_path: Path) -> None:
    async def story(table: FakeTable, teller: Storyteller) -> None:
        table.past = {"game": 3, "before": {}, "transfers": any_game(5)}
        impatient, patient = asyncio.create_task(teller.story()), asyncio.create_task(teller.story())
        await asyncio.sleep(0)
        impatient.cancel()
        game = await patient
        assert game
        assert len(game.transfers) == 5

    told(tmp_path, story)


def test_what_happens_while_the_table_answers_is_not_lost(tmp_path: Path) -> None:
    async def story(table: FakeTable, teller: Storyteller) -> None:
        rows = any_game(31)
        table.past = {"game": 3, "before": {}, "transfers": rows[:30]}
        teller.hear(seen(rows))
        game = await teller.story()
        assert game
        assert game.transfers == tuple(rows)

    told(tmp_path, story)


def test_an_answer_that_is_newer_than_what_was_seen_is_believed(tmp_path: Path) -> None:
    async def story(table: FakeTable, teller: Storyteller) -> None:
        rows = any_game(31)
        table.past = {"game": 3, "before": {}, "transfers": rows}
        for before in (seen(rows[:30]), seen([], None)):
            teller.forget()
            teller.hear(before)
            game = await teller.story()
            assert game
            assert game.transfers == tuple(rows)

    told(tmp_path, story)


@pytest.mark.parametrize("change", ["another game", "too much happened", "another table", "no game"])
def test_the_table_is_asked_anew_when_the_thread_is_lost(tmp_path: Path, change: str) -> None:
    async def story(table: FakeTable, teller: Storyteller) -> None:
        rows = any_game(80)
        table.past = {"game": 3, "before": {}, "transfers": rows[:30]}
        teller.hear(seen(rows[:30]))
        await teller.story()
        match change:
            case "another game":
                teller.hear(seen(rows[:30], 4))
            case "too much happened":
                teller.hear(seen(rows))
            case "another table":
                teller.forget()
            case "no game":
                table.past = {"game": None, "before": {}, "transfers": []}
                teller.hear(seen([], None))
        game = await teller.story()
        assert (game is None) == (change == "no game")
        assert table.looks_back == 2

    told(tmp_path, story)


def test_a_table_that_is_away_or_has_no_book_is_told_and_asked_again(tmp_path: Path) -> None:
    async def story(table: FakeTable, teller: Storyteller) -> None:
        table.refusal = ReboardError("the ledger cannot be read")
        with pytest.raises(ReboardError, match="cannot be read"):
            await teller.story()
        table.refusal = None
        assert await teller.story() is None
        await table.door.close()
        with pytest.raises(DoorError, match="no table is at work"):
            await teller.story()

    told(tmp_path, story)
