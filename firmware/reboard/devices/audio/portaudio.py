"""Sound through PortAudio (sounddevice), for computers other than a Pi."""

from __future__ import annotations

import time

import sounddevice

from reboard.board import RATE_HZ
from reboard.devices.audio.streaming import BLOCK_FRAMES, BLOCK_S, HangingError, no_sound

STALLED_S = 1.0
"""The time in seconds after which a device whose buffer stays full counts as unplugged. PortAudio reports no error."""


class PortAudio:
    """An opener for the PortAudio device whose name contains *device*. ``None`` means the default device."""

    def __init__(self, device: str | None) -> None:
        self._device = device

    @property
    def description(self) -> str:
        return f"PortAudio device {self._device or 'default'}"

    def open(self) -> PortAudioStream:
        """Open the device. Raises `DeviceError` if that fails."""
        try:
            # it finds devices only when it is initialised
            sounddevice._terminate()
            sounddevice._initialize()
            stream = sounddevice.RawOutputStream(
                samplerate=RATE_HZ,
                blocksize=BLOCK_FRAMES,
                device=self._device,
                channels=1,
                dtype="int16",
                latency="low",
            )
        except (sounddevice.PortAudioError, ValueError) as error:
            raise no_sound(self.description, error) from error
        return PortAudioStream(stream, self.description)


class PortAudioStream:
    """An open PortAudio device. `rest` stops it, and `write` starts it again."""

    def __init__(self, stream: sounddevice.RawOutputStream, description: str) -> None:
        self._stream = stream
        self._description = description
        # PortAudio's own queue and the device; the latency does not include the period that is playing
        self.buffered_frames = stream.write_available + 2 * round(stream.latency * RATE_HZ)

    def write(self, samples: bytes) -> None:
        deadline = time.monotonic() + STALLED_S
        try:
            if self._stream.stopped:
                self._stream.start()
            while self._stream.write_available < BLOCK_FRAMES:
                if time.monotonic() > deadline:
                    raise HangingError(self._description)
                time.sleep(BLOCK_S / 2)
            self._stream.write(samples)
        except sounddevice.PortAudioError as error:
            raise no_sound(self._description, error) from error

    def rest(self) -> None:
        try:
            self._stream.stop()
        except sounddevice.PortAudioError as error:
            raise no_sound(self._description, error) from error

    def close(self) -> None:
        self._stream.abort(ignore_errors=True)
        self._stream.close(ignore_errors=True)
