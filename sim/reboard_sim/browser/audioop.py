"""The functions of ``audioop`` that a table needs. Its C module is not available in WebAssembly.

Each takes and returns s16le samples, and gives the same bytes as the C module.
"""

from __future__ import annotations

import operator
from array import array
from collections.abc import Iterable
from math import floor

LEAST, MOST = -0x8000, 0x7FFF


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


def _samples(fragment: bytes) -> array[int]:
    return array("h", bytes(fragment))


def _clipped(samples: Iterable[int]) -> bytes:
    try:
        return array("h", samples).tobytes()
    except OverflowError:
        return array("h", (max(LEAST, min(MOST, sample)) for sample in samples)).tobytes()
