"""The loop whose clock jumps."""

import asyncio
import threading
import time
from itertools import pairwise
from random import Random

import pytest

from reboard.aiotools import WorkerThread
from reboard_sim import virtual_time
from reboard_sim.virtual_time import NothingWillHappen, VirtualTimeLoop, run, stall


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


def test_a_deadline_ends_though_another_timer_fires_just_before_it() -> None:
    # asyncio calls both timers together; the event of the first one keeps the loop busy meanwhile
    deadline = 60.1 + 60
    turns: list[float] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        over = asyncio.Event()

        def check() -> None:
            turns.append(loop.time())
            if loop.time() < deadline and len(turns) < 100:
                loop.call_soon(lambda: None)
                loop.call_later(deadline - loop.time(), check)
            else:
                over.set()

        loop.call_at(deadline - 1e-10, lambda: None)
        loop.call_later(deadline, check)
        await over.wait()

    run(main)
    assert turns == [deadline]


@pytest.mark.parametrize("delay", [1e-9, 1e-14, 1e-20, 5e-324])
def test_the_smallest_delay_moves_the_clock(delay: float) -> None:
    async def main() -> list[float]:
        loop = asyncio.get_running_loop()
        await asyncio.sleep(1000.1)
        times = [loop.time()]
        for _ in range(10):
            await asyncio.sleep(delay)
            times.append(loop.time())
        return times

    times = run(main)
    assert all(before < after for before, after in pairwise(times))
    assert times[-1] - times[0] < 1e-7


@pytest.mark.parametrize("seed", range(20))
def test_no_timer_fires_early_or_twice_whatever_the_deadlines(seed: int) -> None:
    rng = Random(seed)
    # sums of the same decimals in another order differ by a rounding error, and some deadlines by less than 1 ns
    steps = [rng.choice((0.1, 0.7, 1 / 3, 1.28, 60.0)) for _ in range(6)]
    deadlines = [sum(rng.sample(steps, 6)) + rng.choice((0, 0, rng.uniform(0, 2e-9))) for _ in range(100)]
    fired: list[tuple[float, float]] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()

        def fire(deadline: float) -> None:
            fired.append((deadline, loop.time()))

        async def wait(deadline: float) -> None:
            looks = 0
            await asyncio.sleep(rng.uniform(0, sum(steps)))
            while (left_s := deadline - loop.time()) > 0:
                looks += 1
                assert looks < 4
                loop.call_soon(loop.call_soon, lambda: None)
                await asyncio.sleep(left_s)
            fire(deadline)

        for deadline in deadlines[::2]:
            loop.call_at(deadline, fire, deadline)
        await asyncio.gather(*map(wait, deadlines[1::2]))
        await asyncio.sleep(1e-6)

    run(main)
    assert sorted(due for due, _ in fired) == sorted(deadlines)
    assert all(0 <= at - due < 2e-9 for due, at in fired)
    assert [at for _, at in fired] == sorted(at for _, at in fired)


def test_come_last_waits_for_all_other_work_of_the_instant() -> None:
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


@pytest.mark.realtime
def test_a_paced_loop_takes_real_time_and_timers_fire_at_the_same_instants() -> None:
    async def main() -> list[float]:
        loop = asyncio.get_running_loop()
        fired: list[float] = []
        for _ in range(7):
            await asyncio.sleep(0.1)
            fired.append(loop.time())
        return fired

    real = time.monotonic()
    assert run(main, pace=20) == run(main)
    assert time.monotonic() - real >= 0.7 / 20


@pytest.mark.parametrize("pace", [None, 1000])
def test_jobs_report_in_the_order_of_their_start(pace: float | None) -> None:
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


def test_a_stalled_job_takes_virtual_time() -> None:
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


def test_a_job_that_does_not_end_fails_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(virtual_time, "LONGEST_JOB_S", 0.05)
    over = threading.Event()
    threading.Timer(0.5, over.set).start()
    with pytest.raises(NothingWillHappen, match="worker thread"):
        run(lambda: asyncio.to_thread(over.wait))
