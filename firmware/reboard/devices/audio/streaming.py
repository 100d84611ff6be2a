"""The sink for sound libraries with a stream: a thread that pulls and writes samples and reopens a lost device."""

from __future__ import annotations

import logging
import threading
import time
from typing import Protocol

from reboard.aiotools import Backoff
from reboard.board import RATE_HZ, SAMPLE_BYTES, Pull, Report
from reboard.errors import DeviceError

log = logging.getLogger(__name__)

BLOCK_FRAMES = 240
"""The length of a block, in frames (5 ms)."""

BLOCK_S = BLOCK_FRAMES / RATE_HZ
BUFFERED_FRAMES = 6 * BLOCK_FRAMES
"""The requested buffer of a device, in frames (30 ms). It bridges a delay of the thread on a busy processor."""

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 10.0
CLOSING_S = 2.0
"""The longest wait for the thread to close its device, in seconds."""


class Stream(Protocol):
    """An open audio stream: mono, s16le, `RATE_HZ`. Only one thread uses it."""

    @property
    def buffered_frames(self) -> int:
        """The real buffer of the device, in frames. A sound has ended once this much silence has been written."""

    def write(self, samples: bytes) -> None:
        """Write one block, and wait while the buffer is full. Raises ``OSError`` if the device is lost."""

    def rest(self) -> None:
        """Let the stream idle after a sound, so that the processor can sleep. The next `write` ends the idle time."""

    def close(self) -> None:
        """Release the device. Never raises."""


class Opener(Protocol):
    """A sound library and the device that it opens."""

    @property
    def description(self) -> str:
        """The library and the device in words: ``ALSA device default``."""

    def open(self) -> Stream:
        """Open the device and return its stream. Raises ``OSError`` with the reason if that fails."""


class StreamingSink:
    """A `Sink` that writes to the device of *opener* from a thread.

    Between sounds the device is idle but stays open. After each sound the thread writes as much silence as the device
    buffers, so that the sound is heard to its end. After any error from the library, the device counts as lost. The
    sink reports the loss once. It then pulls samples at the normal speed and drops them, and while a sound is playing
    it tries to open the device again, with a backoff from 1 s to 10 s.
    """

    def __init__(self, opener: Opener) -> None:
        self._opener = opener
        self._woken = threading.Condition()
        self._has_request = False
        self._is_closed = False
        self._thread: threading.Thread | None = None
        self._stream: Stream | None = None
        self._cause: str | None = None
        self._backoff = Backoff(FIRST_PAUSE_S, LONGEST_PAUSE_S)
        self._retry_at = 0.0

    @property
    def description(self) -> str:
        return self._opener.description

    def start(self, pull: Pull, report: Report) -> None:
        self._pull, self._report = pull, report
        self._thread = threading.Thread(target=self._run, name="sound", daemon=True)
        self._thread.start()

    def wake(self) -> None:
        with self._woken:
            self._has_request = True
            self._woken.notify()

    def close(self) -> None:
        with self._woken:
            self._is_closed = True
            self._woken.notify()
        if self._thread:
            self._thread.join(CLOSING_S)
            if self._thread.is_alive():
                log.warning("%s did not close within %g s", self.description, CLOSING_S)
            self._thread = None

    def _run(self) -> None:
        try:
            self._open_device()
            while self._sleep():
                self._play()
        finally:
            self._close_stream()

    def _sleep(self) -> bool:
        with self._woken:
            self._woken.wait_for(lambda: self._has_request or self._is_closed)
            return not self._is_closed

    def _play(self) -> None:
        silent_frames = 0
        due = time.monotonic()
        while silent_frames < self._buffered_frames and not self._is_closed:
            self._has_request = False  # before the pull, which takes all sounds that were added until now
            samples = self._pull(BLOCK_FRAMES)
            silent_frames = silent_frames + BLOCK_FRAMES if samples is None else 0
            if self._stream is None and time.monotonic() >= self._retry_at:
                self._open_device()
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
            self._backoff.reset()
            self._report(None)

    def _open_device(self) -> None:
        try:
            self._stream = self._opener.open()
        except Exception as error:
            self._lose_device(error)

    def _lose_device(self, error: Exception) -> None:
        self._close_stream()
        self._retry_at = time.monotonic() + self._backoff.next()
        if self._cause is None:
            if not isinstance(error, OSError):
                log.error("%s failed with an unexpected error", self.description, exc_info=error)
                error = no_sound(self.description, error)
            self._cause = str(error)
            self._report(self._cause)

    def _close_stream(self) -> None:
        stream, self._stream = self._stream, None
        if stream:
            try:
                stream.close()
            except Exception:
                log.exception("%s could not be closed", self.description)

    def _wait_until(self, due: float) -> None:
        with self._woken:
            self._woken.wait_for(lambda: self._is_closed, timeout=max(0.0, due - time.monotonic()))


def no_sound(description: str, reason: object) -> DeviceError:
    """Return the error for a sound device that cannot be opened or used, or was unplugged."""
    return DeviceError(
        f"no sound comes from {description} ({reason}): check that it is plugged in and that no other program uses it"
    )
