from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reboard.page.balance_lines import Mark, lines, marks
from reboard.page.story import after
from tests.reboard.page.games import any_game, story_of, transfer

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


@pytest.fixture(autouse=True)
def in_greenwich(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def at(text: str) -> float:
    return datetime.fromisoformat(f"{text}+00:00").timestamp()


def test_a_line_goes_in_steps_and_ends_where_the_game_is() -> None:
    rows = [transfer(1, 0, 1, 15), transfer(2, 0, 2, 15), transfer(3, 1, 2, 5), transfer(4, 0, 2, 1)]
    assert lines(story_of(rows), 100) == {
        1: [(1, 15), (3, 15), (3, 10), (4, 10)],
        2: [(2, 15), (3, 15), (3, 20), (4, 20), (4, 21), (4, 21)],
    }


def test_who_was_in_the_game_already_has_a_line_from_the_beginning() -> None:
    assert lines(story_of([transfer(9, 1, 0, 5)], {1: 15, 2: 7}), 100) == {
        1: [(0, 15), (1, 15), (1, 10), (1, 10)],
        2: [(0, 7), (1, 7)],
    }


@given(transfers=st.integers(1, 300), cards=st.integers(1, 8), most=st.integers(1, 100), seed=st.integers(0, 5))
def test_a_long_game_has_no_more_steps_and_each_of_them_is_right(
    transfers: int, cards: int, most: int, seed: int
) -> None:
    rows = any_game(transfers, cards, seed=seed)
    had: list[dict[int, int]] = [{}]
    for row in rows:
        had.append({**had[-1], **dict(after(row, had[-1]))})
    found = lines(story_of(rows), most)
    assert found.keys() == had[-1].keys()
    for card, corners in found.items():
        assert len({number for number, _ in corners}) <= most + 1
        assert corners[-1] == (transfers, had[-1][card])
        assert [number for number, _ in corners] == sorted(number for number, _ in corners)
        for (number, balance), (later, _) in pairwise(corners):
            if later > number:
                assert had[number][card] == balance


def test_times_of_day_are_spread_over_the_transfers() -> None:
    rows = [transfer(n, 0, 1, 1, at("2026-11-21 20:00") + 600 * n) for n in range(1, 12)]
    assert marks(story_of(rows), 3, DAYS) == [Mark(1, "20:10"), Mark(6, "21:00"), Mark(11, "21:50")]
    assert [mark.number for mark in marks(story_of(rows), 50, DAYS)] == list(range(1, 12))


def test_a_time_is_said_once() -> None:
    rows = [transfer(n, 0, 1, 1, at("2026-11-21 20:00") + n) for n in range(1, 50)]
    assert marks(story_of(rows), 5, DAYS) == [Mark(1, "20:00")]


def test_the_first_transfer_of_a_game_has_its_time() -> None:
    assert marks(story_of([transfer(1, 0, 1, 1, at("2026-11-21 20:00"))]), 5, DAYS) == [Mark(1, "20:00")]


def test_a_game_of_several_evenings_says_which_day_it_was() -> None:
    times = ["2026-11-20 23:50", "2026-11-20 23:55", "2026-11-21 00:05", "2026-11-28 00:10"]
    rows = [transfer(n, 0, 1, 1, at(text)) for n, text in enumerate(times, start=1)]
    told = [mark.text for mark in marks(story_of(rows), 4, DAYS)]
    assert told == ["Fri 23:50", "23:55", "Sat 00:05", "Sat 00:10"]
