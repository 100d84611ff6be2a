"""One thread for work that waits: it is there until it is told to end, also while a script is being put away."""

from __future__ import annotations

import atexit
import logging
import queue
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

log = logging.getLogger(__name__)

LONGEST_END_S = 10.0
"""How long a script's end waits for the jobs of each thread: longer than a memory card stalls."""

_at_work: weakref.WeakSet[WorkerThread] = weakref.WeakSet()


class WorkerThread(Executor):
    """An executor that does one job after the other.

    ``ThreadPoolExecutor(1)`` takes no more jobs once the script has ended, and the threads are gone before ``atexit``
    begins, which is when what a script left open is closed. This one ends after that, with all its jobs done; one that
    takes longer than `LONGEST_END_S` is left alone.
    """

    def __init__(self, name: str) -> None:
        self._lock = threading.Lock()
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._is_shut = False
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()
        _at_work.add(self)

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Do it after what waits already. Raises ``RuntimeError`` after `shutdown`."""
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
            if self._is_shut:
                raise RuntimeError(f"{self._thread.name} takes no more jobs: it has been shut down")
            self._jobs.put(job)
        return future

    def shutdown(self, wait: bool = True, **_: Any) -> None:
        """End when all jobs are done. May be called twice."""
        with self._lock:
            if not self._is_shut:
                self._is_shut = True
                self._jobs.put(None)
        if wait:
            self._thread.join()

    def finish(self) -> None:
        """End when all jobs are done, or the script with one that is not."""
        self.shutdown(wait=False)
        self._thread.join(LONGEST_END_S)
        if self._thread.is_alive():
            log.warning("the %s is left at work: it was not done within %g s", self._thread.name, LONGEST_END_S)

    def _work(self) -> None:
        while job := self._jobs.get():
            job()


@atexit.register
def _finish() -> None:
    for worker in tuple(_at_work):
        worker.finish()
