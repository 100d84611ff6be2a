"""The functions of ``audioop`` that a table and a program need. Its C module is not available in WebAssembly.

Each gives the same bytes as the C module. A width is the bytes of a sample. Where it is not named, it is 2.
"""

from __future__ import annotations

import operator
from array import array
from collections.abc import Iterable
from math import floor, gcd

LEAST, MOST = -0x8000, 0x7FFF

State = tuple[int, tuple[tuple[int, int]]]
"""Where `ratecv` is between two samples, and these."""


class error(Exception):  # noqa: N801, N818 - its name in audioop
    """The error of ``audioop``, which is never raised here."""


def add(one: bytes, other: bytes, _width: int) -> bytes:
    """Return the sums of the samples, clipped."""
    if not any(one):
        return other
    if not any(other):
        return one
    return _clipped([*map(operator.add, _samples(one), _samples(other))])


def mul(fragment: bytes, _width: int, factor: float) -> bytes:
    """Return the samples times *factor*, rounded down and clipped."""
    if factor == 1 or not any(fragment):
        return fragment
    return _clipped([*map(floor, map(float(factor).__mul__, _samples(fragment)))])


def minmax(fragment: bytes, _width: int) -> tuple[int, int]:
    """Return the least and the largest sample."""
    samples = _samples(fragment)
    return (min(samples), max(samples)) if samples else (0, 0)


def bias(fragment: bytes, _width: int, bias: int) -> bytes:
    """Return the samples of one byte plus *bias*, which wrap around."""
    return bytes((sample + bias) % 0x100 for sample in fragment)


def tomono(fragment: bytes, width: int, left: float, right: float) -> bytes:
    """Return the sums of the samples of two channels times *left* and *right*, rounded down and clipped."""
    samples = _wide_samples(fragment, width)
    most = 1 << 8 * width - 1
    mixed = (
        floor(max(-most, min(most - 1, one * left + other * right)))
        for one, other in zip(samples[::2], samples[1::2], strict=True)
    )
    return b"".join(sample.to_bytes(width, "little", signed=True) for sample in mixed)


def lin2lin(fragment: bytes, width: int, new_width: int) -> bytes:
    """Return the samples with *new_width* bytes each."""
    low = max(0, new_width - width)
    return b"".join((b"\0" * low + fragment[at : at + width])[-new_width:] for at in range(0, len(fragment), width))


def ratecv(
    fragment: bytes, _width: int, _channels: int, rate_hz: int, new_rate_hz: int, state: State | None
) -> tuple[bytes, State]:
    """Return the samples of one channel at *new_rate_hz*, with values between theirs, and the state for the next."""
    common = gcd(rate_hz, new_rate_hz)
    step, new_step = rate_hz // common, new_rate_hz // common
    ahead, ((before, now),) = state or (-new_step, ((0, 0),))
    made = array("h")
    for sample in _samples(fragment):
        before, now = now, sample << 16
        ahead += new_step
        while ahead >= 0:
            made.append(int((float(before) * ahead + float(now) * (new_step - ahead)) / new_step) >> 16)
            ahead -= step
    return made.tobytes(), (ahead, ((before, now),))


def _samples(fragment: bytes) -> array[int]:
    return array("h", bytes(fragment))


def _wide_samples(fragment: bytes, width: int) -> list[int]:
    places = range(0, len(fragment), width)
    return [int.from_bytes(fragment[at : at + width], "little", signed=True) for at in places]


def _clipped(samples: Iterable[int]) -> bytes:
    try:
        return array("h", samples).tobytes()
    except OverflowError:
        return array("h", (max(LEAST, min(MOST, sample)) for sample in samples)).tobytes()
