from __future__ import annotations

import asyncio
import threading
from contextlib import closing

import pytest

from reboard import loop_thread
from reboard.loop_thread import LoopThread

pytestmark = pytest.mark.realtime


def test_what_a_job_returns_or_raises_is_handed_on() -> None:
    async def job(divisor: int) -> float:
        return 6 / divisor

    with closing(LoopThread()) as thread:
        assert thread.call(job(3)) == 2
        with pytest.raises(ZeroDivisionError):
            thread.call(job(0))


def test_a_job_that_takes_too_long_is_called_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop_thread, "ANSWER_WITHIN_S", 0.05)
    called_off = threading.Event()

    async def job() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            called_off.set()
            raise

    with closing(LoopThread()) as thread:
        with pytest.raises(TimeoutError, match=r"did not answer within 0\.05 s"):
            thread.call(job())
        assert called_off.wait(10)


def test_a_job_of_the_loops_own_thread_is_refused() -> None:
    async def job() -> None: ...

    with closing(LoopThread()) as thread:

        async def within() -> None:
            thread.call(job())

        with pytest.raises(RuntimeError, match="cannot wait for it"):
            thread.call(within())
