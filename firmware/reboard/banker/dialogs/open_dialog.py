"""The dialog that is open at the unit, if one is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from reboard.banker.dialogs.dialog import Dialog


class OpenDialog:
    """Keeps a dialog open until it is done, or until its patience ends; then *left_alone* is called."""

    def __init__(self, left_alone: Callable[[], None]) -> None:
        self._left_alone = left_alone
        self._ends: asyncio.TimerHandle | None = None
        self.now: Dialog | None = None

    def go_on(self, dialog: Dialog | None) -> None:
        """This one is open from now on, or none."""
        self.now = dialog
        self.touched()

    def touched(self) -> None:
        """Somebody is there."""
        if self._ends is not None:
            self._ends.cancel()
        if self.now:
            self._ends = asyncio.get_running_loop().call_later(self.now.patience_s, self._over)

    def _over(self) -> None:
        self.go_on(None)
        self._left_alone()
