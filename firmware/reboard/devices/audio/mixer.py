"""The mixer, which combines several sounds into one stream."""

from __future__ import annotations

import threading
from collections import deque

from reboard.board import GAINS, SAMPLE_BYTES
from reboard.sounds.wav_file import audioop, ramped

MOST_VOICES = 16
RAMP_FRAMES = 480
"""The length of a ramp from silence to full volume, in frames (10 ms). Without a ramp, a volume change clicks."""


class Voice:
    """A sound that is playing: its s16le samples, and the byte position of the next sample."""

    def __init__(self, samples: bytes) -> None:
        self.samples = samples
        self.position = 0


class Mixer:
    """A mixer that adds up the sounds that are playing. Every method can be called from any thread.

    *volume* is 0 (mute) to 4. A sum that exceeds 16 bits is clipped.
    """

    def __init__(self, volume: int) -> None:
        self._lock = threading.Lock()
        self._voices: deque[Voice] = deque(maxlen=MOST_VOICES)
        self._target_gain = self._gain = GAINS[volume]

    @property
    def is_playing(self) -> bool:
        """Whether a sound has not been pulled to its end."""
        return bool(self._voices)

    def add(self, samples: bytes) -> None:
        """Play s16le *samples* from the next `pull` on. If `MOST_VOICES` sounds are playing, the oldest one stops."""
        with self._lock:
            self._voices.append(Voice(samples))

    def set_volume(self, volume: int) -> None:
        """Change the volume, including that of the sounds that are playing."""
        with self._lock:
            self._target_gain = GAINS[volume]

    def pull(self, frames: int) -> bytes | None:
        """Return the next *frames* mixed samples, padded with silence at the end; ``None`` if nothing is playing."""
        with self._lock:
            if not self._voices:
                self._gain = self._target_gain
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
        if before == self._target_gain:
            return audioop.mul(mixed, SAMPLE_BYTES, before)
        most = frames / RAMP_FRAMES
        self._gain += max(-most, min(most, self._target_gain - before))
        return ramped(mixed, before, self._gain)
