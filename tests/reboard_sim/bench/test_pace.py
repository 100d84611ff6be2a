"""A virtual table in its thread: it is paused, stepped and hurried, and what happens stays the same."""

from __future__ import annotations

import asyncio
import io
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reboard_sim.bench.bench_acts import Listener
from reboard_sim.bench.pace import FAST, LONGEST_FAST_S, LONGEST_STEP_S, QUIET_S, Pace, Pacing
from reboard_sim.bench.table_thread import TableThread
from reboard_sim.plays.play_language import PlayError
from reboard_sim.scene import Scene
from reboard_sim.virtual_time import VirtualTimeLoop, run
from tests.waiting import PATIENCE_S, eventually

pytestmark = pytest.mark.realtime

A_WHILE_S = 0.3
Events = list[dict[str, Any]]


@pytest.fixture
def table(tmp_path: Path) -> Iterator[TableThread]:
    table = TableThread(Scene.load(None, tmp_path), seed=1)
    yield table
    table.close()


@pytest.fixture
def events(table: TableThread) -> Events:
    told: Events = []
    table.listeners.append(Listener(told.append))
    return told


def choose(table: TableThread, pace: Pace) -> None:
    table.choose_pace(pace).result(PATIENCE_S)


def step(table: TableThread) -> float:
    """Let the clock take a step, and say how far it went, in s."""
    before = now(table)
    table.step().result(PATIENCE_S)
    return now(table) - before


def now(table: TableThread) -> float:
    t: float = table.hardware()["t"]
    return t


def named(events: Events, name: str) -> bool:
    return any(event["event"] == name for event in events)


def test_acts_wait_while_the_table_is_paused(table: TableThread, events: Events) -> None:
    choose(table, 0)
    stood_at = now(table)
    assert table.do(["press block"]).result(PATIENCE_S) is False
    time.sleep(A_WHILE_S)
    assert not table.hardware()["devices"]["block.button"]
    assert now(table) == stood_at
    assert events == []
    choose(table, 1)
    eventually(lambda: named(events, "block.pressed"))


def test_one_hand_keeps_the_order_of_its_lines(table: TableThread, events: Events) -> None:
    choose(table, 0)
    for line in ("insert left 1", "remove left", "insert left 2"):
        assert table.do([line], "the same hand").result(PATIENCE_S) is False
    choose(table, 10)
    eventually(lambda: table.hardware()["slots"]["left"] == 2)
    eventually(lambda: [event["event"] for event in events].count("card.inserted") == 2)
    table.do(["wait 0"], "the same hand").result(PATIENCE_S)
    file = io.BytesIO()
    table.export("session.play", file)
    assert b"remove left" in file.getvalue()
    assert b"meanwhile" not in file.getvalue()


def test_an_act_that_fails_after_a_pause_is_logged(table: TableThread, caplog: pytest.LogCaptureFixture) -> None:
    choose(table, 0)
    assert table.do(["expect motor on"]).result(PATIENCE_S) is False
    choose(table, 10)
    eventually(lambda: "play:1: expected motor on" in caplog.text)


def test_a_step_runs_to_the_next_event_and_pauses(table: TableThread, events: Events) -> None:
    choose(table, 0)
    table.do(["press block"])
    assert step(table) <= 0.002
    assert table.hardware()["devices"]["block.button"]
    while not events:  # the bounce, and then the debounce time
        assert step(table) <= 0.022
    assert [event["event"] for event in events] == ["block.pressed", "block.outcome", "lamp", "sound"]
    stepped = 0
    while (events[-1]["event"], events[-1].get("on")) != ("lamp", False):
        assert 0 < step(table) < LONGEST_STEP_S
        stepped += 1
    assert 5 < stepped < 100
    assert table.hardware()["pace"] == 0
    stood_at = now(table)
    time.sleep(A_WHILE_S)
    assert now(table) == stood_at


def test_the_fast_pace_needs_no_real_time_for_lines(table: TableThread, events: Events) -> None:
    choose(table, "fast")
    lines = ["key DEAL", "wait until deal.ended", "pull lever", "release lever", "wait 500"]
    table.do(lines).result(PATIENCE_S)
    assert named(events, "apple.stopped")


