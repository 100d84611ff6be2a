"""The base class of the controllers of virtual displays."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable


class DisplayChip(ABC):
    """The controller of a display and its screen, without power at first. Thread-safe.

    The thread that writes calls the listeners in `on_change` when the screen may have changed.
    """

    has_power: bool
    is_on: bool

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self.on_change: list[Callable[[], None]] = []
        self._is_readable = True
        self.power(False)

    @abstractmethod
    def power(self, on: bool) -> None:
        """Switch the power on or off. The display is off then."""

    def dip(self) -> None:
        """Cut the power for a moment."""
        if self.has_power:
            self.power(False)
            self.power(True)

    def blank(self, on: bool) -> None:
        """Make the screen empty for the user, or readable again."""
        self._is_readable = not on
        self.changed()

    def changed(self) -> None:
        """Call the listeners in `on_change`."""
        for listener in tuple(self.on_change):
            listener()
