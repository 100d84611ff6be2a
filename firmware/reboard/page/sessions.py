"""Which browsers are the host's: known by what only they and this process know."""

from __future__ import annotations

import secrets
from collections.abc import Callable

TOKEN_BYTES = 32
LONGEST_S = 12 * 3600
"""An evening and the night after it."""
MOST = 16


class Sessions:
    """The host's sessions, each known by its token; *clock* tells seconds. They end with this process at the latest."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._ends: dict[str, float] = {}

    def begin(self) -> str:
        """The token of a new session. When there are `MOST` the oldest ends."""
        self._drop_ended()
        if len(self._ends) >= MOST:
            del self._ends[next(iter(self._ends))]
        token = secrets.token_urlsafe(TOKEN_BYTES)
        self._ends[token] = self._clock() + LONGEST_S
        return token

    def has(self, token: str) -> bool:
        """Whether *token* is that of a session that goes on."""
        self._drop_ended()
        return token in self._ends

    def end(self, token: str) -> None:
        """End that session, if there is one."""
        self._ends.pop(token, None)

    def _drop_ended(self) -> None:
        now = self._clock()
        self._ends = {token: ends for token, ends in self._ends.items() if ends > now}
