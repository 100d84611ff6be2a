"""Functions that read and write WAV files."""

from __future__ import annotations

import array
import audioop
import io
import sys
import wave
from pathlib import Path

from reboard.board import RATE_HZ, SAMPLE_BYTES

LONGEST_S = 4.0
"""The maximum length of a sound, in seconds."""

FADE_S = 0.05
RATES_HZ = range(4_000, 384_001)


def ramped(samples: bytes, from_gain: float, to_gain: float) -> bytes:
    """Return the s16le *samples* with a gain that changes linearly from *from_gain* to *to_gain* (0 to 1)."""
    values = array.array("h", samples)
    if sys.byteorder == "big":
        values.byteswap()
    step = (to_gain - from_gain) / max(1, len(values))
    for i, value in enumerate(values):
        values[i] = int(value * (from_gain + step * i))
    if sys.byteorder == "big":
        values.byteswap()
    return values.tobytes()


def read_wav(path: Path, longest_s: float = LONGEST_S) -> tuple[bytes, bool]:
    """Return the samples of a WAV file, and whether the sound was cut off after *longest_s* seconds.

    The samples are s16le, one channel, 48 kHz. The file can have 8, 16, 24 or 32 bits, one or two channels, and 4 to
    384 kHz. Raises ``ValueError`` for any other file, with a text such as ``has no sound: save it again``, to which
    callers add the file's name. Raises ``OSError`` if the file cannot be read.
    """
    try:
        with wave.open(str(path), "rb") as file:
            kind = file.getparams()
            if kind.framerate not in RATES_HZ:
                raise ValueError(f"has {kind.framerate} samples per second: save it with 4000 to 384000")
            if kind.nchannels > 2:
                raise ValueError(f"has {kind.nchannels} channels: save it with one or two")
            if kind.sampwidth > 4:
                raise ValueError(f"has {8 * kind.sampwidth} bits per sample: save it with up to 32")
            most = int(longest_s * kind.framerate)
            samples = file.readframes(most + 1)
    except (wave.Error, EOFError, RuntimeError) as error:  # RuntimeError: a chunk is longer than the file
        raise ValueError(f"is not a plain WAV file ({error or 'it ends too early'}): save it again as PCM") from error
    width = kind.sampwidth
    samples = samples[: len(samples) - len(samples) % (width * kind.nchannels)]
    too_long = len(samples) > most * width * kind.nchannels
    if width == 1:
        samples = audioop.bias(samples, 1, -128)
    if kind.nchannels == 2:
        samples = audioop.tomono(samples, width, 0.5, 0.5)
    samples = audioop.lin2lin(samples, width, SAMPLE_BYTES)
    if kind.framerate != RATE_HZ:
        samples, _ = audioop.ratecv(samples, SAMPLE_BYTES, 1, kind.framerate, RATE_HZ, None)
    if not samples:
        raise ValueError("has no sound: save it again")
    return (_cut(samples, longest_s) if too_long else samples), too_long


def wav_bytes(samples: bytes) -> bytes:
    """Return the WAV file of s16le *samples* with one channel and the sample rate `RATE_HZ`."""
    content = io.BytesIO()
    with wave.open(content, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(SAMPLE_BYTES)
        file.setframerate(RATE_HZ)
        file.writeframes(samples)
    return content.getvalue()


def _cut(samples: bytes, longest_s: float) -> bytes:
    samples = samples[: int(longest_s * RATE_HZ) * SAMPLE_BYTES]
    fade = int(FADE_S * RATE_HZ) * SAMPLE_BYTES
    return samples[:-fade] + ramped(samples[-fade:], 1.0, 0.0)
