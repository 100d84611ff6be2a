"""The unit's face: what the display shows between two touches, and the notices that pass."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from reboard.banker.needs import Display

NOTICE_S = 2.0
"""How long a notice can be read, unless the next touch comes first."""

PATIENCE_S = 1.0
"""What takes longer than this is told to be waited for."""

Lines = tuple[str, str]


class Face:
    """Shows what *compose* makes of the notice that is to be read now (``""``: of none)."""

    def __init__(self, display: Display, compose: Callable[[str], Lines]) -> None:
        self._display = display
        self._compose = compose
        self._notice = ""
        self._waiting = ""
        self._ends: asyncio.TimerHandle | None = None

    @property
    def lines(self) -> Lines:
        """What it shows, or would show if it were awake."""
        return self._compose(self._waiting or self._notice)

    def draw(self) -> None:
        """Show what is the case now."""
        self._display.show(*self.lines)

    def say(self, notice: str) -> None:
        """Have *notice* read, from the next `draw` on."""
        self.hush()
        self._notice = notice
        self._ends = asyncio.get_running_loop().call_later(NOTICE_S, self._over)

    async def have_read(self, notice: str) -> None:
        """Show *notice* for as long as it takes to read, whatever is touched."""
        self.say(notice)
        self.draw()
        await asyncio.sleep(NOTICE_S)

    @contextmanager
    def waiting(self, notice: str) -> Iterator[None]:
        """Show *notice* when what is done meanwhile takes long, and until it is done."""

        def tell() -> None:
            self._waiting = notice
            self.draw()

        telling = asyncio.get_running_loop().call_later(PATIENCE_S, tell)
        try:
            yield
        finally:
            telling.cancel()
            self._waiting = ""

    def hush(self) -> None:
        """The notice has been read."""
        self._notice = ""
        if self._ends is not None:
            self._ends.cancel()

    def sleep_or_wake(self, asleep: bool) -> None:
        """Go dark, or show again what was shown last."""
        if asleep:
            self._display.sleep()
        else:
            self._display.wake()

    def _over(self) -> None:
        self.hush()
        self.draw()
