from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from contextlib import closing

import pytest

from reboard import aiotools
from reboard.aiotools import Backoff, LoopThread, WorkerThread, first_of
from tests.virtual import now
from tests.waiting import PATIENCE_S


async def test_first_of_returns_the_first_and_cancels_the_others() -> None:
    cancelled: list[float] = []

    async def wait(seconds: float) -> None:
        try:
            await asyncio.sleep(seconds)
        except asyncio.CancelledError:
            cancelled.append(seconds)
            raise

    async def fail() -> None:
        raise OSError("the wire is loose")

    assert (await first_of(wait(100), wait(1)), now()) == (1, 1.0)
    assert cancelled == [100]
    assert await first_of(asyncio.sleep(0), asyncio.sleep(0)) == 0
    with pytest.raises(OSError, match="loose"):
        await first_of(wait(5), fail())
    task = asyncio.ensure_future(first_of(wait(7), wait(8)))
    await asyncio.sleep(1)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert cancelled == [100, 5, 7, 8]


def test_a_backoff_doubles_up_to_the_longest_pause_and_starts_again_after_a_success() -> None:
    backoff = Backoff(1.0, 30.0)
    assert [backoff.next() for _ in range(7)] == [1, 2, 4, 8, 16, 30, 30]
    backoff.reset()
    assert [backoff.next() for _ in range(2)] == [1, 2]


def test_a_loop_thread_returns_raises_and_cancels_what_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    was_cancelled = threading.Event()

    async def divide(divisor: int) -> float:
        return 6 / divisor

    async def hang() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            was_cancelled.set()
            raise

    with closing(LoopThread()) as thread:
        assert thread.call(divide(3)) == 2
        with pytest.raises(ZeroDivisionError):
            thread.call(divide(0))

        async def call_itself() -> None:
            thread.call(divide(1))

        with pytest.raises(RuntimeError, match="from another thread"):
            thread.call(call_itself())
        monkeypatch.setattr(aiotools, "ANSWER_WITHIN_S", 0.05)
        with pytest.raises(TimeoutError, match=r"0\.05 s"):
            thread.call(hang())
        assert was_cancelled.wait(PATIENCE_S)
        monkeypatch.undo()


def test_a_worker_thread_runs_all_its_jobs_in_order() -> None:
    go_on = threading.Event()
    done: list[tuple[int, str]] = []
    worker = WorkerThread("worker")
    worker.submit(go_on.wait, 10)
    assert worker.submit(done.append, (-1, "cancelled")).cancel()
    for n in range(100):
        worker.submit(lambda n: done.append((n, threading.current_thread().name)), n)
    failed, result = worker.submit(divmod, 7, 0), worker.submit(divmod, 7, 2)
    worker.shutdown(wait=False)
    with pytest.raises(RuntimeError, match="worker accepts no more jobs"):
        worker.submit(divmod, 7, 1)
    go_on.set()
    worker.shutdown()
    assert done == [(n, "worker") for n in range(100)]
    assert result.result() == (3, 1)
    assert isinstance(failed.exception(), ZeroDivisionError)


AT_EXIT = """
import atexit, time
from reboard.aiotools import WorkerThread

worker = WorkerThread("worker")

@atexit.register
def close():
    worker.submit(time.sleep, 0.2)
    worker.submit(print, "closed")
    if SHUT:
        worker.shutdown(wait=False)
"""
ENDLESS = """
import threading
from reboard import aiotools

aiotools.LONGEST_END_S = 0.2
worker = aiotools.WorkerThread("worker")
worker.submit(threading.Event().wait)
"""


@pytest.mark.realtime
@pytest.mark.parametrize(
    ("script", "output"),
    [(AT_EXIT.replace("SHUT", "True"), "closed\n"), (AT_EXIT.replace("SHUT", "False"), "closed\n"), (ENDLESS, "")],
)
def test_the_end_of_a_script_waits_for_jobs_but_not_forever(script: str, output: str) -> None:
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout) == (0, output)
    assert ("worker" in ended.stderr) == (script == ENDLESS)
