"""How long to wait between one try and the next."""

from __future__ import annotations


class Pauses:
    """Pauses that double from *first_s* to *longest_s* seconds."""

    def __init__(self, first_s: float, longest_s: float) -> None:
        self._first_s = first_s
        self._longest_s = longest_s
        self._next_s = first_s

    def next(self) -> float:
        """The pause before the next try, in seconds."""
        pause_s = self._next_s
        self._next_s = min(2 * pause_s, self._longest_s)
        return pause_s

    def reset(self) -> None:
        """It went well: the next pause is the first again."""
        self._next_s = self._first_s
