"""What hands did at a table, written as a play."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from reboard_sim.play import Player
from reboard_sim.play_language import MAX_LINES, PlayError, parse_play
from reboard_sim.recording import LINES_EACH, MOST_LINES
from reboard_sim.scene import Scene
from reboard_sim.session import session_of, what_is_seen
from reboard_sim.virtual_table import VirtualTable
from reboard_sim.virtual_time import run

MOST_ACTS = MOST_LINES // LINES_EACH
Scenario = Callable[[VirtualTable], Awaitable[None]]


def session(state: Path, scenario: Scenario, config: Path | None = None) -> list[str]:
    """The lines of the session that *scenario* is, without comments and without what is the case at its end."""
    text = whole_session(state, scenario, config)
    return [line for line in text.splitlines() if line and not line.startswith(("#", "expect "))]


def whole_session(state: Path, scenario: Scenario, config: Path | None = None) -> str:
    async def main() -> str:
        table = VirtualTable(Scene.load(config, state), seed=1)
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


def test_acts_are_told_as_they_were_asked_for_with_the_time_between_them(tmp_path: Path) -> None:
    asked = "insert left 1\nwait 0.25\ntype 1.5M\npress block 0.4\nwait until block.outcome\npull lever"
    assert session(tmp_path, doing(asked)) == [
        "power on",
        "insert left 1",
        "wait 0.25",
        "type 1.5M",
        "press block 0.4",
        "pull lever",
    ]


def test_what_was_held_and_let_go_is_one_line(tmp_path: Path) -> None:
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


def test_of_what_was_left_off_is_told_what_was_done_of_it(tmp_path: Path) -> None:
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


def test_what_was_refused_is_not_told(tmp_path: Path) -> None:
    async def scenario(table: VirtualTable) -> None:
        for line in ("config apple.seconds 1", "edition monopoly", "expect motor on"):
            with pytest.raises((PlayError, AssertionError)):
                await perform(table, line)

    assert session(tmp_path, scenario) == ["power on", "wait 0.3"]


def test_a_check_of_what_is_is_kept_and_one_that_looks_back_is_not(tmp_path: Path) -> None:
    text = whole_session(tmp_path, doing("press block\nexpect lamp on\nexpect event block.outcome\nwait 1"))
    assert text.count("expect lamp") == 2
    assert "expect event" not in text


def test_a_check_during_which_somebody_else_did_something_is_not_kept(tmp_path: Path) -> None:
    async def scenario(table: VirtualTable) -> None:
        others = ('expect not display "INSERT CARD"', "wait 0.001\npress block")
        await asyncio.gather(*(perform(table, text) for text in ("insert left 1", *others)))

    assert "expect not" not in whole_session(tmp_path, scenario)
    assert "expect not" in whole_session(tmp_path, doing('insert left 2\nexpect not display "INSERT CARD"'))


def test_at_the_end_stands_what_is_the_case(tmp_path: Path) -> None:
    asked = "insert left 1\ntype 1.5M\nwait 1\npull lever\nrelease lever\nwait 1"
    text = whole_session(tmp_path, doing(asked))
    assert text.splitlines()[-6:] == [
        "expect display '+1 16.5M'",
        "expect balance 1 16.5M",
        "expect motor on",
        "expect lamp off",
        "expect deal off",
        "expect apple on",
    ]


def test_what_a_table_has_not_is_not_looked_at(tmp_path: Path) -> None:
    config = tmp_path / "block.toml"
    config.write_text("[block]\nbutton = 17\n")
    text = whole_session(tmp_path, doing("press block"), config)
    assert text.splitlines()[-1] == "press block"
    assert "reboard-sim play -c block.toml" in text


def test_a_play_that_began_with_a_ledger_says_so(tmp_path: Path) -> None:
    assert "--state" not in whole_session(tmp_path, doing("insert left 1"))
    assert "--state" in whole_session(tmp_path, doing("insert left 1"))


def test_a_table_that_was_made_a_rounding_error_before_the_first_act_begins_with_that(tmp_path: Path) -> None:
    async def scenario(table: VirtualTable) -> None:
        await perform(table, "press block")
        table.made_at -= 1e-9

    assert session(tmp_path, scenario)[0] == "power on"


def test_a_full_recording_ends_where_it_was_full(tmp_path: Path) -> None:
    async def scenario(table: VirtualTable) -> None:
        table.done.look = lambda: what_is_seen(table)
        await perform(table, "insert left 1\n" + "key 1\nkey C\n" * (MOST_ACTS // 2 - 1))
        await perform(table, "remove left\nkey GO")

    text = whole_session(tmp_path, scenario)
    assert len(text.splitlines()) < MAX_LINES
    assert f"full after {MOST_ACTS} acts" in text
    assert "expect display '+1 15M" in text
    assert "remove left" not in text


def test_of_an_act_that_goes_on_when_the_recording_is_full_stands_what_was_done_until_then(tmp_path: Path) -> None:
    async def scenario(table: VirtualTable) -> None:
        table.done.look = lambda: what_is_seen(table)
        await perform(table, "insert left 1\n" + "hold C\nrelease C\n" * (MOST_ACTS // 2 - 30))
        await perform(table, f"type {'1' * 400}")
        await perform(table, "key GO")

    text = whole_session(tmp_path, scenario)
    lines = text.splitlines()
    assert len(lines) < MAX_LINES
    assert "type" not in text
    assert "key GO" not in text
    assert 100 < lines.count("meanwhile hold 1") < 200
