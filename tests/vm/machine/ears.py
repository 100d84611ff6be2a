"""What comes out of the machine's sound card: its loopback's other end, recorded."""

from __future__ import annotations

import audioop
import io
import wave
from collections.abc import Iterator
from contextlib import contextmanager

from reboard.board import RATE_HZ, SAMPLE_BYTES
from tests.vm.machine.inside import Inside

DEVICE = "hw:CARD=Loopback,DEV=1"
CARD_FORMAT, CARD_BYTES, CARD_CHANNELS = "S32_LE", 4, 2
"""What ALSA's mixer chooses for this card. Both ends of a loopback agree on one, and whoever comes first decides."""

FILE = "/run/heard.wav"


class Recording:
    """What was heard, s16le of one channel at `RATE_HZ`; empty until the recording has ended."""

    def __init__(self) -> None:
        self.samples = b""

    def take(self, wav: bytes) -> None:
        """Take a WAV file's samples, in the form of the card."""
        with wave.open(io.BytesIO(wav)) as file:
            if (file.getframerate(), file.getsampwidth(), file.getnchannels()) != (RATE_HZ, CARD_BYTES, CARD_CHANNELS):
                raise ValueError(f"the card was recorded as {file.getparams()}")
            # whoever ends a recording does not always come to write how long it is
            both = audioop.lin2lin(file.readframes(len(wav)), CARD_BYTES, SAMPLE_BYTES)
        self.samples = audioop.tomono(both, SAMPLE_BYTES, 0.5, 0.5)


class Ears:
    """Ears at the sound card."""

    def __init__(self, inside: Inside) -> None:
        self._inside = inside

    @contextmanager
    def listening(self) -> Iterator[Recording]:
        """Record while the body runs."""
        recording = Recording()
        command = ("arecord", "-D", DEVICE, "-f", CARD_FORMAT, "-c", str(CARD_CHANNELS), "-r", str(RATE_HZ), FILE)
        recorder = self._inside.follow("sh", "-c", f"exec {' '.join(command)} 2>&1")
        recorder.next()
        try:
            yield recording
        finally:
            recorder.end()
        recording.take(self._inside.run("cat", FILE).out)
