"""The sounds of a program, mixed for the virtual sound card."""

from __future__ import annotations

import time

from reboard.board import RATE_HZ, SAMPLE_BYTES
from reboard.script.shared_board import SinkPart
from reboard.sounds.wav_file import audioop
from reboard_sim.script.modules.machine import Machine


class Playing:
    """A sound that a program plays: s16le *samples* of one channel, `RATE_HZ` per second."""

    def __init__(self, sounds: Sounds, samples: bytes) -> None:
        self.samples = samples
        self.position = 0
        self._sounds = sounds
        self._until = time.monotonic() + len(samples) / SAMPLE_BYTES / RATE_HZ

    @property
    def seconds_left(self) -> float:
        """The time until the end of the sound, at least 0."""
        return max(0.0, self._until - time.monotonic())

    def wait(self) -> None:
        """Wait until the end of the sound."""
        while left := self.seconds_left:
            time.sleep(left)

    def stop(self) -> None:
        """End the sound at once."""
        self._until = time.monotonic()
        self._sounds.stop(self)


class Sounds:
    """The sounds of a library that play on the speaker of *machine*, which starts with the first one."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._playing: list[Playing] = []
        self._sink: SinkPart | None = None

    def play(self, samples: bytes) -> Playing:
        """Play s16le *samples* of one channel, `RATE_HZ` per second."""
        self._machine.here()
        if not self._sink:
            self._sink = SinkPart(self._machine.speaker)
            self._sink.start(self._pull, lambda _: None)
        sound = Playing(self, samples)
        self._playing.append(sound)
        self._sink.wake()
        return sound

    def stop(self, sound: Playing) -> None:
        """End *sound* at once. It may be over."""
        self._machine.here()
        if sound in self._playing:
            self._playing.remove(sound)

    def stop_all(self) -> None:
        """End every sound."""
        for sound in tuple(self._playing):
            sound.stop()

    def wait_all(self) -> None:
        """Wait until no sound plays."""
        for sound in tuple(self._playing):
            sound.wait()

    def _pull(self, frames: int) -> bytes | None:
        size, mixed = frames * SAMPLE_BYTES, b""
        for sound in tuple(self._playing):
            piece = sound.samples[sound.position : sound.position + size].ljust(size, b"\0")
            sound.position += size
            mixed = audioop.add(mixed, piece, SAMPLE_BYTES) if mixed else piece
            if sound.position >= len(sound.samples):
                self._playing.remove(sound)
        return mixed or None


def samples_of(data: bytes, channels: int, width: int, rate_hz: float) -> bytes:
    """Return PCM *data* as `Sounds.play` needs it. *width* is the bytes of a sample; one byte has no sign."""
    if width == 1:
        data = audioop.bias(data, 1, -128)
    if channels == 2:
        data = audioop.tomono(data, width, 0.5, 0.5)
    if width != SAMPLE_BYTES:
        data = audioop.lin2lin(data, width, SAMPLE_BYTES)
    if rate_hz != RATE_HZ:
        data, _ = audioop.ratecv(data, SAMPLE_BYTES, 1, round(rate_hz), RATE_HZ, None)
    return data
