"""Figures in sentences: one that is beyond a limit never reads as if it were that limit."""

from __future__ import annotations

MOST_DIGITS = 6


def apart(value: float, limit: float, digits: int) -> str:
    """*value* with so many *digits* after the point, or as many more as tell it from the *limit* that it misses."""
    wanted = next((more for more in range(digits, MOST_DIGITS) if round(value, more) != round(limit, more)), digits)
    return f"{value:.{wanted}f}"