def test_the_fast_pace_becomes_real_time_when_nothing_happens() -> None:
    async def main() -> list[float]:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualTimeLoop)
        pacing = Pacing(loop, lambda: False, "fast")
        rates = []
        for event_after_s in (QUIET_S / 2, QUIET_S / 3):
            pacing.event_happened()
            await asyncio.sleep(event_after_s)
        for wait_s in (QUIET_S * 2 / 3 - 0.1, 0.2):
            await asyncio.sleep(wait_s)
            rates.append(pacing.rate)
        return rates

    assert run(main, pace=1) == [FAST, 1.0]


def test_a_lamp_that_blinks_for_ever_keeps_the_fast_pace_only_for_a_while() -> None:
    async def main() -> list[float]:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualTimeLoop)
        pacing = Pacing(loop, lambda: False, "fast")

        async def rate_after(seconds: float) -> float:
            for _ in range(round(seconds)):
                pacing.event_happened()
                await asyncio.sleep(1)
            return pacing.rate

        pacing.choose("fast")
        rates = [await rate_after(LONGEST_FAST_S - 1), await rate_after(QUIET_S + 2)]
        with pacing.waited_for():
            rates.append(pacing.rate)
        return [*rates, await rate_after(QUIET_S + 2)]

    assert run(main, pace=1000) == [FAST, 1.0, FAST, FAST]


def test_time_is_real_while_the_user_holds_something(table: TableThread) -> None:
    choose(table, "fast")
    table.do(["insert left 1"]).result(PATIENCE_S)
    for line in ("hold C", "hold block", "pull lever"):
        table.do([line]).result(PATIENCE_S)
        assert table.hardware()["rate"] == 1
        table.do([line.replace("hold", "release").replace("pull", "release")]).result(PATIENCE_S)
        eventually(lambda: table.hardware()["rate"] > 1)


@pytest.mark.parametrize(
    ("lines", "device"),
    [
        ("hold C 500", "bank.keypad"),
        ("hold block\nwait 500", "block.button"),
        ("press block 500", "block.button"),
        ("pull lever\nwait 500", "apple.lever"),
    ],
)
def test_cancelled_lines_release_what_they_hold(table: TableThread, lines: str, device: str) -> None:
    doing = table.do(lines.splitlines())
    eventually(lambda: table.hardware()["devices"][device])
    doing.cancel()
    eventually(lambda: not table.hardware()["devices"][device])


def test_wait_until_looks_back_to_the_last_act_of_the_request_before(table: TableThread) -> None:
    choose(table, "fast")
    table.do(["press block"]).result(PATIENCE_S)
    table.do(["wait until block.outcome within 1"]).result(PATIENCE_S)
    with pytest.raises(PlayError, match=r"expected block\.outcome within 1 s"):
        table.do(["wait until block.outcome within 1"]).result(PATIENCE_S)


EVENING = [
    *("insert left 1", "fault disk slow", "type 1M", "wait 12", "mend disk slow", "fault noise left", "insert right 2"),
    *("type 500K", "fault bounce", "press block", "wait 5", "pull lever", "release lever", "wait 3", "power off"),
    *("power on", "key DEAL", "wait until deal.ended"),
]


def told_of_an_evening(state: Path, pace: Pace) -> Events:
    table = TableThread(Scene.load(None, state), seed=4, pace=0)
    told: Events = []
    table.listeners.append(Listener(told.append))
    try:
        table.do(EVENING).result(PATIENCE_S)
        choose(table, pace)
        eventually(lambda: named(told, "deal.ended"))
        return told[: [event["event"] for event in told].index("deal.ended")]
    finally:
        table.close()


def test_every_pace_gives_the_same_events_at_the_same_times(tmp_path: Path) -> None:
    ten, fast = (told_of_an_evening(tmp_path / str(pace), pace) for pace in (10, "fast"))
    assert len(ten) > 60
    assert ten == fast
