"""Sound through ALSA (pyalsaaudio), and the volume controls of the sound cards."""

from __future__ import annotations

import errno
import os
import re
from contextlib import suppress
from typing import Any

from reboard.board import RATE_HZ, SAMPLE_BYTES, MixerControl
from reboard.devices.audio.streaming import BLOCK_FRAMES, BUFFERED_FRAMES, no_sound

MOST_TRIES = 5
"""The maximum number of writes for one block. A second write repairs an underrun. A device that
needs more than this number is broken."""

_CARD = re.compile(r"\w+:(?:CARD=)?([^,]+)")


class Alsa:
    """An opener for the ALSA device *device*: a name from ``aplay -L``, or ``plughw:1``. ``None`` means ``default``.

    Raises ``ImportError`` if pyalsaaudio 0.10 or newer is not installed.
    """

    def __init__(self, device: str | None) -> None:
        import alsaaudio

        if not hasattr(alsaaudio.PCM, "info"):
            raise ImportError("pyalsaaudio is older than 0.10")
        self._alsa = alsaaudio
        self._device = device or "default"

    @property
    def description(self) -> str:
        return f"ALSA device {self._device}"

    def open(self) -> AlsaStream:
        """Open the device. Raises `DeviceError` if that fails or the device cannot play mono at 48 kHz."""
        alsa = self._alsa
        try:
            pcm = alsa.PCM(
                device=self._device,
                rate=RATE_HZ,
                channels=1,
                format=alsa.PCM_FORMAT_S16_LE,
                periodsize=BLOCK_FRAMES,
                periods=BUFFERED_FRAMES // BLOCK_FRAMES,
            )
        except alsa.ALSAAudioError as error:
            raise no_sound(self.description, error) from error
        try:
            info = pcm.info()
        except alsa.ALSAAudioError as error:
            with suppress(alsa.ALSAAudioError):
                pcm.close()
            raise no_sound(self.description, error) from error
        stream = AlsaStream(pcm, alsa.ALSAAudioError, self.description, info["buffer_size"])
        # the library does not fail if the device chooses another format than the requested one
        if (info["rate"], info["channels"], info["format"]) != (RATE_HZ, 1, alsa.PCM_FORMAT_S16_LE):
            stream.close()
            raise no_sound(
                self.description, "it cannot play mono at 48 kHz; use plughw instead of hw for `device` in [speaker]"
            )
        return stream


class AlsaStream:
    """An open ALSA device. `rest` stops the device but does not close it."""

    def __init__(self, pcm: Any, error: type[Exception], description: str, buffered_frames: int) -> None:
        self.buffered_frames = buffered_frames
        self._pcm = pcm
        self._error = error
        self._description = description

    def write(self, samples: bytes) -> None:
        for _ in range(MOST_TRIES):
            try:
                written = self._pcm.write(samples)
            except self._error as error:
                # pyalsaaudio 0.10 repairs an underrun itself, and raises an error at the next one
                if os.strerror(errno.EPIPE) not in str(error):
                    raise no_sound(self._description, error) from error
                continue
            if written != -errno.EPIPE:
                samples = samples[written * SAMPLE_BYTES :]
            if not samples:
                return
        raise no_sound(self._description, "it accepts no samples")

    def rest(self) -> None:
        try:
            self._pcm.drop()
        except self._error as error:
            raise no_sound(self._description, error) from error

    def close(self) -> None:
        with suppress(self._error):
            self._pcm.close()


def card_of(device: str | None) -> str:
    """Return the ALSA name of the sound card of *device*: ``hw:vc4hdmi`` for ``plughw:CARD=vc4hdmi,DEV=0``."""
    card = _CARD.match(device or "")
    return f"hw:{card[1]}" if card else device or "default"


def mixer_controls(device: str | None) -> list[MixerControl]:
    """Return the playback volume controls of *device*'s sound card; ``[]`` if the card or pyalsaaudio is missing."""
    try:
        import alsaaudio
    except ImportError:
        return []
    card = card_of(device)
    controls = []
    with suppress(alsaaudio.ALSAAudioError):
        for name in dict.fromkeys(alsaaudio.mixers(device=card)):
            with suppress(alsaaudio.ALSAAudioError):
                controls += _playback(name, alsaaudio.Mixer(name, device=card))
    return controls


def _playback(name: str, control: Any) -> list[MixerControl]:
    if all("Capture" in capability for capability in control.volumecap()):
        return []
    can_mute = any("Capture" not in capability for capability in control.switchcap())
    return [MixerControl(name, max(control.getvolume()), can_mute and all(control.getmute()))]
