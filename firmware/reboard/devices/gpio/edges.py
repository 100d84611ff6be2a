"""Edge detection on the header's pins, through libgpiod."""

from __future__ import annotations

import logging
import os
import select
import threading
from collections.abc import Callable
from datetime import timedelta

from gpiod import EdgeEvent, LineRequest, LineSettings, request_lines
from gpiod.line import Bias, Direction, Edge, Value

from reboard.devices.gpio.chip import CONSUMER

log = logging.getLogger(__name__)

EdgeCallback = Callable[[float, bool], None]
"""The callback for an edge. It receives the time on the kernel's monotonic clock, in seconds, and whether the pin is
high after the edge."""

BIASES = {"up": Bias.PULL_UP, "down": Bias.PULL_DOWN, "floating": Bias.DISABLED}
EDGES = {"both": Edge.BOTH, "rising": Edge.RISING, "falling": Edge.FALLING}

AT_ONCE = timedelta(0)
ENDING_S = 2.0
"""The longest wait for the thread to stop, in seconds."""


class EdgeLine:
    """Line *number* of GPIO chip *chip*, requested from the kernel as an input with edge detection.

    *pull* is ``"up"``, ``"down"`` or ``"floating"``. *edges* is ``"both"``, ``"rising"`` or ``"falling"``. The kernel
    reports an edge once the level has been steady for *bounce_s* seconds. Raises ``OSError`` or ``ValueError`` if the
    line cannot be requested.
    """

    def __init__(self, chip: int, number: int, *, pull: str, edges: str, bounce_s: float) -> None:
        settings = LineSettings(
            direction=Direction.INPUT,
            bias=BIASES[pull],
            edge_detection=EDGES[edges],
            debounce_period=timedelta(seconds=bounce_s),
        )
        self._number = number
        self._request: LineRequest = request_lines(f"/dev/gpiochip{chip}", {number: settings}, CONSUMER)
        self.fd: int = self._request.fd

    @property
    def is_high(self) -> bool:
        """Whether the GPIO line is high now. Raises ``OSError``."""
        return self._request.get_value(self._number) is Value.ACTIVE

    def read(self) -> list[tuple[float, bool]]:
        """Return the unread edges, each as its time in seconds and whether the line is high after it.

        Raises ``OSError``.
        """
        if not self._request.wait_edge_events(AT_ONCE):
            return []
        rising = EdgeEvent.Type.RISING_EDGE
        return [(edge.timestamp_ns / 1e9, edge.event_type is rising) for edge in self._request.read_edge_events()]

    def release(self) -> None:
        """Release the GPIO line, so that other programs can request it."""
        self._request.release()


class EdgeWatch:
    """A thread that waits for edges of several GPIO lines and calls the callback of each line."""

    def __init__(self) -> None:
        self._poll = select.epoll()
        self._end = os.eventfd(0)
        self._poll.register(self._end, select.EPOLLIN)
        # reentrant: the garbage collector can run in here and close a pin, which calls forget()
        self._lock = threading.RLock()
        self._watched: dict[int, tuple[EdgeLine, EdgeCallback]] = {}
        self._thread: threading.Thread | None = None

    def watch(self, line: EdgeLine, callback: EdgeCallback) -> None:
        """Call *callback* on the thread for each edge of *line*, until `forget` is called. Raises ``OSError``."""
        with self._lock:
            if not self._thread:
                thread = threading.Thread(target=self._run, name="edges", daemon=True)
                thread.start()
                self._thread = thread
            self._poll.register(line.fd, select.EPOLLIN)
            self._watched[line.fd] = (line, callback)

    def forget(self, line: EdgeLine) -> None:
        """Stop watching *line*. Edges that the thread has already read are still reported."""
        with self._lock:
            if self._watched.pop(line.fd, None):
                self._poll.unregister(line.fd)

    def close(self) -> None:
        """Stop the thread. The caller must `forget` all lines first."""
        os.eventfd_write(self._end, 1)
        if self._thread:
            self._thread.join(ENDING_S)
            if self._thread.is_alive():
                log.error(
                    "the callback for an edge has not returned within %g s, so the thread is left running", ENDING_S
                )
                return
        self._poll.close()
        os.close(self._end)

    def _run(self) -> None:
        while True:
            for fd, _ in self._poll.poll():
                if fd == self._end:
                    return
                self._report_edges(fd)

    def _report_edges(self, fd: int) -> None:
        with self._lock:
            if fd not in self._watched:  # forgotten a moment ago
                return
            line, callback = self._watched[fd]
            try:
                edges = line.read()
            except (OSError, ValueError) as error:
                # still watched, it would be ready again at once, forever
                log.error("the edges of GPIO line %d cannot be read until reboard restarts: %s", line._number, error)
                self.forget(line)
                return
        for t, is_high in edges:
            try:
                callback(t, is_high)
            except Exception:
                log.exception("the callback for an edge of GPIO line %d failed", line._number)
