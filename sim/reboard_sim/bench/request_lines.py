"""The lines of a play that somebody sends to be done, and what is not taken."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reboard.web.json_body import BadRequest

MOST_LINES = 200
"""What one request may ask to be done."""

LONGEST_HAND = 60


def lines_in(asked: Mapping[str, Any], most: int = MOST_LINES) -> list[str]:
    """The lines of ``{"lines": [...]}``. Raises `BadRequest`."""
    lines = asked.get("lines")
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        raise BadRequest('send {"lines": ["press block", …]}: a list of lines of a play')
    if len(lines) > most:
        raise BadRequest(f"at most {most} lines at a time, these are {len(lines)}", 413)
    return lines


def hand_in(asked: Mapping[str, Any]) -> str:
    """Which hand is to do it, ``""`` when that is not said. Raises `BadRequest`."""
    hand = asked.get("hand", "")
    if not isinstance(hand, str) or len(hand) > LONGEST_HAND:
        raise BadRequest(f"hand is a name of at most {LONGEST_HAND} characters")
    return hand
