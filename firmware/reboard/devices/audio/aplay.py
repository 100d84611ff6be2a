"""Sound through aplay, ALSA's command-line player, which reads the samples from a pipe. No Python library is needed."""

from __future__ import annotations

import fcntl
import os
import re
import select
import shutil
import subprocess
import time
from contextlib import suppress

from reboard.board import RATE_HZ
from reboard.devices.audio.alsa import OPENING_S, names_of, open_first, wrong_format
from reboard.devices.audio.streaming import BLOCK_FRAMES, BUFFERED_FRAMES, CLOSING_S, HangingError, no_sound

BUFFER_SIZE = re.compile(r"buffer_size *: *(\d+)\n")
"""The pattern of the line that ``aplay -v`` prints when it has opened the device. The number is in frames."""

PIPE_BYTES = 4096
"""The size of the pipe to aplay: the smallest that Linux allows, because samples in the pipe delay the sound."""

STALLED_S = 3.0
WRONG_FORMAT = re.compile("(Sample format|Channels count) non available")
MOST_MESSAGES = 65536


class Aplay:
    """An opener that starts aplay on the ALSA device *device*. Raises ``ImportError`` if aplay is not installed."""

    def __init__(self, device: str | None) -> None:
        self._names = names_of(device)
        program = shutil.which("aplay")
        if program is None:
            raise ImportError("aplay is not installed: run `sudo apt install alsa-utils`")
        self._program = program

    @property
    def description(self) -> str:
        return _described(self._names[0])

    def open(self) -> AplayStream:
        """Start aplay. Raises `DeviceError` if aplay exits or does not open the device within `OPENING_S`."""
        return open_first(self._names, self._open)

    def _open(self, device: str) -> AplayStream:
        frames = (f"--period-size={BLOCK_FRAMES}", f"--buffer-size={BUFFERED_FRAMES}")
        samples = ("-t", "raw", "-f", "S16_LE", "-r", str(RATE_HZ), "-c", "1", "--start-delay=1", "-v", *frames)
        process = subprocess.Popen(
            [self._program, "-D", device, *samples],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env={**os.environ, "LC_ALL": "C"},
        )
        stream = AplayStream(process, _described(device))
        messages = ""
        deadline = time.monotonic() + OPENING_S
        while not (buffer_size := BUFFER_SIZE.search(messages)):
            left_s = deadline - time.monotonic()
            more = stream.read_messages(left_s) if left_s > 0 else None
            if not more:
                stream.close()
                if more is None:
                    raise HangingError(_described(device))
                if WRONG_FORMAT.search(messages):
                    raise wrong_format(_described(device), device)
                raise no_sound(_described(device), last_line(messages) or "aplay ended without a message")
            messages = (messages + more)[-MOST_MESSAGES:]
        stream.buffered_frames = int(buffer_size[1])
        return stream


class AplayStream:
    """A running aplay process. Between sounds it keeps the device open and waits for samples from its pipe."""

    def __init__(self, process: subprocess.Popen[bytes], description: str) -> None:
        assert process.stdin
        assert process.stderr
        self._process = process
        self._pipe = process.stdin.fileno()
        self._stderr = process.stderr.fileno()
        self._description = description
        self.buffered_frames = BUFFERED_FRAMES
        self._last_message = ""
        os.set_blocking(self._pipe, False)
        fcntl.fcntl(self._pipe, fcntl.F_SETPIPE_SZ, PIPE_BYTES)

    def write(self, samples: bytes) -> None:
        """Write one block to aplay, and read aplay's messages meanwhile. Raises `DeviceError` if aplay exits or stalls.

        aplay prints many lines at each underrun. It would stall if the pipe of its standard error were full.
        """
        stalls_at = time.monotonic() + STALLED_S
        while samples:
            timeout_s = max(0.0, stalls_at - time.monotonic())
            has_messages, has_room, _ = select.select([self._stderr], [self._pipe], [], timeout_s)
            if has_messages:
                self.rest()
            if has_room and (written := self._write(samples)):
                samples = samples[written:]
                stalls_at = time.monotonic() + STALLED_S
            elif time.monotonic() >= stalls_at:
                raise HangingError(self._description)

    def _write(self, samples: bytes) -> int:
        try:
            return os.write(self._pipe, samples)
        except BlockingIOError:
            return 0
        except OSError as error:
            self.rest()
            raise no_sound(self._description, self._last_message or "aplay has closed its pipe") from error

    def rest(self) -> None:
        """Read aplay's messages, so that a full pipe never blocks aplay. Raises `DeviceError` if aplay has exited."""
        messages = self.read_messages(0.0)
        self._last_message = last_line(messages or "") or self._last_message
        if messages == "":
            raise no_sound(self._description, self._last_message or "aplay has exited")

    def read_messages(self, timeout_s: float) -> str | None:
        """Return aplay's next messages, or ``""`` if it has exited. ``None`` means none within *timeout_s* seconds."""
        if not select.select([self._stderr], [], [], timeout_s)[0]:
            return None
        return os.read(self._stderr, MOST_MESSAGES).decode(errors="replace")

    def close(self) -> None:
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stderr):
            assert pipe
            pipe.close()
        with suppress(subprocess.TimeoutExpired):  # an aplay that hangs in its driver does not end
            self._process.wait(CLOSING_S)


def _described(device: str) -> str:
    return f"aplay on ALSA device {device}"


def last_line(messages: str) -> str:
    """Return the last line of *messages*, where programs print their error."""
    return messages.strip().rpartition("\n")[2]
