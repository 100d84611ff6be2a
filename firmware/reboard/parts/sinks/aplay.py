"""aplay, ALSA's own little player, as a process that is fed through a pipe: no library needed."""

from __future__ import annotations

import os
import select
import shutil
import subprocess

from reboard.board import RATE_HZ
from reboard.parts.sinks.streaming import BLOCK_FRAMES, BUFFERED_BLOCKS, gone

OPENING_S = 3.0
MOST_WARNINGS = 10
"""ALSA may have something to say about its configuration first."""

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
        frames = (f"--period-size={BLOCK_FRAMES}", f"--buffer-size={BLOCK_FRAMES * BUFFERED_BLOCKS}")
        kind = ("-t", "raw", "-f", "S16_LE", "-r", str(RATE_HZ), "-c", "1", "--start-delay=1", *frames)
        process = subprocess.Popen(
            [self._program, "-D", self._device, *kind],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            pipesize=PIPE_BYTES,
            env={**os.environ, "LC_ALL": "C"},
        )
        stream = AplayStream(process, self.description)
        why = "aplay says nothing"
        for _ in range(MOST_WARNINGS):
            said = stream.said(OPENING_S)
            if said.startswith("Playing"):
                return stream
            if not said:
                break
            why = said
        stream.close()
        raise gone(self.description, why)


class AplayStream:
    """A running aplay. While nothing plays it waits for its pipe, the device open and run dry."""

    def __init__(self, process: subprocess.Popen[bytes], description: str) -> None:
        assert process.stdin
        assert process.stderr
        self._process = process
        self._pipe = process.stdin.fileno()
        self._stderr = process.stderr.fileno()
        self._description = description
        os.set_blocking(self._pipe, False)

    def write(self, samples: bytes) -> None:
        """Hand over one block."""
        while samples:
            if not select.select([], [self._pipe], [], STALLED_S)[1]:
                raise gone(self._description, "aplay has stopped reading")
            try:
                samples = samples[os.write(self._pipe, samples) :]
            except BlockingIOError:
                continue
            except OSError as error:
                raise gone(self._description, self.said(0.0) or "aplay has ended") from error

    def rest(self) -> None:
        """Read away what aplay said of having run dry, so that it never waits for us to do so."""
        self.said(0.0)

    def said(self, timeout_s: float) -> str:
        """The last line on its standard error, waiting so long for one."""
        if not select.select([self._stderr], [], [], timeout_s)[0]:
            return ""
        lines = os.read(self._stderr, 65536).decode(errors="replace").splitlines()
        return lines[-1].strip() if lines else ""

    def close(self) -> None:
        """End it."""
        self._process.kill()
        with self._process:
            pass
