"""What hands did at a table, written as a play."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from reboard_sim import recording
from reboard_sim.plays.play import Player
from reboard_sim.plays.play_language import MAX_LINES, parse_play
from reboard_sim.scene import Scene
from reboard_sim.session import checks_now, session_of
from reboard_sim.virtual_table import VirtualTable
from reboard_sim.virtual_time import run

Scenario = Callable[[VirtualTable], Awaitable[None]]


def session(state: Path, scenario: Scenario) -> list[str]:
    """The lines of the session that *scenario* is, without comments and without what is the case at its end."""
    text = whole_session(state, scenario)
    return [line for line in text.splitlines() if line and not line.startswith(("#", "expect "))]


def whole_session(state: Path, scenario: Scenario) -> str:
    async def main() -> str:
        table = VirtualTable(Scene.load(None, state), seed=1)
        try:
            await perform(table, "power on")
            await scenario(table)
            return session_of(table, asyncio.get_running_loop().time())
        finally:
            await table.close()

    text: str = run(main)
    parse_play(text)
    return text


async def perform(table: VirtualTable, text: str) -> None:
    await Player(table).perform(parse_play(text))


def doing(text: str) -> Scenario:
    return lambda table: perform(table, text)


def test_hold_and_release_are_recorded_as_one_line(tmp_path: Path) -> None:
    asked = "hold 5\nwait 0.1\nrelease 5\nhold block\nwait 2\nrelease block\nhold GO\nkey 1\nrelease GO"
    assert session(tmp_path, doing(asked))[1:] == [
        "hold 5 0.101",
        "press block 2.001",
        "hold GO",
        "key 1",
        "release GO",
    ]


def test_what_two_did_at_once_is_done_meanwhile(tmp_path: Path) -> None:
    async def scenario(table: VirtualTable) -> None:
        await asyncio.gather(perform(table, "type 1.5M"), perform(table, "wait 0.2\npress block"))

    assert session(tmp_path, scenario)[1:] == ["meanwhile type 1.5M", "wait 0.2", "press block", "wait 0.34"]


def test_a_cancelled_act_is_recorded_as_far_as_it_was_done(tmp_path: Path) -> None:
    async def scenario(table: VirtualTable) -> None:
        task = asyncio.ensure_future(perform(table, "hold C\nhold 5 700"))
        await asyncio.sleep(2)
        task.cancel()
        await asyncio.sleep(1)

    assert session(tmp_path, scenario)[1:] == [
        "hold C",
        "meanwhile hold 5",
        "wait 1.999",
        "meanwhile release 5",
        "meanwhile release C",
        "wait 1",
    ]


def test_a_session_ends_with_checks_of_the_state(tmp_path: Path) -> None:
    asked = "insert left 1\ntype 1.5M\nwait 1\npull lever\nrelease lever\nwait 1"
    text = whole_session(tmp_path, doing(asked))
    assert text.splitlines()[-6:] == [
        "expect display '+1 16.5M'",
        "expect balance 1 16.5M",
        "expect lamp off",
        "expect motor on",
        "expect apple on",
        "expect deal off",
    ]


def test_a_check_of_a_state_is_recorded_and_one_of_an_event_is_not(tmp_path: Path) -> None:
    asked = ["insert left 1", "expect event card.inserted", "expect balance 1 15M", "remove left", "wait 2"]
    text = whole_session(tmp_path, doing("\n".join(asked)))
    assert "insert left 1\nexpect balance 1 15M\nremove left\n" in text
    assert "expect event" not in text


def test_a_session_ends_with_the_balance_of_a_card_that_joined_from_a_phone(tmp_path: Path) -> None:
    text = whole_session(tmp_path, doing("insert left 1\nask 3 joins\nhost confirms\nwait 1"))
    assert [line for line in text.splitlines() if "balance" in line] == ["expect balance 1 15M", "expect balance 3 15M"]


def test_a_full_recording_ends_where_it_was_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert recording.MOST_LINES + recording.MOST_UNDER_WAY + 100 < MAX_LINES, "the whole is a valid play"
    monkeypatch.setattr(recording, "MOST_LINES", 20)

    async def scenario(table: VirtualTable) -> None:
        table.done.state_checks = lambda: checks_now(table)
        await perform(table, "insert left 1\n" + "key 1\nkey C\n" * 4)
        await perform(table, "remove left\nkey GO")

    text = whole_session(tmp_path, scenario)
    assert "full after 10 acts" in text
    assert "expect display '+1 15M" in text
    assert "remove left" not in text
