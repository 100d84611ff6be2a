"""aplay, ALSA's own little player, as a process that is fed through a pipe: no library needed."""

from __future__ import annotations

import fcntl
import os
import re
import select
import shutil
import subprocess
import time

from reboard.board import RATE_HZ
from reboard.parts.sinks.streaming import BLOCK_FRAMES, BUFFERED_FRAMES, gone

OPENING_S = 3.0
BUFFER_SIZE = re.compile(r"buffer_size *: *(\d+)\n")
"""Of all that aplay tells of the device once it is set up, and of what ALSA may have to say before."""

PIPE_BYTES = 4096
"""The smallest pipe there is: what lies in it is heard later."""

STALLED_S = 5.0


class Aplay:
    """Runs aplay on an ALSA device."""

    def __init__(self, device: str | None) -> None:
        self._device = device or "default"
        program = shutil.which("aplay")
        if program is None:
            raise ImportError("aplay is not installed: sudo apt install alsa-utils")
        self._program = program

    @property
    def description(self) -> str:
        """Program and device."""
        return f"aplay on ALSA device {self._device}"

    def open(self) -> AplayStream:
        """Start it. Raises `PartError` when it ends at once or does not say that it plays."""
        frames = (f"--period-size={BLOCK_FRAMES}", f"--buffer-size={BUFFERED_FRAMES}")
        kind = ("-t", "raw", "-f", "S16_LE", "-r", str(RATE_HZ), "-c", "1", "--start-delay=1", "-v", *frames)
        process = subprocess.Popen(
            [self._program, "-D", self._device, *kind],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env={**os.environ, "LC_ALL": "C"},
        )
        stream = AplayStream(process, self.description)
        said = ""
        given_up_at = time.monotonic() + OPENING_S
        while not (set_up := BUFFER_SIZE.search(said)):
            more = stream.said(max(0.0, given_up_at - time.monotonic()))
            if not more:
                stream.close()
                raise gone(self.description, last_line(said) or "aplay says nothing")
            said += more
        stream.buffered_frames = int(set_up[1])
        return stream


class AplayStream:
    """A running aplay. While nothing plays it waits for its pipe, the device open and run dry."""

    def __init__(self, process: subprocess.Popen[bytes], description: str) -> None:
        assert process.stdin
        assert process.stderr
        self._process = process
        self._pipe = process.stdin.fileno()
        self._stderr = process.stderr.fileno()
        self._description = description
        self.buffered_frames = BUFFERED_FRAMES
        self._last_words = ""
        os.set_blocking(self._pipe, False)
        fcntl.fcntl(self._pipe, fcntl.F_SETPIPE_SZ, PIPE_BYTES)

    def write(self, samples: bytes) -> None:
        """Hand over one block, and read away what aplay says meanwhile.

        It tells a page of every time that it runs dry, and would wait in the midst of a sound for somebody to read it.
        """
        stalls_at = time.monotonic() + STALLED_S
        while samples:
            patience_s = max(0.0, stalls_at - time.monotonic())
            told, ready, _ = select.select([self._stderr], [self._pipe], [], patience_s)
            if told:
                self.rest()
            if ready and (taken := self._taken(samples)):
                samples = samples[taken:]
                stalls_at = time.monotonic() + STALLED_S
            elif time.monotonic() >= stalls_at:
                raise gone(self._description, "aplay has stopped reading")

    def _taken(self, samples: bytes) -> int:
        try:
            return os.write(self._pipe, samples)
        except BlockingIOError:
            return 0
        except OSError as error:
            self.rest()
            raise gone(self._description, self._last_words or "aplay has ended") from error

    def rest(self) -> None:
        """Read away what aplay said of having run dry, so that it never waits for us to do so."""
        self._last_words = last_line(self.said(0.0)) or self._last_words

    def said(self, timeout_s: float) -> str:
        """What is new on its standard error, waiting so long for anything."""
        if not select.select([self._stderr], [], [], timeout_s)[0]:
            return ""
        return os.read(self._stderr, 65536).decode(errors="replace")

    def close(self) -> None:
        """End it."""
        self._process.kill()
        with self._process:
            pass


def last_line(said: str) -> str:
    """What went wrong: programs say it last."""
    return said.strip().rpartition("\n")[2]
