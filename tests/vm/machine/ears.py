"""What comes out of the machine's sound card: its loopback's other end, recorded."""

from __future__ import annotations

import io
import wave
from collections.abc import Iterator
from contextlib import contextmanager

from reboard.board import RATE_HZ, SAMPLE_BYTES
from tests.vm.machine.inside import Inside

DEVICE = "plughw:CARD=Loopback,DEV=1"
"""Whatever form the sound has on the card, it is heard in ours."""

FILE = "/run/heard.wav"


class Recording:
    """What was heard; empty until the recording has ended."""

    def __init__(self) -> None:
        self.samples = b""

    def take(self, wav: bytes) -> None:
        """Take a WAV file's samples: s16le of one channel at `RATE_HZ`."""
        with wave.open(io.BytesIO(wav)) as file:
            if (file.getframerate(), file.getsampwidth(), file.getnchannels()) != (RATE_HZ, SAMPLE_BYTES, 1):
                raise ValueError(f"the card was recorded as {file.getparams()}")
            # whoever ends a recording does not always come to write how long it is
            self.samples = file.readframes(len(wav))


class Ears:
    """Ears at the sound card."""

    def __init__(self, inside: Inside) -> None:
        self._inside = inside

    @contextmanager
    def listening(self) -> Iterator[Recording]:
        """Record while the body runs."""
        recording = Recording()
        command = ("arecord", "-D", DEVICE, "-f", "S16_LE", "-c", "1", "-r", str(RATE_HZ), FILE)
        recorder = self._inside.follow("sh", "-c", f"exec {' '.join(command)} 2>&1")
        recorder.next()
        try:
            yield recording
        finally:
            recorder.end()
        recording.take(self._inside.run("cat", FILE).out)
