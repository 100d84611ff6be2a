"""The loop whose clock jumps."""

import asyncio
import threading
import time
from concurrent.futures import Executor, ThreadPoolExecutor
from itertools import pairwise
from random import Random

import pytest

from reboard.aiotools import WorkerThread
from reboard_sim import virtual_time
from reboard_sim.virtual_time import NothingWillHappen, VirtualTimeLoop, run, running_loop


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


def test_a_job_on_another_thread_takes_no_virtual_time() -> None:
    release = threading.Event()

    async def main() -> tuple[float, str]:
        loop = asyncio.get_running_loop()
        loop.call_later(5, lambda: None)
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
def test_jobs_on_other_threads_report_in_the_order_of_their_start(pace: float | None) -> None:
    async def main() -> list[str]:
        loop = asyncio.get_running_loop()
        reported: list[str] = []

        async def job(name: str, executor: Executor, seconds: float) -> None:
            await loop.run_in_executor(executor, time.sleep, seconds)
            reported.append(name)

        with ThreadPoolExecutor(1) as slow, ThreadPoolExecutor(1) as swift:
            await asyncio.gather(job("slow", slow, 0.1), job("swift", swift, 0), job("second", swift, 0))
        return reported

    assert run(main, pace=pace) == ["slow", "swift", "second"]


def test_a_worker_that_was_shut_down_accepts_no_more_jobs() -> None:
    async def main() -> None:
        worker, loop = WorkerThread("worker"), asyncio.get_running_loop()
        before = loop.run_in_executor(worker, divmod, 7, 2)
        worker.shutdown(wait=False)
        with pytest.raises(RuntimeError, match="worker accepts no more jobs"):
            await loop.run_in_executor(worker, divmod, 7, 2)
        assert await before == (3, 1)

    run(main)


def test_the_jobs_of_a_worker_thread_are_done_without_it_after_the_other_work_of_the_instant() -> None:
    async def main() -> list[str]:
        loop = asyncio.get_running_loop()
        worker = WorkerThread("worker")
        done: list[str] = []

        def job() -> None:
            done.append(threading.current_thread().name)

        first, second = (loop.run_in_executor(worker, job) for _ in range(2))
        second.cancel()
        failed = loop.run_in_executor(worker, divmod, 7, 0)
        loop.call_soon(loop.call_soon, done.append, "other work")
        with pytest.raises(ZeroDivisionError):
            await failed
        assert first.done()
        return done

    assert run(main) == ["other work", threading.current_thread().name]


class Stalls:
    """Jobs of one worker thread that stall, and the times at which they begin and report."""

    def __init__(self) -> None:
        self.log: list[tuple[str, float]] = []
        self._worker = WorkerThread("worker")

    async def do(self, name: str, *stalls: tuple[float, bool]) -> None:
        loop = running_loop()

        def job() -> None:
            self.log.append((f"{name} begins", loop.time()))
            for seconds, may_begin_again in stalls:
                loop.jobs.stall(seconds, may_begin_again=may_begin_again)

        await loop.run_in_executor(self._worker, job)
        self.log.append((name, loop.time()))


def test_a_job_that_stalls_takes_virtual_time_and_later_jobs_wait() -> None:
    async def main() -> list[tuple[str, float]]:
        stalls = Stalls()
        running_loop().call_later(3, lambda: stalls.log.append(("timer", running_loop().time())))
        await asyncio.gather(stalls.do("pay", (5.0, True)), stalls.do("read"), stalls.do("open", (1.0, False)))
        return stalls.log

    expected = [("pay begins", 0), ("timer", 3), ("pay begins", 5), ("read begins", 5), ("open begins", 5)]
    assert run(main) == [*expected, ("pay", 5), ("read", 5), ("open", 6)]


@pytest.mark.parametrize("begins_again", [True, False])
def test_all_stalls_of_a_job_are_over_before_it_reports(begins_again: bool) -> None:
    async def main() -> tuple[int, float]:
        stalls = Stalls()
        await stalls.do("job", (5.0, begins_again), (1.0, True), (2.0, False))
        return len(stalls.log), running_loop().time()

    assert run(main) == (3 if begins_again else 2, 8.0)


def test_a_thread_that_does_not_end_fails_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(virtual_time, "PATIENCE_S", 0.05)
    over = threading.Event()
    threading.Timer(0.5, over.set).start()
    with pytest.raises(NothingWillHappen, match="thread hangs"):
        run(lambda: asyncio.to_thread(over.wait))
