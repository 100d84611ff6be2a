"""A loop in virtual time that its owner runs, beside the owner's own loop, and without a thread."""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from reboard import aiotools
from reboard_sim.bench.bench_acts import Listener
from reboard_sim.bench.table_thread import TableThread
from reboard_sim.pumped_loop import PumpedLoop
from reboard_sim.scene import Scene


def test_a_bench_plays_in_the_loop_of_its_owner_without_a_thread(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    woken: list[None] = []
    worked: list[None] = []
    pumped = PumpedLoop(wake=lambda: woken.append(None))

    async def own(table: TableThread) -> None:
        table.listeners.append(Listener(work=lambda: worked.append(None)))
        done = table.do(["press block", "insert left 1", "wait 0.1"])
        assert woken
        while not done.done():
            assert (task := asyncio.current_task())
            await asyncio.sleep(min(0.01, pumped.pump(0.008)))
            assert asyncio.current_task() is task
        assert [card["shown"] for card in table.table()["cards"]] == ["15M"]
        assert worked

    with closing(TableThread(Scene.load(None, tmp_path), seed=1, pace=10, pumped=pumped)) as table:
        asyncio.run(own(table))
        assert set(threading.enumerate()) == before
    assert pumped.loop.is_closed()


def test_a_pump_returns_when_the_loop_rests_and_at_the_end_of_its_time() -> None:
    pumped = PumpedLoop(wake=lambda: None)

    async def begin() -> None:
        pumped.loop.clock.pace = 2
        pumped.loop.call_later(1, spin)

    def spin() -> None:
        pumped.loop.call_soon(spin)

    with closing(pumped):
        pumped.call(begin())
        assert 0.4 < pumped.pump(10) <= 0.5
        pumped.loop.clock.pace = 1e6
        assert pumped.pump(0.01) == 0


def test_a_loop_reports_the_work_of_a_timer_but_no_call() -> None:
    reports: list[float] = []
    with closing(PumpedLoop(wake=lambda: None)) as pumped:
        loop = pumped.loop

        async def begin() -> None:
            loop.selector.on_work.append(lambda: reports.append(loop.time()))
            loop.call_later(1, loop.call_later, 1, lambda: None)

        pumped.call(begin())
        loop.clock.pace = 1e6
        for _ in range(1000):
            pumped.pump(0.01)
            if len(reports) == 2:
                break
        assert reports == [pytest.approx(1), pytest.approx(2)]
        pumped.call(asyncio.sleep(0))
        pumped.pump(0.01)
        assert len(reports) == 2


def test_a_call_raises_what_its_job_does_and_ends_when_it_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail() -> None:
        raise OSError("the wire is loose")

    with closing(PumpedLoop(wake=lambda: None)) as pumped:
        assert pumped.pump(1) > 1e9, "its clock is paused"
        with pytest.raises(OSError, match="loose"):
            pumped.call(fail())
        monkeypatch.setattr(aiotools, "ANSWER_WITHIN_S", 0.05)
        began = time.monotonic()
        with pytest.raises(TimeoutError, match=r"0\.05 s"):
            pumped.call(asyncio.sleep(60))
        assert time.monotonic() - began >= 0.05
        monkeypatch.undo()
