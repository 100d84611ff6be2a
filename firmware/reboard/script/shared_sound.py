"""One sound device for several tables: most can be opened only once."""

from __future__ import annotations

import audioop
import sqlite3
import threading
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

from gpiozero import Factory

from reboard.board import SAMPLE_BYTES, Board, I2cBus, InputLine, Pull, Report, ReportMotor, SerialLine, Sink


class SharedBoard:
    """A board that several tables stand on at once. They share its sound device, which adds up what they play."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._sounds: dict[tuple[str | None, str | None], SharedSink] = {}

    @property
    def pins(self) -> Factory:
        """The board's own, which gives no pin to two parts."""
        return self._board.pins

    def guard_motor(self, pin: int) -> AbstractAsyncContextManager[ReportMotor]:
        """See `Board.guard_motor`."""
        return self._board.guard_motor(pin)

    def open_serial(self, port: str, baud_rate: int) -> SerialLine:
        """See `Board.open_serial`."""
        return self._board.open_serial(port, baud_rate)

    def open_keyboard(self, device: str) -> InputLine:
        """See `Board.open_keyboard`."""
        return self._board.open_keyboard(device)

    def open_i2c(self, bus: int) -> I2cBus:
        """See `Board.open_i2c`."""
        return self._board.open_i2c(bus)

    def open_sink(self, library: str | None, device: str | None) -> Sink:
        """A part of the board's one sink for *library* and *device*."""
        key = (library, device)
        if key not in self._sounds:
            self._sounds[key] = SharedSink(self._board.open_sink(library, device), lambda: self._sounds.pop(key))
        return SinkPart(self._sounds[key])

    def open_database(self, uri: str) -> sqlite3.Connection:
        """See `Board.open_database`."""
        return self._board.open_database(uri)

    def wall_time(self) -> float:
        """See `Board.wall_time`."""
        return self._board.wall_time()

    def close(self) -> None:
        """Give everything back."""
        self._board.close()


class SharedSink:
    """A sink that several parts play into. *gone* is called when the last of them has been closed."""

    def __init__(self, sink: Sink, gone: Callable[[], object]) -> None:
        self.sink = sink
        self._gone = gone
        self._lock = threading.Lock()
        self._parts: dict[SinkPart, tuple[Pull, Report]] = {}
        self._cause: str | None = None

    def add(self, part: SinkPart, pull: Pull, report: Report) -> None:
        """Begin to pull from *part*, and tell it what is wrong."""
        with self._lock:
            is_first = not self._parts
            self._parts[part] = (pull, report)
            cause = self._cause
        if is_first:
            self.sink.start(self._pull, self._report)
        elif cause is not None:
            report(cause)

    def remove(self, part: SinkPart) -> None:
        """Pull from *part* no longer; close the sink when none is left."""
        with self._lock:
            was_there = self._parts.pop(part, None)
            is_last = not self._parts
        if was_there and is_last:
            self._gone()
            self.sink.close()

    def _pull(self, frames: int) -> bytes | None:
        with self._lock:
            pulls = [pull for pull, _ in self._parts.values()]
        mixed: bytes | None = None
        for pull in pulls:
            if samples := pull(frames):
                mixed = audioop.add(mixed, samples, SAMPLE_BYTES) if mixed else samples
        return mixed

    def _report(self, cause: str | None) -> None:
        with self._lock:
            self._cause = cause
            reports = [report for _, report in self._parts.values()]
        for report in reports:
            report(cause)


class SinkPart:
    """A `Sink` that is a part of a shared one."""

    def __init__(self, shared: SharedSink) -> None:
        self._shared = shared

    @property
    def description(self) -> str:
        """The shared sink's."""
        return self._shared.sink.description

    def start(self, pull: Pull, report: Report) -> None:
        """Be ready."""
        self._shared.add(self, pull, report)

    def wake(self) -> None:
        """There is something to play."""
        self._shared.sink.wake()

    def close(self) -> None:
        """Play nothing more. May be called twice."""
        self._shared.remove(self)
