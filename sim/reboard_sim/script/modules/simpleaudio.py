"""``simpleaudio`` on the virtual sound card."""

from __future__ import annotations

import wave
from typing import Any

from reboard_sim.script.modules.machine import Machine, VirtualModule
from reboard_sim.script.modules.sounds import Playing, Sounds, samples_of

RATES_HZ = (8000, 11025, 16000, 22050, 24000, 32000, 44100, 48000, 88200, 96000, 192000)


class PlayObject:
    """``simpleaudio.PlayObject``: a sound that plays."""

    latest_id = 0

    def __init__(self, playing: Playing) -> None:
        self._playing = playing
        PlayObject.latest_id += 1
        self.play_id = PlayObject.latest_id

    def is_playing(self) -> bool:
        return self._playing.seconds_left > 0

    def wait_done(self) -> None:
        self._playing.wait()

    def stop(self) -> None:
        self._playing.stop()


def modules(machine: Machine) -> dict[str, VirtualModule]:
    """Return ``simpleaudio`` for a program on *machine*."""
    sounds = Sounds(machine)

    def play_buffer(audio_data: Any, num_channels: int, bytes_per_sample: int, sample_rate: int) -> PlayObject:
        """Play PCM samples, and return at once. Raises ``ValueError`` for another format."""
        if num_channels not in (1, 2):
            raise ValueError("Number of channels must be 1 or 2")
        if bytes_per_sample not in (1, 2, 3, 4):
            raise ValueError("Bytes-per-sample must be 1 (8-bit unsigned), 2, 3 or 4")
        if sample_rate not in RATES_HZ:
            raise ValueError(f"Weird sample rates are not supported: use one of {', '.join(map(str, RATES_HZ))}")
        data = memoryview(audio_data).tobytes()
        if len(data) % (bytes_per_sample * num_channels):
            raise ValueError("Buffer size (in bytes) is not a multiple of bytes-per-sample and number of channels")
        return PlayObject(sounds.play(samples_of(data, num_channels, bytes_per_sample, sample_rate)))

    class WaveObject:
        """``simpleaudio.WaveObject``: a sound that can be played."""

        def __init__(
            self, audio_data: Any, num_channels: int = 2, bytes_per_sample: int = 2, sample_rate: int = 44100
        ) -> None:
            self.audio_data, self.num_channels = audio_data, num_channels
            self.bytes_per_sample, self.sample_rate = bytes_per_sample, sample_rate

        def play(self) -> PlayObject:
            """Play the sound, and return at once."""
            return play_buffer(self.audio_data, self.num_channels, self.bytes_per_sample, self.sample_rate)

        @classmethod
        def from_wave_file(cls, wave_file: str) -> WaveObject:
            """Return the sound in a WAV file. Raises what ``wave.open`` does."""
            with wave.open(str(wave_file), "rb") as file:
                return cls.from_wave_read(file)

        @classmethod
        def from_wave_read(cls, wave_read: wave.Wave_read) -> WaveObject:
            """Return the sound in an open WAV file."""
            data = wave_read.readframes(wave_read.getnframes())
            return cls(data, wave_read.getnchannels(), wave_read.getsampwidth(), wave_read.getframerate())

    contents = {
        "WaveObject": WaveObject,
        "PlayObject": PlayObject,
        "play_buffer": play_buffer,
        "stop_all": sounds.stop_all,
    }
    return {"simpleaudio": VirtualModule("simpleaudio", contents, "use WaveObject or play_buffer")}
