"""Sound through aplay, ALSA's command-line player, which reads the samples from a pipe. No Python library is needed."""

from __future__ import annotations

import fcntl
import os
import re
import select
import shutil
import subprocess
import time

from reboard.board import RATE_HZ
from reboard.devices.audio.streaming import BLOCK_FRAMES, BUFFERED_FRAMES, no_sound

OPENING_S = 3.0
BUFFER_SIZE = re.compile(r"buffer_size *: *(\d+)\n")
"""The pattern of the line that ``aplay -v`` prints when it has opened the device. The number is in frames."""

PIPE_BYTES = 4096
"""The size of the pipe to aplay: the smallest that Linux allows, because samples in the pipe delay the sound."""

STALLED_S = 5.0


class Aplay:
    """An opener that starts aplay on the ALSA device *device*. Raises ``ImportError`` if aplay is not installed."""

    def __init__(self, device: str | None) -> None:
        self._device = device or "default"
        program = shutil.which("aplay")
        if program is None:
            raise ImportError("aplay is not installed: run `sudo apt install alsa-utils`")
        self._program = program

    @property
    def description(self) -> str:
        return f"aplay on ALSA device {self._device}"

    def open(self) -> AplayStream:
        """Start aplay. Raises `DeviceError` if aplay exits or does not open the device within `OPENING_S`."""
        frames = (f"--period-size={BLOCK_FRAMES}", f"--buffer-size={BUFFERED_FRAMES}")
        samples = ("-t", "raw", "-f", "S16_LE", "-r", str(RATE_HZ), "-c", "1", "--start-delay=1", "-v", *frames)
        process = subprocess.Popen(
            [self._program, "-D", self._device, *samples],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env={**os.environ, "LC_ALL": "C"},
        )
        stream = AplayStream(process, self.description)
        messages = ""
        deadline = time.monotonic() + OPENING_S
        while not (buffer_size := BUFFER_SIZE.search(messages)):
            more = stream.read_messages(max(0.0, deadline - time.monotonic()))
            if not more:
                stream.close()
                raise no_sound(self.description, last_line(messages) or "aplay printed nothing")
            messages += more
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
                raise no_sound(self._description, "aplay has stopped reading")

    def _write(self, samples: bytes) -> int:
        try:
            return os.write(self._pipe, samples)
        except BlockingIOError:
            return 0
        except OSError as error:
            self.rest()
            raise no_sound(self._description, self._last_message or "aplay has exited") from error

    def rest(self) -> None:
        """Read aplay's messages, so that a full pipe never blocks aplay."""
        self._last_message = last_line(self.read_messages(0.0)) or self._last_message

    def read_messages(self, timeout_s: float) -> str:
        """Wait up to *timeout_s* seconds for text on aplay's standard error, and return it; ``""`` if there is none."""
        if not select.select([self._stderr], [], [], timeout_s)[0]:
            return ""
        return os.read(self._stderr, 65536).decode(errors="replace")

    def close(self) -> None:
        self._process.kill()
        with self._process:
            pass


def last_line(messages: str) -> str:
    """Return the last line of *messages*, where programs print their error."""
    return messages.strip().rpartition("\n")[2]
