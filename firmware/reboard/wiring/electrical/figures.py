"""Figures and lists in sentences: what is beyond a limit never reads as if it were that limit."""

from __future__ import annotations

from collections.abc import Sequence

MOST_DIGITS = 6


def apart(value: float, limit: float, digits: int) -> str:
    """*value* with so many *digits* after the point, or as many more as tell it from the *limit* that it misses."""
    wanted = next((more for more in range(digits, MOST_DIGITS) if round(value, more) != round(limit, more)), digits)
    return f"{value:.{wanted}f}"


def all_of(words: Sequence[str]) -> str:
    """*words* as a list: ``a``, ``a and b``, ``a, b and c``."""
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))
