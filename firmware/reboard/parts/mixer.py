"""Several sounds at once, in one stream."""

from __future__ import annotations

import audioop
import threading
from collections import deque
from dataclasses import dataclass

from reboard.board import SAMPLE_BYTES
from reboard.sounds.ramp import ramped
from reboard.volume import GAINS

MOST_VOICES = 16
RAMP_FRAMES = 480
"""A change from silence to full volume is spread over this many samples (10 ms) so that it does not click."""


@dataclass(slots=True)
class Voice:
    """A sound that is playing, and how far it has been played."""

    samples: bytes
    position: int = 0


class Mixer:
    """Adds up what plays. Any thread may call anything.

    *volume* is 0 (mute) to 4. Sounds too loud together are held at the loudest sample there is, never wrapped.
    """

    def __init__(self, volume: int) -> None:
        self._lock = threading.Lock()
        self._voices: deque[Voice] = deque(maxlen=MOST_VOICES)
        self._wanted_gain = self._gain = GAINS[volume]

    def add(self, samples: bytes) -> None:
        """Play s16le samples from the next pull on. With `MOST_VOICES` playing, the oldest is dropped."""
        with self._lock:
            self._voices.append(Voice(samples))

    def set_volume(self, volume: int) -> None:
        """Change the volume, of what plays too."""
        with self._lock:
            self._wanted_gain = GAINS[volume]

    def pull(self, frames: int) -> bytes | None:
        """The next *frames* samples (silence where the sounds end sooner), or ``None`` when nothing plays."""
        with self._lock:
            if not self._voices:
                self._gain = self._wanted_gain
                return None
            size = frames * SAMPLE_BYTES
            mixed = bytes(size)
            for voice in tuple(self._voices):
                piece = voice.samples[voice.position : voice.position + size]
                voice.position += size
                mixed = audioop.add(mixed, piece.ljust(size, b"\0"), SAMPLE_BYTES)
                if voice.position >= len(voice.samples):
                    self._voices.remove(voice)
            return self._at_volume(mixed, frames)

    def _at_volume(self, mixed: bytes, frames: int) -> bytes:
        before = self._gain
        if before == self._wanted_gain:
            return audioop.mul(mixed, SAMPLE_BYTES, before)
        furthest = frames / RAMP_FRAMES
        self._gain += max(-furthest, min(furthest, self._wanted_gain - before))
        return ramped(mixed, before, self._gain)
