"""The loop whose clock jumps."""

import asyncio
import math
import os
import threading
import time

import pytest

from reboard.worker_thread import WorkerThread
from reboard_sim.virtual_time import LONGEST_LAG_S, NothingWillHappen, VirtualClock, VirtualTimeLoop, run, stall


def test_an_hour_passes_at_once() -> None:
    async def main() -> float:
        loop = asyncio.get_running_loop()
        started = loop.time()
        await asyncio.sleep(3600)
        return loop.time() - started

    real = time.monotonic()
    assert run(main) == pytest.approx(3600, abs=1e-6)
    assert time.monotonic() - real < 60


def test_timers_fire_in_order_and_at_their_instants() -> None:
    async def main() -> list[tuple[str, float]]:
        loop = asyncio.get_running_loop()
        fired: list[tuple[str, float]] = []

        def fire(name: str) -> None:
            fired.append((name, round(loop.time(), 6)))

        for name, delay_s in (("late", 0.3), ("early", 0.1), ("between", 0.2)):
            loop.call_later(delay_s, fire, name)
        await asyncio.sleep(1)
        return fired

    assert run(main) == [("early", 0.1), ("between", 0.2), ("late", 0.3)]


def test_timers_a_microsecond_apart_keep_their_order_late_in_the_evening() -> None:
    async def main() -> list[float]:
        loop = asyncio.get_running_loop()
        await asyncio.sleep(36_000)
        fired: list[float] = []
        for delay_s in (2e-6, 1e-6):
            loop.call_later(delay_s, fired.append, delay_s)
        await asyncio.sleep(1)
        return fired

    assert run(main) == [1e-6, 2e-6]


def test_timers_for_the_same_instant_fire_in_the_order_in_which_they_were_set() -> None:
    async def main() -> list[int]:
        loop = asyncio.get_running_loop()
        fired: list[int] = []
        for number in range(50):
            loop.call_at(1.0, fired.append, number)
            loop.call_at(number / 100, lambda: None)
        await asyncio.sleep(2)
        return fired

    assert run(main) == list(range(50))


def test_who_wants_to_come_last_in_an_instant_comes_when_all_else_is_done() -> None:
    async def main() -> list[str]:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualTimeLoop)
        came: list[str] = []

        async def come(name: str, rank: float) -> None:
            await loop.come_last(rank)
            came.append(name)
            await loop.run_in_executor(None, time.sleep, 0.01)
            came.append(f"after {name}")

        await asyncio.gather(come("second", 2), come("third", 3), come("first", 1))
        return came

    assert run(main) == ["first", "after first", "second", "after second", "third", "after third"]


def test_a_job_in_a_worker_thread_takes_no_virtual_time() -> None:
    release = threading.Event()

    async def main() -> tuple[float, str]:
        loop = asyncio.get_running_loop()
        asyncio.get_running_loop().call_later(5, lambda: None)
        threading.Timer(0.05, release.set).start()
        await loop.run_in_executor(None, release.wait, 10)
        return loop.time(), "done"

    assert run(main) == (0.0, "done")


def test_what_was_written_to_a_pipe_is_read_at_the_same_instant() -> None:
    async def main() -> list[tuple[float, bytes]]:
        loop = asyncio.get_running_loop()
        read_end, write_end = os.pipe()
        seen: list[tuple[float, bytes]] = []
        loop.add_reader(read_end, lambda: seen.append((round(loop.time(), 6), os.read(read_end, 100))))
        for at_s in (0.1, 0.2):
            loop.call_later(at_s, os.write, write_end, b"x")
        await asyncio.sleep(1)
        loop.remove_reader(read_end)
        os.close(read_end)
        os.close(write_end)
        return seen

    assert run(main) == [(0.1, b"x"), (0.2, b"x")]


def test_a_loop_that_nobody_can_wake_says_so_instead_of_hanging() -> None:
    async def main() -> None:
        await asyncio.get_running_loop().create_future()

    with pytest.raises(NothingWillHappen):
        run(main)


@pytest.mark.realtime
def test_a_paced_loop_runs_as_many_times_faster_than_life_as_it_is_told() -> None:
    async def main() -> None:
        await asyncio.sleep(10)

    real = time.monotonic()
    run(main, pace=100)
    assert 0.1 <= time.monotonic() - real < 5


@pytest.mark.realtime
def test_a_clock_at_pace_nought_stands_still_and_goes_on_when_told() -> None:
    clock = VirtualClock(pace=0)
    time.sleep(0.01)
    clock.move_on(5)
    assert clock.now() == 0.0
    assert clock.real_seconds_to(5) == math.inf
    clock.pace = 1000
    time.sleep(0.01)
    clock.move_on(5)
    assert clock.now() == 5


