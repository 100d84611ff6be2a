"""Edge detection on requested GPIO lines: one thread that sleeps until the kernel reports an edge."""

from __future__ import annotations

import logging
import os
import select
import threading
from collections.abc import Callable
from datetime import timedelta

from gpiod import EdgeEvent, LineRequest

log = logging.getLogger(__name__)

EdgeCallback = Callable[[float, bool], None]
"""The callback for an edge. It receives the time on the kernel's monotonic clock, in seconds, and whether the line is
high after the edge."""

AT_ONCE = timedelta(0)
ENDING_S = 2.0
"""The longest wait for the thread to stop, in seconds."""


def read_edges(line: LineRequest) -> list[tuple[float, bool]]:
    """Return the unread edges, each as its time in seconds and whether the line is high after it. Does not wait.

    Raises ``OSError``, and ``ValueError`` if the process has more than 1023 open files.
    """
    if not line.wait_edge_events(AT_ONCE):
        return []
    rising = EdgeEvent.Type.RISING_EDGE
    return [(edge.timestamp_ns / 1e9, edge.event_type is rising) for edge in line.read_edge_events()]


class EdgeWatch:
    """A thread that waits for edges of several GPIO lines and calls the callback of each line."""

    def __init__(self) -> None:
        self._poll = select.epoll()
        self._end = os.eventfd(0)
        self._poll.register(self._end, select.EPOLLIN)
        # reentrant: the garbage collector can run in here and close a pin, which calls forget()
        self._lock = threading.RLock()
        self._watched: dict[int, tuple[LineRequest, EdgeCallback]] = {}
        self._thread: threading.Thread | None = None

    def watch(self, line: LineRequest, callback: EdgeCallback) -> None:
        """Call *callback* on the thread for each edge of *line*, until `forget` is called. Raises ``OSError``."""
        with self._lock:
            if not self._thread:
                thread = threading.Thread(target=self._run, name="edges", daemon=True)
                thread.start()
                self._thread = thread
            self._poll.register(line.fd, select.EPOLLIN)
            self._watched[line.fd] = (line, callback)

    def forget(self, line: LineRequest) -> None:
        """Stop watching *line*. Edges that the thread has already read are still reported."""
        with self._lock:
            if self._watched.pop(line.fd, None):
                self._poll.unregister(line.fd)

    def close(self) -> None:
        """Stop the thread. The caller must `forget` all lines first. A callback may call this."""
        os.eventfd_write(self._end, 1)
        if not self._thread:
            self._release()
        elif self._thread is not threading.current_thread():
            self._thread.join(ENDING_S)
            if self._thread.is_alive():
                log.error(
                    "the callback for an edge has not returned within %g s, so the thread is left running", ENDING_S
                )

    def _run(self) -> None:
        while True:
            for fd, _ in self._poll.poll():
                if fd == self._end:
                    self._release()
                    return
                self._report_edges(fd)

    def _release(self) -> None:
        self._poll.close()
        os.close(self._end)

    def _report_edges(self, fd: int) -> None:
        with self._lock:
            if fd not in self._watched:  # forgotten a moment ago
                return
            line, callback = self._watched[fd]
            try:
                edges = read_edges(line)
            except (OSError, ValueError) as error:
                # still watched, it would be ready again at once, forever
                log.error("the edges of GPIO line %s cannot be read until reboard restarts: %s", line.offsets, error)
                self.forget(line)
                return
        for t, is_high in edges:
            try:
                callback(t, is_high)
            except BaseException:  # sys.exit() in a callback must not stop the other pins
                log.exception("the callback for an edge of GPIO line %s failed", line.offsets)
