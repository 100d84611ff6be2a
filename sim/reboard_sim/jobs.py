"""The jobs of worker threads, which an event loop in virtual time does on its own thread, without the workers.

A job takes no virtual time, except for its stalls.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from typing import Any, TypeVar

T = TypeVar("T")


class _Stalled(BaseException):
    """Ends a job at its first stall. The job begins again after the stall."""


@dataclass(eq=False)
class _Job:
    executor: Executor | None
    do: Callable[[], Any]
    answer: asyncio.Future[Any]
    stalls_s: float = 0.0
    waited_s: float = 0.0
    """The part of `stalls_s` for which the job has waited before it began again, in seconds."""


class Jobs:
    """The jobs of *loop* that have not begun, in the order in which they were added."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self.waiting: deque[_Job] = deque()
        """The jobs that begin when the instant has no other work."""
        self._behind_stall: dict[Executor | None, deque[_Job]] = {}
        self._current: _Job | None = None

    def add(self, executor: Executor | None, do: Callable[[], T]) -> asyncio.Future[T]:
        """Add the job *do* of *executor*, and return the future of its result. A job that is cancelled never begins."""
        answer: asyncio.Future[T] = self._loop.create_future()
        self.waiting.append(_Job(executor, do, answer))
        return answer

    def do_all(self) -> bool:
        """Do the jobs, except those that wait for a stall of their executor. Return whether there were any."""
        had_jobs = bool(self.waiting)
        while self.waiting:
            job = self.waiting.popleft()
            if job.executor in self._behind_stall:
                self._behind_stall[job.executor].append(job)
            elif not job.answer.done():
                self._do(job)
        return had_jobs

    def stall(self, seconds: float, *, may_begin_again: bool) -> None:
        """Let the current job, if there is one, take *seconds* of virtual time. Later jobs of its executor wait.

        If this is the first stall of the job and it *may_begin_again*, the job ends here with a ``BaseException``, and
        begins again after the stall. A job may do so if it has only read so far. Otherwise it continues at once, and
        its result is late.
        """
        if (job := self._current) is None:
            return
        is_first = not job.stalls_s and not job.waited_s
        job.stalls_s += seconds
        if is_first and may_begin_again:
            raise _Stalled

    def _do(self, job: _Job) -> None:
        done: Future[Any] = Future()
        self._current, job.stalls_s = job, 0.0
        try:
            done.set_result(job.do())
        except _Stalled:
            job.waited_s = job.stalls_s
            self._wait(job, job.stalls_s)
            return
        except BaseException as error:
            done.set_exception(error)
        finally:
            self._current = None
        if job.stalls_s > job.waited_s:
            self._wait(_Job(job.executor, done.result, job.answer), job.stalls_s - job.waited_s)
        elif problem := done.exception():
            job.answer.set_exception(problem)
        else:
            job.answer.set_result(done.result())

    def _wait(self, job: _Job, seconds: float) -> None:
        """Do *job* after *seconds*, and then the later jobs of its executor."""
        self._behind_stall[job.executor] = deque([job])
        self._loop.call_later(seconds, self._end_stall, job.executor)

    def _end_stall(self, executor: Executor | None) -> None:
        self.waiting.extendleft(reversed(self._behind_stall.pop(executor)))
