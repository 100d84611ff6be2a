"""The board, sound devices and event loop that all accessories of a script share."""

from __future__ import annotations

import audioop
import gc
import os
import threading
from collections.abc import Callable
from typing import Any, cast

from reboard.aiotools import LoopThread
from reboard.board import SAMPLE_BYTES, Board, Pull, Report, Sink


class SharedBoard:
    """A `Board` that several tables share. It mixes their sounds for each sound device."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._sounds: dict[tuple[str | None, str | None], SharedSink] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._board, name)

    def open_sink(self, library: str | None, device: str | None, *, keep_awake: bool = False) -> Sink:
        key = (library, device)
        if key not in self._sounds:
            sink = self._board.open_sink(library, device, keep_awake=keep_awake)
            self._sounds[key] = SharedSink(sink, lambda: self._sounds.pop(key))
        return SinkPart(self._sounds[key])


class SharedSink:
    """A sink that mixes the sounds of several `SinkPart` objects. It calls *gone* when the last one is removed."""

    def __init__(self, sink: Sink, gone: Callable[[], object]) -> None:
        self.sink = sink
        self._gone = gone
        self._lock = threading.Lock()
        self._parts: dict[SinkPart, tuple[Pull, Report]] = {}
        self._cause: str | None = None
        self._is_known = False

    def add(self, part: SinkPart, pull: Pull, report: Report) -> None:
        """Add *part*: get its samples from *pull*, and pass faults of the sink to *report*."""
        with self._lock:
            is_first = not self._parts
            self._parts[part] = (pull, report)
            cause, is_known = self._cause, self._is_known
        if is_first:
            self.sink.start(self._pull, self._report)
        elif is_known:
            report(cause)

    def remove(self, part: SinkPart) -> None:
        """Remove *part*. Close the sink if *part* was the last one."""
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
            self._cause, self._is_known = cause, True
            reports = [report for _, report in self._parts.values()]
        for report in reports:
            report(cause)


class SinkPart:
    """The `Sink` of one table, which plays into a shared sink."""

    def __init__(self, shared: SharedSink) -> None:
        self._shared = shared

    @property
    def description(self) -> str:
        return self._shared.sink.description

    def start(self, pull: Pull, report: Report) -> None:
        self._shared.add(self, pull, report)

    def wake(self) -> None:
        self._shared.sink.wake()

    def close(self) -> None:
        self._shared.remove(self)


def raspberry_pi() -> Board:
    """Return the Raspberry Pi that runs the script, as a board."""
    from reboard.raspberry_pi import RaspberryPi

    return RaspberryPi()


make_board: Callable[[], Board] = raspberry_pi
"""The function that creates the board on the event loop. Tests replace it with a function for a virtual Pi."""

make_thread: Callable[[], LoopThread] = LoopThread
"""The function that creates the thread of the event loop. Tests replace it to get a clock that runs faster."""


class SharedThread:
    """The thread with an event loop, and the board, that all accessories of a script share."""

    _lock = threading.Lock()
    _now: SharedThread | None = None

    def __init__(self) -> None:
        self._users = 0
        self.thread = make_thread()
        try:
            self.board = cast(Board, SharedBoard(self.thread.call(_make_board())))
        except BaseException:
            self.thread.close()
            raise

    @classmethod
    def acquire(cls) -> SharedThread:
        """Return the shared thread. The first call creates it. Raises `DeviceError` if the pins cannot be used."""
        with cls._lock:
            shared = cls._now = cls._now or SharedThread()
            shared._users += 1
            return shared

    def release(self) -> None:
        """Release the thread for one accessory. Close the board and the thread if no other accessory uses them."""
        with self._lock:
            self._users -= 1
            if self._users == 0:
                SharedThread._now = None
                self.thread.call(_close(self.board))
                self.thread.close()

    @classmethod
    def leave_to_parent(cls) -> None:
        """Forget the thread and the board in a child process, which has no such thread. They stay the parent's."""
        if cls._now:
            # the drivers' clean-up would switch off the parent's lamps and motors
            gc.freeze()
        cls.forget()

    @classmethod
    def forget(cls) -> None:
        """Forget the thread and the board, because they are gone."""
        cls._lock, cls._now = threading.Lock(), None


os.register_at_fork(after_in_child=SharedThread.leave_to_parent)


async def _make_board() -> Board:
    return make_board()


async def _close(board: Board) -> None:
    board.close()
