"""No sound at all: for a table that wants none, and for a machine that has nothing to make it with."""

from __future__ import annotations

from reboard.board import Pull, Report


class SilentSink:
    """A sink that never pulls. *missing* says what would have to be installed for sound, and is reported once."""

    def __init__(self, missing: str | None = None) -> None:
        self._missing = missing

    @property
    def description(self) -> str:
        """That there is none."""
        return "no sound device"

    def start(self, pull: Pull, report: Report) -> None:
        """Report what is missing."""
        if self._missing:
            report(self._missing)

    def wake(self) -> None:
        """Nothing happens."""

    def close(self) -> None:
        """Nothing happens."""
