"""The log of received messages that were ignored: anybody in the network can send any number of them."""

from __future__ import annotations

import logging
import time

GAP_S = 60.0
"""The shortest time between two lines about one kind of problem, in seconds."""

log = logging.getLogger(__name__)


class Seldom(logging.Filter):
    """Lets a line pass only if no line of its kind has passed for `GAP_S`."""

    def __init__(self) -> None:
        super().__init__()
        self._logged_at: dict[object, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether *record* passes."""
        now = time.monotonic()
        if now - self._logged_at.get(record.msg, -GAP_S) < GAP_S:
            return False
        self._logged_at[record.msg] = now
        return True


log.addFilter(Seldom())
