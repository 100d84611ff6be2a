from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from reboard.worker_thread import WorkerThread


def test_jobs_are_done_one_after_the_other_in_one_thread() -> None:
    done: list[tuple[int, str]] = []

    def do(n: int) -> None:
        done.append((n, threading.current_thread().name))

    with WorkerThread("worker") as worker:
        results = [worker.submit(do, n) for n in range(100)]
        assert [result.result(10) for result in results] == [None] * 100
    assert done == [(n, "worker") for n in range(100)]


def test_what_a_job_returns_or_raises_is_handed_on() -> None:
    with WorkerThread("worker") as worker:
        assert worker.submit(divmod, 7, 2).result(10) == (3, 1)
        with pytest.raises(ZeroDivisionError):
            worker.submit(divmod, 7, 0).result(10)


def test_a_job_that_was_called_off_is_not_done() -> None:
    go_on = threading.Event()
    done: list[str] = []
    with WorkerThread("worker") as worker:
        worker.submit(go_on.wait, 10)
        assert worker.submit(done.append, "called off").cancel()
        worker.submit(done.append, "after it")
        go_on.set()
    assert done == ["after it"]


def test_nothing_is_taken_after_the_shutdown_and_all_that_was_is_done() -> None:
    worker = WorkerThread("worker")
    done: list[int] = []
    results = [worker.submit(done.append, n) for n in range(100)]
    worker.shutdown(wait=False)
    with pytest.raises(RuntimeError, match="worker takes no more jobs"):
        worker.submit(done.append, 100)
    worker.shutdown()
    assert all(result.done() for result in results)
    assert done == list(range(100))


ENDS = """
import atexit, time
from reboard.worker_thread import WorkerThread

worker = WorkerThread("worker")

@atexit.register
def put_away():
    worker.submit(time.sleep, 0.2)
    worker.submit(print, "put away")
    if SHUT:
        worker.shutdown(wait=False)
"""


@pytest.mark.realtime
@pytest.mark.parametrize("is_shut", [True, False])
def test_a_script_that_has_ended_still_has_its_jobs_done(is_shut: bool) -> None:
    script = ENDS.replace("SHUT", str(is_shut))
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "put away\n", "")


NEVER_DONE = """
import threading
from reboard import worker_thread

worker_thread.LONGEST_END_S = 0.2
worker = worker_thread.WorkerThread("worker")
worker.submit(threading.Event().wait)
"""


@pytest.mark.realtime
def test_a_script_ends_though_a_job_does_not() -> None:
    ended = subprocess.run([sys.executable, "-c", NEVER_DONE], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stderr) == (0, "the worker is left at work: it was not done within 0.2 s\n")
