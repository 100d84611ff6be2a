"""Ears for the tests: how many attacks are in a recording, and where a sound that we know begins in it."""

from __future__ import annotations

import audioop
import math
from collections.abc import Iterator

from reboard.board import RATE_HZ, SAMPLE_BYTES

WINDOW_S = 0.005
RISE = 2.0
RISE_WINDOWS = 4
"""An attack makes it louder by `RISE` within so many windows."""

LOUD_ENOUGH = 0.1
"""An attack that counts is at least this loud, as a part of the recording's highest sample."""

LEAST_APART_S = 0.15
"""Attacks closer than this run together, as they do for a child that counts."""

FAINTEST = 0.01
START_S = 0.05
PATTERN_S = 0.3
"""So much of a sound's beginning is looked for. The same sound twice within it is heard once."""

ALIKE = 0.7
"""How alike, from 0 to 1, a stretch of the recording and the sound's beginning must be."""


def count_onsets(samples: bytes, rate: int = RATE_HZ) -> int:
    """How many attacks a listener counts in s16le *samples* of one channel."""
    count, last_s = 0, -math.inf
    for at_s in _rises(samples, rate, LOUD_ENOUGH):
        if at_s - last_s > LEAST_APART_S:
            count += 1
        last_s = at_s
    return count


def heard(sound: bytes, recording: bytes) -> list[float]:
    """The seconds at which *sound* begins in *recording*, at any volume, where its attack stands out.

    Both are s16le of one channel at `RATE_HZ`.
    """
    pattern = sound[: _size(PATTERN_S)]
    start = pattern[: _size(START_S)]
    margin = _size(RISE_WINDOWS * WINDOW_S)
    recording = bytes(margin) + recording + bytes(len(pattern) + margin)
    found: dict[int, float] = {}
    for at_s in _rises(recording, RATE_HZ, FAINTEST):
        first = max(0, _size(at_s) - margin)
        stretch = recording[first : first + margin + _size(WINDOW_S) + len(start)]
        offset, _ = audioop.findfit(stretch, start)
        place = first + offset * SAMPLE_BYTES
        likeness = _likeness(recording[place : place + len(pattern)], pattern)
        if likeness > ALIKE:
            found[place] = likeness
    best = [
        place
        for place, likeness in found.items()
        if all(likeness >= other for near, other in found.items() if abs(near - place) < len(pattern))
    ]
    return [(place - margin) / SAMPLE_BYTES / RATE_HZ for place in sorted(best)]


def _rises(samples: bytes, rate: int, faintest: float) -> Iterator[float]:
    size = round(WINDOW_S * rate) * SAMPLE_BYTES
    levels = [audioop.max(samples[i : i + size], SAMPLE_BYTES) for i in range(0, len(samples), size)]
    floor = max(1.0, faintest * max(levels, default=0))
    for i, level in enumerate(levels):
        if level >= floor and level > RISE * min(levels[max(0, i - RISE_WINDOWS) : i], default=0):
            yield i * WINDOW_S


def _likeness(piece: bytes, pattern: bytes) -> float:
    loudness = audioop.rms(piece, SAMPLE_BYTES)
    if loudness == 0:
        return 0.0
    return audioop.findfactor(piece, pattern) * audioop.rms(pattern, SAMPLE_BYTES) / loudness


def _size(seconds: float) -> int:
    return round(seconds * RATE_HZ) * SAMPLE_BYTES
