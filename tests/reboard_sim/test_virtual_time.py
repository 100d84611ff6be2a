"""The loop whose clock jumps."""

import asyncio
import os
import threading
import time

import pytest

from reboard.worker_thread import WorkerThread
from reboard_sim.virtual_time import NothingWillHappen, VirtualClock, VirtualTimeLoop, run, stall


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
    assert clock.now() == 0.0
    clock.pace = 1000
    time.sleep(0.01)
    assert clock.now() >= 10


def test_a_loop_counts_every_job_until_it_is_done() -> None:
    loop = VirtualTimeLoop()

    async def main() -> int:
        await asyncio.gather(*(loop.run_in_executor(None, time.sleep, 0) for _ in range(20)))
        await asyncio.sleep(0)
        return loop.jobs_at_work

    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        assert runner.run(main()) == 0


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
