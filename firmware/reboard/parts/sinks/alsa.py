"""pyalsaaudio: straight into ALSA, every error seen. The default on a Pi."""

from __future__ import annotations

import errno
from contextlib import suppress

import alsaaudio

from reboard.board import RATE_HZ, SAMPLE_BYTES
from reboard.parts.sinks.streaming import BLOCK_FRAMES, BUFFERED_FRAMES, gone

if not hasattr(alsaaudio.PCM, "info"):
    raise ImportError("pyalsaaudio is older than 0.10")

MOST_TRIES = 5
"""An underrun is mended by writing again; a device that under-runs at once, again and again, is broken."""


class Alsa:
    """Opens an ALSA device: ``default``, ``plughw:1``, ``sysdefault:CARD=…``, as ``aplay -L`` lists them."""

    def __init__(self, device: str | None) -> None:
        self._device = device or "default"

    @property
    def description(self) -> str:
        """Library and device."""
        return f"ALSA device {self._device}"

    def open(self) -> AlsaStream:
        """Open it. Raises `PartError`."""
        try:
            pcm = alsaaudio.PCM(
                device=self._device,
                rate=RATE_HZ,
                channels=1,
                format=alsaaudio.PCM_FORMAT_S16_LE,
                periodsize=BLOCK_FRAMES,
                periods=BUFFERED_FRAMES // BLOCK_FRAMES,
            )
        except alsaaudio.ALSAAudioError as error:
            raise gone(self.description, error) from error
        try:
            kind = pcm.info()
        except alsaaudio.ALSAAudioError as error:
            with suppress(alsaaudio.ALSAAudioError):
                pcm.close()
            raise gone(self.description, error) from error
        stream = AlsaStream(pcm, self.description, kind["buffer_size"])
        # the library asks for what we want and takes what the device has
        if (kind["rate"], kind["channels"], kind["format"]) != (RATE_HZ, 1, alsaaudio.PCM_FORMAT_S16_LE):
            stream.close()
            raise gone(self.description, "it does not take one channel of 48 kHz: name it plughw instead of hw")
        return stream


class AlsaStream:
    """An open ALSA device. It plays from the first block on and is dropped, not closed, while nothing plays."""

    def __init__(self, pcm: alsaaudio.PCM, description: str, buffered_frames: int) -> None:
        self.buffered_frames = buffered_frames
        self._pcm = pcm
        self._description = description

    def write(self, samples: bytes) -> None:
        """Hand over one block."""
        try:
            for _ in range(MOST_TRIES):
                written = self._pcm.write(samples)
                if written != -errno.EPIPE:
                    samples = samples[written * SAMPLE_BYTES :]
                if not samples:
                    return
        except alsaaudio.ALSAAudioError as error:
            raise gone(self._description, error) from error
        raise gone(self._description, "it takes no samples")

    def rest(self) -> None:
        """Stop the device; the next write starts it anew."""
        try:
            self._pcm.drop()
        except alsaaudio.ALSAAudioError as error:
            raise gone(self._description, error) from error

    def close(self) -> None:
        """Give the device back."""
        with suppress(alsaaudio.ALSAAudioError):
            self._pcm.close()