@pytest.mark.realtime
def test_at_a_pace_timers_fire_at_the_instants_that_they_would_have_without() -> None:
    async def main() -> list[float]:
        loop = asyncio.get_running_loop()
        fired: list[float] = []
        for _ in range(7):
            await asyncio.sleep(0.1)
            fired.append(loop.time())
        return fired

    assert run(main, pace=20) == run(main)


def test_where_the_clock_stood_in_between_does_not_change_an_instant() -> None:
    stood_at = 177 * 0.3 / 100_003
    assert stood_at + (0.3 - stood_at) != 0.3

    async def main() -> float:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualTimeLoop)
        fired: asyncio.Future[float] = loop.create_future()
        loop.call_at(0.3, lambda: fired.set_result(loop.time()))
        loop.clock.move_on(stood_at)
        return await fired

    assert run(main) == 0.3


@pytest.mark.realtime
def test_a_paced_clock_stands_while_a_worker_thread_has_a_job() -> None:
    async def main() -> tuple[float, float]:
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(None, time.sleep, 0.2)
        done_at = loop.time()
        await asyncio.sleep(50)
        return done_at, loop.time()

    done_at, slept_until = run(main, pace=1000)
    assert done_at < 100
    assert slept_until == done_at + 50


@pytest.mark.realtime
def test_a_paced_loop_that_waits_for_somebody_outside_does_not_give_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reboard_sim.virtual_time.PATIENCE_S", 0)
    monkeypatch.setattr("reboard_sim.virtual_time.LONGEST_JOB_S", 0)

    async def main() -> str:
        loop = asyncio.get_running_loop()
        called: asyncio.Future[str] = loop.create_future()
        threading.Timer(0.1, lambda: loop.call_soon_threadsafe(called.set_result, "here")).start()
        return await called

    assert run(main, pace=1000) == "here"


@pytest.mark.realtime
def test_a_paced_loop_that_was_held_up_for_long_does_not_hurry_after() -> None:
    async def main() -> float:
        loop = asyncio.get_running_loop()
        loop.call_soon(time.sleep, LONGEST_LAG_S + 0.1)
        await asyncio.sleep(0.01)
        began = time.monotonic()
        await asyncio.sleep(0.3)
        assert loop.time() == 0.31
        return time.monotonic() - began

    assert run(main, pace=1) >= 0.25


def test_a_loop_counts_every_job_until_it_is_done() -> None:
    loop = VirtualTimeLoop()

    async def main() -> int:
        await asyncio.gather(*(loop.run_in_executor(None, time.sleep, 0) for _ in range(20)))
        await asyncio.sleep(0)
        return loop.jobs_at_work

    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        assert runner.run(main()) == 0


@pytest.mark.parametrize("pace", [None, 1000])
def test_what_came_of_jobs_is_told_in_the_order_in_which_they_were_given(pace: float | None) -> None:
    async def main() -> list[str]:
        loop = asyncio.get_running_loop()
        slow, swift = WorkerThread("slow"), WorkerThread("swift")
        told: list[str] = []

        async def job(name: str, thread: WorkerThread, seconds: float) -> None:
            await loop.run_in_executor(thread, time.sleep, seconds)
            told.append(name)

        await asyncio.gather(job("slow", slow, 0.1), job("swift", swift, 0), job("second", swift, 0))
        for thread in (slow, swift):
            thread.shutdown()
        return told

    assert run(main, pace=pace) == ["slow", "swift", "second"]


def test_a_job_that_fails_or_is_called_off_says_so() -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        with pytest.raises(ZeroDivisionError):
            await loop.run_in_executor(None, divmod, 1, 0)
        job = loop.run_in_executor(None, time.sleep, 0.01)
        job.cancel()
        with pytest.raises(asyncio.CancelledError):
            await job
        await asyncio.sleep(1)

    run(main)


def test_a_job_that_stalls_takes_its_time_and_timers_fire_meanwhile() -> None:
    async def main() -> list[tuple[str, float]]:
        loop = asyncio.get_running_loop()
        thread = WorkerThread("slow")
        happened: list[tuple[str, float]] = []

        async def job(name: str, seconds: float) -> None:
            await loop.run_in_executor(thread, stall, seconds)
            happened.append((name, loop.time()))

        loop.call_later(3, lambda: happened.append(("timer", loop.time())))
        # the second one waits for the thread, and the clock does not wait for it
        await asyncio.gather(job("first", 5.0), job("second", 1.0))
        thread.shutdown()
        return happened

    assert run(main) == [("timer", 3.0), ("first", 5.0), ("second", 6.0)]


def test_a_job_that_stalls_is_let_go_when_its_loop_is_closed() -> None:
    thread = WorkerThread("slow")

    async def main() -> None:
        asyncio.get_running_loop().run_in_executor(thread, stall, 1e9)
        await asyncio.sleep(1)

    run(main)
    thread.shutdown()
