"""A key press, a retry, a reconnect: nothing that was asked for once is booked twice."""

from __future__ import annotations

import asyncio
from contextlib import closing
from pathlib import Path

import pytest

from reboard.banker.ledger import Ledger
from reboard.refusal import Refusal
from tests.reboard.banker.hand_table import AtTheTable, Play


def booked(file: Path) -> list[tuple[int, int, str]]:
    """Who got what and why in every game, oldest first, but for the starts."""
    with closing(Ledger(file, read_only=True)) as ledger:
        rows = [row for game in ledger.games() for row in reversed(ledger.transfers(game.id, 1000))]
        return [(row.to, row.amount, row.reason) for row in rows if row.reason != "start"]


def test_a_key_that_stays_down_books_once(play: Play, ledger_file: Path) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.key("1")
        await table.key("M", 30.0)

    play(hands)
    assert booked(ledger_file) == [(1, 1_000_000, "received")]


def test_a_card_that_is_told_again_while_it_lies_there_books_nothing(play: Play, ledger_file: Path) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.key("GO")
        await table.insert("left", 1)
        await table.remove("left")
        await table.insert("left", 1)
        assert table.balances == {1: 17_000_000}

    play(hands)
    assert booked(ledger_file) == [(1, 2_000_000, "salary")]


def test_an_undo_that_names_its_transfer_takes_back_no_other_when_it_comes_again(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.key("GO")
        await table.key("GO")
        (_, _, last) = [transfer["id"] for transfer in table.told("transfer")]
        assert isinstance(last, int)
        assert (await table.unit.requests.undo(last))["undoes"] == last
        with pytest.raises(Refusal):
            await table.unit.requests.undo(last)
        assert table.balances == {1: 17_000_000}

    play(hands)


def test_a_new_game_that_names_the_old_one_begins_once(play: Play, ledger_file: Path) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        answers = await asyncio.gather(*(table.unit.requests.new_game(1) for _ in range(3)))
        assert answers == [{"game": 2}] * 3
        assert table.sounds.count("new_game") == 1

    play(hands)
    with closing(Ledger(ledger_file)) as ledger:
        assert len(ledger.games()) == 2
