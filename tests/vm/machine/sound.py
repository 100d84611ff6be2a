"""The sound of the machine: the other end of its loopback sound card, recorded."""

from __future__ import annotations

import audioop
import io
import wave

from reboard.board import RATE_HZ, SAMPLE_BYTES
from tests.vm.machine.inside import Inside

CARD_BYTES, CARD_CHANNELS = 4, 2
"""ALSA's mixer chooses these for this card. Both ends of a loopback must agree, and the first one decides."""
FILE = "/run/heard.wav"
RECORD = f"exec arecord -D hw:CARD=Loopback,DEV=1 -f S32_LE -c {CARD_CHANNELS} -r {RATE_HZ} {FILE} 2>&1"


class Recorder:
    """Records from now on."""

    def __init__(self, inside: Inside) -> None:
        self._inside = inside
        self._arecord = inside.follow("sh", "-c", RECORD)
        self._arecord.next()

    def stop(self) -> bytes:
        """Return the samples, s16le of one channel at `RATE_HZ`."""
        self._arecord.end()
        wav = self._inside.run("cat", FILE).out
        with wave.open(io.BytesIO(wav)) as file:
            form = (file.getframerate(), file.getsampwidth(), file.getnchannels())
            assert form == (RATE_HZ, CARD_BYTES, CARD_CHANNELS)
            # an ended recording does not always have its length in the file
            both = audioop.lin2lin(file.readframes(len(wav)), CARD_BYTES, SAMPLE_BYTES)
        return audioop.tomono(both, SAMPLE_BYTES, 0.5, 0.5)
