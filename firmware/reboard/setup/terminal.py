"""Standard input and output as a terminal, without ever making anybody wait."""

from __future__ import annotations

import asyncio
import os
import threading
from contextlib import suppress

from reboard.setup.talk import Quit

STDIN = 0
LONGEST_LINE_BYTES = 1000
"""Nobody types a longer answer; what comes without an end is cut."""


class StandardTerminal:
    """This process's own `reboard.setup.talk.Terminal`.

    A thread reads, past ``sys.stdin``, whose lock it would still hold when the interpreter ends: nobody can call a read
    off, and it is left behind.
    """

    def __init__(self) -> None:
        self._lines: asyncio.Queue[bytes] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, name="terminal", daemon=True).start()

    def say(self, text: str, *, end: str = "\n") -> None:
        """Show *text*."""
        print(text, end=end, flush=True)

    async def line(self) -> str:
        """The next line that is typed. Raises `Quit` when there will be none."""
        line = await self._lines.get()
        if not line:
            raise Quit
        return line.decode(errors="replace").rstrip("\r\n")

    def _read(self) -> None:
        pending = b""
        while data := _read_some():
            *lines, pending = (pending + data)[-LONGEST_LINE_BYTES:].split(b"\n")
            for line in lines:
                self._hand_over(line + b"\n")
        self._hand_over(b"")

    def _hand_over(self, line: bytes) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody asks any more
            self._loop.call_soon_threadsafe(self._lines.put_nowait, line)


def _read_some() -> bytes:
    try:
        return os.read(STDIN, LONGEST_LINE_BYTES)
    except OSError:  # closed, or its window is
        return b""
