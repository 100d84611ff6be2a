"""Sound through ALSA (pyalsaaudio), and the volume controls of the sound cards."""

from __future__ import annotations

import errno
import os
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from reboard.board import RATE_HZ, SAMPLE_BYTES, MixerControl
from reboard.devices.audio.streaming import BLOCK_FRAMES, BUFFERED_FRAMES, CLOSING_S, HangingError, no_sound
from reboard.errors import DeviceError
from reboard.languages import translatable

S = TypeVar("S")

MOST_TRIES = 5
"""The maximum number of writes for one block. A second write repairs an underrun. A device that
needs more than this number is broken."""

OPENING_S = 3.0
"""The time in seconds after which a device that is being opened counts as hanging."""

OPEN = "import alsaaudio, sys; alsaaudio.PCM(device=sys.argv[1])"

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
        self._names = names_of(device)

    @property
    def description(self) -> str:
        return f"ALSA device {self._names[0]}"

    def open(self) -> AlsaStream:
        """Open the device. Raises `DeviceError` if that fails or the device cannot play mono at 48 kHz."""
        return open_first(self._names, self._open)

    def _open(self, device: str) -> AlsaStream:
        # the library keeps the interpreter while it opens a device: a driver that hangs would stop the table
        if hangs(OPEN, device):
            raise HangingError(f"ALSA device {device}")
        alsa = self._alsa
        try:
            pcm = alsa.PCM(
                device=device,
                rate=RATE_HZ,
                channels=1,
                format=alsa.PCM_FORMAT_S16_LE,
                periodsize=BLOCK_FRAMES,
                periods=BUFFERED_FRAMES // BLOCK_FRAMES,
            )
        except alsa.ALSAAudioError as error:
            raise no_sound(f"ALSA device {device}", error) from error
        try:
            info = pcm.info()
        except alsa.ALSAAudioError as error:
            with suppress(alsa.ALSAAudioError):
                pcm.close()
            raise no_sound(f"ALSA device {device}", error) from error
        stream = AlsaStream(pcm, alsa.ALSAAudioError, f"ALSA device {device}", info["buffer_size"])
        # the library does not fail if the device chooses another format than the requested one
        if (info["rate"], info["channels"], info["format"]) != (RATE_HZ, 1, alsa.PCM_FORMAT_S16_LE):
            stream.close()
            raise wrong_format(f"ALSA device {device}", device)
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


def names_of(device: str | None) -> list[str]:
    """Return the names under which ALSA may open *device*, the best one first.

    Debian 12 converts to the format of a Pi's HDMI in ``sysdefault:CARD=vc4hdmi``, and not in ``plughw:CARD=vc4hdmi``.
    A sound server can keep ``default`` to the user who is logged in.
    """
    device = device or "default"
    if device == "default":
        return [device, "sysdefault"]
    if device.startswith("plughw:"):
        card = card_of(device).removeprefix("hw:")
        return [device, f"sysdefault:CARD={card}", f"default:CARD={card}"]
    return [device]


def open_first(names: list[str], open_one: Callable[[str], S]) -> S:
    """Return what *open_one* returns for the first of *names* that it can open, and put that name first.

    Raises the error for the first name if it can open none.
    """
    first: DeviceError | None = None
    for name in tuple(names):
        try:
            opened = open_one(name)
        except HangingError:
            raise
        except DeviceError as error:
            first = first or error
            continue
        names.remove(name)
        names.insert(0, name)
        return opened
    assert first
    raise first


def wrong_format(description: str, device: str) -> DeviceError:
    """Return the error for a *device* that takes our format under none of `names_of`."""
    card = card_of(device).removeprefix("hw:")
    instead = f"plughw:CARD={card}" if device.startswith("hw:") else translatable("another name from `aplay -L`")
    others = " or ".join(names_of(device)[1:])
    also = f", {translatable(f'also not as {others}')}" if others else ""
    return DeviceError(
        translatable(
            f"no sound comes from {description}, because it cannot play mono at 48 kHz{also}: set `device` in "
            f"[speaker] to {instead}"
        )
    )


def hangs(code: str, *arguments: str) -> bool:
    """Return whether the Python *code* does not end within `OPENING_S`. It runs in a process of its own."""
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        process.wait(OPENING_S)
    except subprocess.TimeoutExpired:
        process.kill()
        with suppress(subprocess.TimeoutExpired):  # a process that hangs in its driver does not end
            process.wait(CLOSING_S)
        return True
    return False


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
