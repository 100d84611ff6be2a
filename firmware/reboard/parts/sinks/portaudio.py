"""sounddevice: PortAudio, for computers that are no Pi."""

from __future__ import annotations

import time

import sounddevice

from reboard.board import RATE_HZ
from reboard.parts.sinks.streaming import BLOCK_FRAMES, BLOCK_S, gone

STALLED_S = 1.0
"""PortAudio does not tell that a device was pulled out: there is just never any room again."""


class PortAudio:
    """Opens one of PortAudio's devices, by a part of its name."""

    def __init__(self, device: str | None) -> None:
        self._device = device

    @property
    def description(self) -> str:
        """Library and device."""
        return f"PortAudio device {self._device or 'default'}"

    def open(self) -> PortAudioStream:
        """Open it. Raises `PartError`."""
        try:
            # it lists the devices only once, when it is initialised
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
            raise gone(self.description, error) from error
        return PortAudioStream(stream, self.description)


class PortAudioStream:
    """An open stream. It is stopped while nothing plays."""

    def __init__(self, stream: sounddevice.RawOutputStream, description: str) -> None:
        self._stream = stream
        self._description = description
        # PortAudio's own queue, and the device: its latency leaves out the period that is being played
        self.buffered_frames = stream.write_available + 2 * round(stream.latency * RATE_HZ)

    def write(self, samples: bytes) -> None:
        """Hand over one block."""
        given_up_at = time.monotonic() + STALLED_S
        try:
            if self._stream.stopped:
                self._stream.start()
            while self._stream.write_available < BLOCK_FRAMES:
                if time.monotonic() > given_up_at:
                    raise gone(self._description, "it takes no samples")
                time.sleep(BLOCK_S / 2)
            self._stream.write(samples)
        except sounddevice.PortAudioError as error:
            raise gone(self._description, error) from error

    def rest(self) -> None:
        """Stop the stream; the next write starts it anew."""
        try:
            self._stream.stop()
        except sounddevice.PortAudioError as error:
            raise gone(self._description, error) from error

    def close(self) -> None:
        """Give the device back."""
        self._stream.abort(ignore_errors=True)
        self._stream.close(ignore_errors=True)
