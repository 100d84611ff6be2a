"""Tools for asyncio: a wait for the first of several tasks, a backoff, a worker thread, and a thread with a loop."""

from __future__ import annotations

import asyncio
import atexit
import logging
import os
import queue
import signal
import threading
import weakref
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager, suppress
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

log = logging.getLogger(__name__)


async def first_of(*waits: Coroutine[Any, Any, object]) -> int:
    """Run *waits* until one of them completes. Cancel the others, and return the index of the completed one.

    If several complete at the same time, return the lowest index. If the completed one failed, raise its exception.
    """
    tasks = [asyncio.ensure_future(wait) for wait in waits]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        first = next(i for i, task in enumerate(tasks) if task.done())
        tasks[first].result()
        return first
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def set_within(event: asyncio.Event, seconds: float) -> bool:
    """Wait until *event* is set, up to *seconds*, and return whether it is set."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
    return event.is_set()


def loop_time() -> float:
    """Return the time of the running event loop, in seconds."""
    return asyncio.get_running_loop().time()


def is_cancelled() -> bool:
    """Return whether the current task was cancelled, or its coroutine closed. A plug-in may also raise the error."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


STOP_SIGNALS = (signal.SIGINT, signal.SIGHUP, signal.SIGTERM)


@contextmanager
def cancelled_by_signals() -> Iterator[None]:
    """Cancel the current task at Ctrl-C, SIGTERM and the end of the terminal (SIGHUP) during the ``with``."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task
    for number in STOP_SIGNALS:
        loop.add_signal_handler(number, task.cancel)
    try:
        yield
    finally:
        for number in STOP_SIGNALS:
            loop.remove_signal_handler(number)


def until_multiple_of(period_s: float) -> float:
    """Return the seconds until the loop's time is the next multiple of *period_s*.

    Those who wait for the same multiples wake the processor only once.
    """
    now = asyncio.get_running_loop().time()
    # a timer can be a little early: its multiple counts as reached a hundredth before
    return (int(now / period_s + 0.01) + 1) * period_s - now


class Backoff:
    """An exponential backoff, whose pauses double from *first_s* to at most *longest_s* seconds."""

    def __init__(self, first_s: float, longest_s: float) -> None:
        self._first_s = first_s
        self._longest_s = longest_s
        self._next_s = first_s

    def next(self) -> float:
        """Return the next pause, in seconds. Each call doubles the pause, up to *longest_s*."""
        pause_s = self._next_s
        self._next_s = min(2 * pause_s, self._longest_s)
        return pause_s

    def reset(self) -> None:
        """Reset the pause to *first_s*. Call this after a success."""
        self._next_s = self._first_s


LONGEST_END_S = 10.0
"""The maximum wait for queued jobs when the program exits, in seconds. A stalled memory card recovers sooner."""

_workers: weakref.WeakSet[WorkerThread] = weakref.WeakSet()


class WorkerThread(Executor):
    """An executor with one thread, which still accepts jobs while ``atexit`` functions run.

    ``ThreadPoolExecutor`` rejects jobs at that time. The first job starts the thread. When the program exits, the
    executor waits up to `LONGEST_END_S` for the queued jobs.
    """

    def __init__(self, name: str) -> None:
        self._lock = threading.Lock()
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._is_shut = False
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Queue a call to *fn* and return the future of its result. Raises ``RuntimeError`` after `shutdown`."""
        future: Future[T] = Future()

        def job() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                result = fn(*args, **kwargs)
            except BaseException as error:
                future.set_exception(error)
            else:
                future.set_result(result)

        with self._lock:
            self.check_open()
            self._jobs.put(job)
            if not self._has_started:
                self._thread.start()
                _workers.add(self)
        return future

    def check_open(self) -> None:
        """Raise ``RuntimeError`` after `shutdown`."""
        if self._is_shut:
            raise RuntimeError(f"{self._thread.name} accepts no more jobs, because it was shut down")

    def shutdown(self, wait: bool = True, **_: Any) -> None:
        """Stop the thread when all queued jobs are done. With *wait*, wait until then. Can be called more than once."""
        with self._lock:
            if not self._is_shut:
                self._is_shut = True
                self._jobs.put(None)
        if wait and self._has_started:
            self._thread.join()

    def finish(self) -> None:
        """Shut down, and wait up to `LONGEST_END_S` for the queued jobs. Log a warning if they take longer."""
        self.shutdown(wait=False)
        if self._has_started:
            self._thread.join(LONGEST_END_S)
        if self._thread.is_alive():
            log.warning("%s did not finish within %g s: its queued jobs are lost", self._thread.name, LONGEST_END_S)

    @property
    def _has_started(self) -> bool:
        return self._thread.ident is not None

    def _work(self) -> None:
        while job := self._jobs.get():
            job()


os.register_at_fork(after_in_child=_workers.clear)  # a child process does not have the threads


@atexit.register
def _finish() -> None:
    for worker in tuple(_workers):
        worker.finish()


ANSWER_WITHIN_S = 10.0
"""The timeout of `LoopThread.call`, in seconds."""


class LoopThread:
    """An event loop that runs on a daemon thread until `close`."""

    def __init__(self, make_loop: Callable[[], asyncio.AbstractEventLoop] = asyncio.new_event_loop) -> None:
        self.loop = make_loop()
        self._thread = threading.Thread(target=self._run, name="reboard", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        run_until_stopped(self.loop)

    def call(self, job: Coroutine[Any, Any, T]) -> T:
        """Run *job* on the loop. Return its result or raise its exception.

        Raises ``TimeoutError`` after `ANSWER_WITHIN_S`. Raises ``RuntimeError`` if called on the loop's own thread,
        because the call would wait forever.
        """
        if threading.current_thread() is self._thread:
            job.close()
            raise RuntimeError("this call would block its own event loop: make the call from another thread")
        running = asyncio.run_coroutine_threadsafe(job, self.loop)
        try:
            return running.result(ANSWER_WITHIN_S)
        except TimeoutError:
            if running.cancel():
                raise TimeoutError(f"the table did not answer within {ANSWER_WITHIN_S:g} s: try again") from None
            raise

    @property
    def closed(self) -> bool:
        return self.loop.is_closed()

    def close(self) -> None:
        """Cancel all tasks, wait for their clean-up, and stop the thread. Can be called more than once."""
        if self.closed:
            return
        self.call(cancel_all())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(ANSWER_WITHIN_S)
        self.loop.close()


def run_until_stopped(loop: asyncio.AbstractEventLoop) -> None:
    """Run *loop* until ``stop``, and not only until a callback or a task calls ``sys.exit()``."""
    while True:
        try:
            loop.run_forever()
        except (SystemExit, KeyboardInterrupt) as error:
            loop.call_exception_handler({"message": "a callback or a task failed", "exception": error})
        else:
            return


async def cancel_all() -> None:
    """Cancel the other tasks of the running loop, wait for their clean-up, and shut down the default executor."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    await asyncio.get_running_loop().shutdown_default_executor()
