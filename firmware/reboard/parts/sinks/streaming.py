"""The thread below every sink that is one open stream: it sleeps, pulls, writes, and looks for a lost device."""

from __future__ import annotations

import logging
import threading
import time
from typing import Protocol

from reboard.board import RATE_HZ, SAMPLE_BYTES, Pull, Report
from reboard.errors import PartError
from reboard.pauses import Pauses

log = logging.getLogger(__name__)

BLOCK_FRAMES = 240
"""5 ms: how much is mixed at a time."""

BLOCK_S = BLOCK_FRAMES / RATE_HZ
BUFFERED_FRAMES = 6 * BLOCK_FRAMES
"""30 ms: how much a device is asked to hold, unplayed. It is what a busy processor may oversleep without a gap."""

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 10.0
CLOSING_S = 2.0
"""How long a device may take to come to its end."""


class Stream(Protocol):
    """One open stream of one library: mono, s16le, `RATE_HZ`. Only one thread uses it."""

    @property
    def buffered_frames(self) -> int:
        """How much the device really holds, unplayed: after so much silence a sound has been heard to its end."""

    def write(self, samples: bytes) -> None:
        """Hand over one block, waiting while there is no room. Raises ``OSError`` when the device is gone."""

    def rest(self) -> None:
        """All that was written has been played, or nearly: stop, so that nothing wakes the processor."""

    def close(self) -> None:
        """Give the device back. Never raises."""


class Opener(Protocol):
    """A library that can open the device it was made for."""

    @property
    def description(self) -> str:
        """Library and device."""

    def open(self) -> Stream:
        """Open it. Raises ``OSError`` saying why not."""


class StreamingSink:
    """A `Sink` on whatever an *opener* opens.

    The device stays open while nothing plays, at rest. A sound's end is followed by as much silence as the device
    buffers: when that has been taken, the sound has been heard. Whatever the library raises, the device is lost, told
    as such and looked for again.
    """

    def __init__(self, opener: Opener) -> None:
        self._opener = opener
        self._woken = threading.Condition()
        self._is_wanted = False
        self._is_closed = False
        self._thread: threading.Thread | None = None
        self._stream: Stream | None = None
        self._cause: str | None = None
        self._pauses = Pauses(FIRST_PAUSE_S, LONGEST_PAUSE_S)
        self._look_again_at = 0.0

    @property
    def description(self) -> str:
        """Library and device."""
        return self._opener.description

    def start(self, pull: Pull, report: Report) -> None:
        """Begin: the thread opens the device at once."""
        self._pull, self._report = pull, report
        self._thread = threading.Thread(target=self._run, name="sound", daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """There is something to play."""
        with self._woken:
            self._is_wanted = True
            self._woken.notify()

    def close(self) -> None:
        """Stop and give the device back."""
        with self._woken:
            self._is_closed = True
            self._woken.notify()
        if self._thread:
            self._thread.join(CLOSING_S)
            if self._thread.is_alive():
                log.warning("%s does not give back the sound device", self.description)
            self._thread = None

    def _run(self) -> None:
        try:
            self._look_for_device()
            while self._sleep():
                self._play()
        finally:
            self._close_stream()

    def _sleep(self) -> bool:
        with self._woken:
            self._woken.wait_for(lambda: self._is_wanted or self._is_closed)
            return not self._is_closed

    def _play(self) -> None:
        silent_frames = 0
        due = time.monotonic()
        while silent_frames < self._buffered_frames and not self._is_closed:
            self._is_wanted = False  # before the pull, which sees whatever was wanted until now
            samples = self._pull(BLOCK_FRAMES)
            silent_frames = silent_frames + BLOCK_FRAMES if samples is None else 0
            if self._stream is None and time.monotonic() >= self._look_again_at:
                self._look_for_device()
            if self._stream:
                self._write(samples or bytes(BLOCK_FRAMES * SAMPLE_BYTES))
                due = time.monotonic()
            else:
                due += BLOCK_S
                self._wait_until(due)
        if self._stream:
            try:
                self._stream.rest()
            except Exception as error:
                self._lose_device(error)

    @property
    def _buffered_frames(self) -> int:
        return self._stream.buffered_frames if self._stream else BUFFERED_FRAMES

    def _write(self, samples: bytes) -> None:
        assert self._stream
        try:
            self._stream.write(samples)
        except Exception as error:
            self._lose_device(error)
            return
        if self._cause is not None:
            self._cause = None
            self._pauses.reset()
            self._report(None)

    def _look_for_device(self) -> None:
        try:
            self._stream = self._opener.open()
        except Exception as error:
            self._lose_device(error)

    def _lose_device(self, error: Exception) -> None:
        self._close_stream()
        self._look_again_at = time.monotonic() + self._pauses.next()
        if self._cause is None:
            if not isinstance(error, OSError):
                log.error("%s failed as it never should", self.description, exc_info=error)
                error = gone(self.description, error)
            self._cause = str(error)
            self._report(self._cause)

    def _close_stream(self) -> None:
        stream, self._stream = self._stream, None
        if stream:
            try:
                stream.close()
            except Exception:
                log.exception("%s could not be given back", self.description)

    def _wait_until(self, due: float) -> None:
        with self._woken:
            self._woken.wait_for(lambda: self._is_closed, timeout=max(0.0, due - time.monotonic()))


def gone(description: str, why: object) -> PartError:
    """The error of a device that cannot be opened or went away."""
    return PartError(f"no sound comes from {description} ({why}): is it plugged in, and not used by another program?")
