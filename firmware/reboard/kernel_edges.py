"""Edges of pins as the kernel tells them, through libgpiod: nobody looks for them, or wakes up until there is one."""

from __future__ import annotations

import logging
import os
import select
import threading
from collections.abc import Callable
from datetime import timedelta

from gpiod import EdgeEvent, LineRequest, LineSettings, request_lines
from gpiod.line import Bias, Direction, Edge, Value

from reboard.header import CONSUMER

log = logging.getLogger(__name__)

Tell = Callable[[float, bool], None]
"""Is told an edge: when, in seconds of the kernel's clock, and whether the line is high since."""

BIASES = {"up": Bias.PULL_UP, "down": Bias.PULL_DOWN, "floating": Bias.DISABLED}
EDGES = {"both": Edge.BOTH, "rising": Edge.RISING, "falling": Edge.FALLING}

AT_ONCE = timedelta(0)
ENDING_S = 2.0
"""How long the thread may take to end."""


class EdgeLine:
    """Line *number* of GPIO chip number *chip*, an input, had for its edges. Raises ``OSError`` and ``ValueError``.

    *pull* is ``"up"``, ``"down"`` or ``"floating"``, *edges* ``"both"``, ``"rising"`` or ``"falling"``; *bounce_s* is
    how long the line has to be still before the kernel tells an edge.
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
        """Its level now. Raises ``OSError``."""
        return self._request.get_value(self._number) is Value.ACTIVE

    def read(self) -> list[tuple[float, bool]]:
        """What there is to tell. Never waits; raises ``OSError``."""
        if not self._request.wait_edge_events(AT_ONCE):
            return []
        rising = EdgeEvent.Type.RISING_EDGE
        return [(edge.timestamp_ns / 1e9, edge.event_type is rising) for edge in self._request.read_edge_events()]

    def release(self) -> None:
        """Give it back."""
        self._request.release()


class EdgeWatch:
    """A thread that sleeps until a line has an edge, and tells whoever watches that line."""

    def __init__(self) -> None:
        self._poll = select.epoll()
        self._end = os.eventfd(0)
        self._poll.register(self._end, select.EPOLLIN)
        # Python may tidy up anywhere, also in here, and what it finds may be a pin that gives its line back
        self._lock = threading.RLock()
        self._watched: dict[int, tuple[EdgeLine, Tell]] = {}
        self._thread: threading.Thread | None = None

    def watch(self, line: EdgeLine, tell: Tell) -> None:
        """Call *tell*, in the thread, with every edge of *line* until `forget`. Raises ``OSError``."""
        with self._lock:
            if not self._thread:
                thread = threading.Thread(target=self._run, name="edges", daemon=True)
                thread.start()
                self._thread = thread
            self._poll.register(line.fd, select.EPOLLIN)
            self._watched[line.fd] = (line, tell)

    def forget(self, line: EdgeLine) -> None:
        """Tell no more edges of *line*; what was read before may still be told."""
        with self._lock:
            if self._watched.pop(line.fd, None):
                self._poll.unregister(line.fd)

    def close(self) -> None:
        """Let the thread end. Whatever it watched was forgotten before."""
        os.eventfd_write(self._end, 1)
        if self._thread:
            self._thread.join(ENDING_S)
            if self._thread.is_alive():
                log.error("whoever was told an edge has not returned for %g s, and is left behind", ENDING_S)
                return
        self._poll.close()
        os.close(self._end)

    def _run(self) -> None:
        while True:
            for fd, _ in self._poll.poll():
                if fd == self._end:
                    return
                self._tell_edges_of(fd)

    def _tell_edges_of(self, fd: int) -> None:
        with self._lock:
            if fd not in self._watched:  # since a moment
                return
            line, tell = self._watched[fd]
            try:
                edges = line.read()
            except (OSError, ValueError) as error:
                # it would be told of again at once, and for ever
                log.error("a pin's edges cannot be heard any more: %s", error)
                self.forget(line)
                return
        for t, is_high in edges:
            try:
                tell(t, is_high)
            except Exception:
                log.exception("an edge could not be told; the others are")
