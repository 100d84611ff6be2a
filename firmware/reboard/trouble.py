"""What is wrong with one part, told when it begins, changes and ends."""

from __future__ import annotations

from reboard.events import Emit


class Trouble:
    """Tells ``fault`` and ``recovered`` of *part*, each state once; `cause` is what was told last."""

    def __init__(self, part: str, emit: Emit) -> None:
        self.cause: str | None = None
        self._part = part
        self._emit = emit

    def tell(self, cause: str | None) -> bool:
        """It is at fault because of *cause*, or well (``None``). Returns whether that was news, and so was told."""
        if cause == self.cause:
            return False
        self.cause = cause
        if cause is None:
            self._emit("recovered", part=self._part)
        else:
            self._emit("fault", part=self._part, cause=cause)
        return True
