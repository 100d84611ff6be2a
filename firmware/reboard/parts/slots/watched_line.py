"""What a reader is plugged into: a line that may be pulled out and put back at any time."""

from __future__ import annotations

import asyncio
import logging
import termios
from collections.abc import Callable, Mapping
from typing import Generic, Protocol, TypeVar

log = logging.getLogger(__name__)

RETRY_S = 0.5
"""How often a lost line is looked for: often enough to work again within two seconds, seldom enough to cost nothing."""

AT_ONCE = 256
"""At most this many bytes are read before the loop gets its turn again."""

# pyserial lets its terminal calls fail in their own way when the line goes while it is being opened or closed
LINE_ERRORS = (OSError, termios.error)


class Line(Protocol):
    """What can be watched."""

    def fileno(self) -> int:
        """What an event loop can watch."""

    def read(self, size: int, /) -> bytes:
        """At most *size* bytes of what is there, without waiting."""

    def close(self) -> None:
        """Give it back."""


L = TypeVar("L", bound=Line)


class WatchedLine(Generic[L]):
    """Hands on what comes in on a line, and takes the line up again when it was lost.

    *place* is the device file. *open_line* opens it; *causes* tells what to say of the error numbers with which that
    fails. The other three are called on the loop: *received* with what was read, never with nothing; *lost* with the
    cause, once for each time that the line goes away or is not there at the start; *opened* each time it can be used
    from now on. The loop watches the line; nothing polls it.
    """

    def __init__(
        self,
        place: str,
        open_line: Callable[[], L],
        *,
        causes: Mapping[int, str],
        received: Callable[[bytes], None],
        opened: Callable[[], object],
        lost: Callable[[str], object],
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._place = place
        self._open_line = open_line
        self._causes = causes
        self._received = received
        self._opened = opened
        self._lost = lost
        self._line: L | None = None
        self._retry: asyncio.TimerHandle | None = None
        self._is_lost = False

    def start(self) -> None:
        """Open the line, or begin to look for it."""
        try:
            self._line = self._open_line()
            self._loop.add_reader(self._line.fileno(), self._read, self._line)
        except LINE_ERRORS as error:
            reason = self._causes.get(error.args[0]) if error.args else None
            self._look_again(f"the line {self._place} {reason or f'cannot be opened: {error}'}")
            return
        self._is_lost = False
        self._opened()

    def close(self) -> None:
        """Give the line back and look for it no more. May be called twice."""
        self._drop_line()
        if self._retry is not None:
            self._retry.cancel()
            self._retry = None

    def _read(self, line: L) -> None:
        try:
            data = line.read(AT_ONCE)
        except LINE_ERRORS:
            data = b""
        if data:
            self._received(data)
        else:  # a line that is ready and has nothing has hung up, and would be ready for ever
            self._hung_up()

    def _hung_up(self) -> None:
        self._look_again(f"the reader on {self._place} went away: look at its plug and its wires")

    def _look_again(self, cause: str) -> None:
        self._drop_line()
        self._retry = self._loop.call_later(RETRY_S, self.start)
        if not self._is_lost:  # what is pulled out "went away", and then "is not there"
            self._is_lost = True
            self._lost(cause)

    def _drop_line(self) -> None:
        line, self._line = self._line, None
        if line is None:
            return
        try:
            self._loop.remove_reader(line.fileno())
            line.close()
        except LINE_ERRORS as error:
            log.warning("the line %s could not be closed: %s", self._place, error)
