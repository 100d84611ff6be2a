"""The sink for sound libraries with a stream: a thread that pulls and writes samples and reopens a lost device."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Protocol

from reboard.aiotools import Backoff
from reboard.board import RATE_HZ, SAMPLE_BYTES, Pull, Report
from reboard.errors import DeviceError
from reboard.languages import translatable

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

LATE_S = 1.0
"""The time in seconds after which a sound that waits for the device is dropped, because it would come too late."""

HANGING_S = 5.0
"""The time in seconds after which a call of a sound library counts as hanging. A slow device opens within a second."""

MOST_HANGING = 3
"""The maximum number of hanging threads. With so many, the device is not opened again until one of them returns."""


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


class DeviceThread:
    """A thread for the calls of one sound library, which can hang: `leave` leaves it behind with its stream."""

    def __init__(self, opener: Opener) -> None:
        self.stream: Stream | None = None
        self._opener = opener
        self._work: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._returned = threading.Semaphore(0)
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="sound device", daemon=True)
        self._thread.start()

    @property
    def is_alive(self) -> bool:
        """Whether the thread has not ended yet."""
        return self._thread.is_alive()

    def begin(self, work: Callable[[], None]) -> None:
        """Begin to call *work*. The caller must wait until `has_returned` before the next call."""
        self._work.put(work)

    def has_returned(self, within_s: float) -> bool:
        """Wait for the end of the call, at most *within_s* seconds. Raises the exception of the call."""
        if not self._returned.acquire(timeout=within_s):
            return False
        error, self._error = self._error, None
        if error:
            raise error
        return True

    def open(self) -> None:
        """Open the device. Call this on the thread."""
        self.stream = self._opener.open()

    def leave(self) -> None:
        """Let the thread close its stream and end, as soon as its call returns."""
        self._work.put(None)

    def join(self, within_s: float) -> None:
        """Wait until the thread has ended, at most *within_s* seconds."""
        self._thread.join(within_s)

    def _run(self) -> None:
        while work := self._work.get():
            try:
                work()
            except Exception as error:
                self._error = error
            self._returned.release()
        if self.stream:
            try:
                self.stream.close()
            except Exception:
                log.exception("%s could not be closed", self._opener.description)


class StreamingSink:
    """A `Sink` that writes to the device of *opener* from a thread.

    Between sounds the device is idle but stays open, or plays silence if *keep_awake* is true. After each sound the
    thread writes as much silence as the device buffers, so that the sound is heard to its end.

    After any error from the library, or a call that hangs, the device counts as lost. The sink reports the loss once.
    It then pulls samples at the normal speed and drops them, and while a sound is playing it tries to open the device
    again, with a backoff from 1 s to 10 s.
    """

    def __init__(self, opener: Opener, *, keep_awake: bool = False) -> None:
        self._opener = opener
        self._keep_awake = keep_awake
        self._woken = threading.Condition()
        self._has_request = False
        self._is_closed = False
        self._thread: threading.Thread | None = None
        self._device: DeviceThread | None = None
        self._hanging: list[DeviceThread] = []
        self._cause: str | None = ""
        """The reported fault, ``None`` if sound works, and ``""`` before the first report."""
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
            deadline = time.monotonic() + CLOSING_S
            self._thread.join(CLOSING_S)
            for device in self._hanging:
                device.join(max(0.0, deadline - time.monotonic()))
            if self._thread.is_alive() or any(device.is_alive for device in self._hanging):
                log.warning("%s did not close within %g s", self.description, CLOSING_S)
            self._thread = None

    def _run(self) -> None:
        try:
            self._open_device()
            while self._sleep():
                self._play()
        finally:
            if device := self._device:
                device.leave()
                device.join(CLOSING_S)

    def _sleep(self) -> bool:
        with self._woken:
            self._woken.wait_for(lambda: self._has_request or self._is_closed or self._must_stay_awake)
            return not self._is_closed

    @property
    def _must_stay_awake(self) -> bool:
        # a lost device is opened again by the next sound
        return self._keep_awake and self._device is not None

    def _play(self) -> None:
        silent_frames = 0
        due = time.monotonic()
        while (silent_frames < self._buffered_frames or self._must_stay_awake) and not self._is_closed:
            self._has_request = False  # before the pull, which takes all sounds that were added until now
            samples = self._pull(BLOCK_FRAMES)
            silent_frames = silent_frames + BLOCK_FRAMES if samples is None else 0
            if self._device is None and time.monotonic() >= self._retry_at:
                self._open_device()
            if self._device:
                self._write(samples or bytes(BLOCK_FRAMES * SAMPLE_BYTES))
                due = time.monotonic()
            else:
                due += BLOCK_S
                self._wait_until(due)
        if (device := self._device) and (stream := device.stream):
            self._call(device, stream.rest)

    @property
    def _buffered_frames(self) -> int:
        stream = self._device.stream if self._device else None
        return stream.buffered_frames if stream else BUFFERED_FRAMES

    def _write(self, samples: bytes) -> None:
        if (
            (device := self._device)
            and (stream := device.stream)
            and self._call(device, partial(stream.write, samples))
        ):
            self._report_once(None)

    def _open_device(self) -> None:
        self._hanging = [device for device in self._hanging if device.is_alive]
        if len(self._hanging) >= MOST_HANGING:
            self._lose_device(HangingError(self.description))
            return
        try:
            self._device = device = DeviceThread(self._opener)
        except RuntimeError as error:  # there is no memory for a thread
            self._lose_device(error)
            return
        if self._call(device, device.open) and not self._cause:
            self._report_once(None)  # after a fault, only samples that are written show that sound works again

    def _call(self, device: DeviceThread, work: Callable[[], None]) -> bool:
        """Call *work* on the thread of *device*, and return whether it succeeded. Drop sounds that waited too long."""
        device.begin(work)
        began = time.monotonic()
        try:
            while not device.has_returned(LATE_S):
                if time.monotonic() - began >= HANGING_S or self._is_closed:
                    raise HangingError(self.description)
        except Exception as error:
            self._lose_device(error)
            return False
        finally:
            waited_s = time.monotonic() - began
            if waited_s >= LATE_S:
                self._pull(int(waited_s * RATE_HZ))
        return True

    def _lose_device(self, error: Exception) -> None:
        if self._device:
            self._device.leave()
            self._hanging.append(self._device)  # also if the stream cannot be closed
            self._device = None
        self._retry_at = time.monotonic() + self._backoff.next()
        if not self._cause and not self._is_closed:
            if not isinstance(error, OSError):
                log.error("%s failed with an unexpected error", self.description, exc_info=error)
                error = no_sound(self.description, error)
            self._report_once(str(error))

    def _report_once(self, cause: str | None) -> None:
        if cause is None:
            self._backoff.reset()
        if cause != self._cause:
            self._cause = cause
            self._report(cause)

    def _wait_until(self, due: float) -> None:
        with self._woken:
            self._woken.wait_for(lambda: self._is_closed, timeout=max(0.0, due - time.monotonic()))


class HangingError(DeviceError):
    """The error for a sound device that does not answer. Another name of the device would not answer either."""

    def __init__(self, description: str) -> None:
        super().__init__(
            translatable(
                f"no sound comes from {description}, which does not answer: unplug the sound card and plug it in "
                "again, or restart the machine"
            )
        )


def no_sound(description: str, reason: object) -> DeviceError:
    """Return the error for a sound device that cannot be opened or used, or was unplugged."""
    return DeviceError(
        translatable(
            f"no sound comes from {description} ({reason}): check that it is plugged in and that no other program "
            "uses it"
        )
    )
