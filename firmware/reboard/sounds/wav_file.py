"""Functions that read and write WAV files."""

from __future__ import annotations

import array
import io
import os
import struct
import sys
import warnings
import wave
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple

from reboard.board import RATE_HZ, SAMPLE_BYTES

with warnings.catch_warnings():
    # that of Python 3.11 and 3.12, which no user can heed: from 3.13 on, the package audioop-lts has the module
    warnings.simplefilter("ignore", DeprecationWarning)
    import audioop as audioop

LONGEST_S = 4.0
"""The maximum length of a sound, in seconds."""

FADE_S = 0.05
RATES_HZ = range(4_000, 384_001)

PCM, FLOAT, EXTENSIBLE = 1, 3, 0xFFFE
"""The formats of WAV files. An extensible one names the real format in its extension."""

WIDTHS = {PCM: (1, 2, 3, 4), FLOAT: (4, 8)}
PLAIN_BYTES, EXTENSIBLE_BYTES = 16, 40
"""The sizes of the chunk ``fmt``."""

MOST_CHUNKS = 1000

CUT = "is not a plain WAV file (it ends too early): save it again as PCM"


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


class Format(NamedTuple):
    """The content of a WAV file's chunk ``fmt``."""

    tag: int
    channels: int
    rate_hz: int
    frame_bytes: int
    bits: int

    @property
    def width(self) -> int:
        return self.frame_bytes // self.channels


def read_wav(path: Path, longest_s: float = LONGEST_S) -> tuple[bytes, bool]:
    """Return the samples of a WAV file, and whether the sound was cut off after *longest_s* seconds.

    The samples are s16le, one channel, 48 kHz. The file can have 8, 16, 24 or 32 bits, or 32 or 64 bits floating point,
    one or two channels, and 4 to 384 kHz. Raises ``ValueError`` for any other file, with a text such as ``has no sound:
    save it again``, to which callers add the file's name. Raises ``OSError`` if the file cannot be read.
    """
    with path.open("rb") as file:
        kind, most_bytes = read_format(file)
        most = int(longest_s * kind.rate_hz) * kind.frame_bytes
        samples = file.read(min(most_bytes, most + kind.frame_bytes))
    samples = samples[: len(samples) - len(samples) % kind.frame_bytes]
    too_long = len(samples) > most
    width = kind.width
    if kind.tag == FLOAT:
        samples, width = _whole_numbers(samples, "f" if width == 4 else "d"), SAMPLE_BYTES
    elif width == 1:
        samples = audioop.bias(samples, 1, -128)
    if kind.channels == 2:
        samples = audioop.tomono(samples, width, 0.5, 0.5)
    if width != SAMPLE_BYTES:
        samples = audioop.lin2lin(samples, width, SAMPLE_BYTES)
    if kind.rate_hz != RATE_HZ:
        samples, _ = audioop.ratecv(samples, SAMPLE_BYTES, 1, kind.rate_hz, RATE_HZ, None)
    if not samples:
        raise ValueError("has no sound: save it again")
    return (_cut(samples, longest_s) if too_long else samples), too_long


def read_format(file: BinaryIO) -> tuple[Format, int]:
    """Read *file* up to its samples. Return their format, and their size in bytes as the file gives it.

    ``wave`` of Python 3.11 rejects the format that programs use for 24 bits, and every ``wave`` rejects floating point.
    """
    riff, _, wave_id = struct.unpack("<4sI4s", _exactly(file, 12))
    if (riff, wave_id) != (b"RIFF", b"WAVE"):
        raise ValueError("is not a plain WAV file: save it again as PCM")
    kind: Format | None = None
    for _ in range(MOST_CHUNKS):
        name, size = struct.unpack("<4sI", _exactly(file, 8))
        if name == b"data" and kind:
            return kind, size
        if name == b"fmt ":
            kind = _read_format(_exactly(file, min(size, EXTENSIBLE_BYTES)))
            size -= min(size, EXTENSIBLE_BYTES)
        file.seek(size + size % 2, os.SEEK_CUR)
    raise ValueError(CUT)


def _read_format(content: bytes) -> Format:
    if len(content) < PLAIN_BYTES:
        raise ValueError(CUT)
    tag, channels, rate_hz, _, frame_bytes, bits = struct.unpack_from("<HHIIHH", content)
    if tag == EXTENSIBLE:
        tag = int.from_bytes(content[24:26], "little")
    if tag not in (PCM, FLOAT):
        raise ValueError(f"is not a plain WAV file (its format is {tag}): save it again as PCM")
    if channels not in (1, 2):
        raise ValueError(f"has {channels} channels: save it with one or two")
    if rate_hz not in RATES_HZ:
        raise ValueError(f"has {rate_hz} samples per second: save it with 4000 to 384000")
    kind = Format(tag, channels, rate_hz, frame_bytes, bits)
    if kind.width not in WIDTHS[tag] or frame_bytes % channels or not 0 < bits <= 8 * kind.width:
        raise ValueError(f"has {bits} bits per sample: save it with 16, 24 or 32")
    return kind


def _exactly(file: BinaryIO, count: int) -> bytes:
    content = file.read(count)
    if len(content) < count:
        raise ValueError(CUT)
    return content


def _whole_numbers(samples: bytes, kind: Literal["f", "d"]) -> bytes:
    """Return the samples s16le. Those beyond full scale are clipped, and those that are no number are silent."""
    values = array.array(kind, samples)
    if sys.byteorder == "big":
        values.byteswap()
    whole = array.array("h", (int(32767 * max(-1.0, min(1.0, value))) if value == value else 0 for value in values))
    if sys.byteorder == "big":
        whole.byteswap()
    return whole.tobytes()


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
