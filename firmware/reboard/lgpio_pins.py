"""gpiozero's pins through lgpio, but for edges: libgpiod waits for those, and nobody is woken until there is one.

lgpio by itself looks for edges two thousand times a second, from the first pin on that wants any:
docs/decisions/pins.md tells what that costs. Call `reboard.header.load_lgpio` before you import this.
"""

from __future__ import annotations

import logging
import os
import select
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

import lgpio
from gpiod import EdgeEvent, LineRequest, LineSettings, request_lines
from gpiod.line import Bias, Direction, Edge, Value
from gpiozero.pins.lgpio import LGPIOFactory, LGPIOPin

log = logging.getLogger(__name__)

Tell = Callable[[EdgeEvent], None]

CONSUMER = "reboard"
"""What the kernel says of a line that we have."""

BIASES = {"up": Bias.PULL_UP, "down": Bias.PULL_DOWN, "floating": Bias.DISABLED}
PULLS = {"up": lgpio.SET_PULL_UP, "down": lgpio.SET_PULL_DOWN, "floating": lgpio.SET_PULL_NONE}
EDGES = {"both": Edge.BOTH, "rising": Edge.RISING, "falling": Edge.FALLING}

AT_ONCE = timedelta(0)


class EdgeWatch:
    """A thread that sleeps until a line has an edge, and tells it to whoever watches that line."""

    def __init__(self) -> None:
        self._poll = select.epoll()
        self._lock = threading.Lock()
        self._watched: dict[int, tuple[LineRequest, Tell]] = {}
        self._thread: threading.Thread | None = None
        self._end = os.eventfd(0)
        self._poll.register(self._end, select.EPOLLIN)

    def watch(self, line: LineRequest, tell: Tell) -> None:
        """Call *tell*, in the thread, with every edge of *line*."""
        with self._lock:
            self._watched[line.fd] = (line, tell)
            self._poll.register(line.fd, select.EPOLLIN)
            if not self._thread:
                self._thread = threading.Thread(target=self._run, name="edges", daemon=True)
                self._thread.start()

    def forget(self, line: LineRequest) -> None:
        """Tell no more edges of *line*, but for one that is just being told."""
        with self._lock:
            del self._watched[line.fd]
            self._poll.unregister(line.fd)

    def close(self) -> None:
        """Let the thread end. Whatever it watched was forgotten before."""
        os.eventfd_write(self._end, 1)
        if self._thread and self._thread is not threading.current_thread():
            self._thread.join()
        self._poll.close()
        os.close(self._end)

    def _run(self) -> None:
        while True:
            for fd, _ in self._poll.poll():
                if fd == self._end:
                    return
                for tell, edge in self._edges(fd):
                    try:
                        tell(edge)
                    except Exception:
                        log.exception("an edge could not be told; the others are")

    def _edges(self, fd: int) -> list[tuple[Tell, EdgeEvent]]:
        with self._lock:
            if fd not in self._watched:
                return []
            line, tell = self._watched[fd]
            # the number may be another line's by now, and reading one that has no edge would wait for one
            if line.wait_edge_events(AT_ONCE):
                return [(tell, edge) for edge in line.read_edge_events()]
            return []


class LgpioPins(LGPIOFactory):  # type: ignore[misc]  # gpiozero has no type information
    """gpiozero's pins on GPIO chip number *chip*. Raises ``lgpio.error``."""

    def __init__(self, chip: int) -> None:
        super().__init__(chip)
        self.pin_class = LgpioPin
        self.edge_watch = EdgeWatch()

    def close(self) -> None:
        """Give all pins back. May be called twice."""
        if self._handle is not None:
            super().close()
            self.edge_watch.close()


class LgpioPin(LGPIOPin):  # type: ignore[misc]
    """A pin that is lgpio's, until somebody wants its edges; then it is a line of libgpiod's."""

    def __init__(self, factory: LgpioPins, info: object) -> None:
        self._line: LineRequest | None = None
        super().__init__(factory, info)

    def close(self) -> None:
        """Give the pin back: it is an input that nobody watches."""
        self.when_changed = None
        super().close()

    def _get_state(self) -> float:
        if line := self._line:
            return float(line.get_value(self._number) is Value.ACTIVE)
        return float(super()._get_state())

    def _set_function(self, value: str) -> None:
        self.when_changed = None
        super()._set_function(value)

    def _set_pull(self, value: str) -> None:
        with self._as_lgpios():
            super()._set_pull(value)

    def _set_bounce(self, value: float | None) -> None:
        with self._as_lgpios():
            super()._set_bounce(value)

    def _enable_event_detect(self) -> None:
        settings = LineSettings(
            direction=Direction.INPUT,
            bias=BIASES[self.pull],
            edge_detection=EDGES[self.edges],
            debounce_period=timedelta(seconds=self.bounce or 0),
        )
        lgpio.gpio_free(self.factory._handle, self._number)
        chip = f"/dev/gpiochip{self.factory.chip}"
        self._line = request_lines(chip, {self._number: settings}, CONSUMER)
        self.factory.edge_watch.watch(self._line, self._tell)

    def _disable_event_detect(self) -> None:
        pull = self.pull
        if line := self._line:
            self._line = None
            self.factory.edge_watch.forget(line)
            line.release()
        lgpio.gpio_claim_input(self.factory._handle, self._number, PULLS[pull])

    @contextmanager
    def _as_lgpios(self) -> Iterator[None]:
        """Let lgpio have the pin for a moment."""
        had = self._line
        if had:
            self._disable_event_detect()
        try:
            yield
        finally:
            if had:
                self._enable_event_detect()

    def _tell(self, edge: EdgeEvent) -> None:
        reference = self._when_changed  # gpiozero's, and weak
        if told := reference and reference():
            told(edge.timestamp_ns / 1e9, int(edge.event_type is EdgeEvent.Type.RISING_EDGE))
