"""Louder or softer without a click."""

from __future__ import annotations

import array
import sys


def ramped(samples: bytes, from_gain: float, to_gain: float) -> bytes:
    """The s16le *samples* times a gain that moves evenly between two gains of 0 to 1."""
    values = array.array("h", samples)
    if sys.byteorder == "big":
        values.byteswap()
    step = (to_gain - from_gain) / max(1, len(values))
    for i, value in enumerate(values):
        values[i] = int(value * (from_gain + step * i))
    if sys.byteorder == "big":
        values.byteswap()
    return values.tobytes()
