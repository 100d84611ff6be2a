"""Questions and answers at a terminal."""

from __future__ import annotations

import asyncio
import os
import shutil
import textwrap
import threading
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from typing import Any, Protocol, TypeVar

T = TypeVar("T")

WIDEST = 80
HOW_TO_ANSWER = (
    "Press Enter for the answer in [brackets]. Type s to skip a device, b to go back, or q to quit without saving."
)


class Back(Exception):  # noqa: N818 - an answer, not an error
    """The answer ``b``: the user goes back to the previous step that asked a question."""


class Skip(Exception):  # noqa: N818 - an answer, not an error
    """The answer ``s``: the user skips the current step, and its settings do not change."""


class Quit(Exception):  # noqa: N818 - an answer, not an error
    """The answer ``q``, or the end of input: setup stops without writing the config."""


class Terminal(Protocol):
    """A terminal that prints text and reads lines."""

    def say(self, text: str, *, end: str = "\n") -> None:
        """Print *text*."""

    async def line(self) -> str:
        """Return the next typed line. A cancelled call loses no line. Raises `Quit` at the end of input."""


class Prompts:
    """A dialogue with the user at a terminal. *questions* is the number of questions asked so far.

    The answers ``s``, ``b`` and ``q`` raise `Skip`, `Back` and `Quit`.
    """

    def __init__(self, terminal: Terminal) -> None:
        self.questions = 0
        self._terminal = terminal

    def say(self, text: str = "") -> None:
        """Print *text* as one paragraph, wrapped to the width of the terminal."""
        self._terminal.say(filled(text))

    def show(self, text: str) -> None:
        """Print *text* without changing its line breaks."""
        self._terminal.say(text)

    async def ask(self, question: str, default: str = "") -> str:
        """Ask *question* and return the answer, or *default* for an empty line."""
        self.questions += 1
        shown = f" [{default}]" if default else ""
        self._terminal.say(filled(f"{question}{shown} "), end=" ")
        answer = (await self._terminal.line()).strip()
        raise_if_command(answer)
        return answer or default

    async def yes(self, question: str, default: bool = True) -> bool:
        """Ask *question* and return whether the answer is yes. An empty line means *default*."""
        while True:
            answer = (await self.ask(f"{question} y or n?", "y" if default else "n")).lower()
            if answer in ("y", "yes", "n", "no"):
                return answer.startswith("y")
            self.say("Answer y or n.")

    async def choose(self, question: str, choices: Mapping[str, str], default: str) -> str:
        """Print numbered *choices*, ask *question*, and return the chosen name. The user types a number or a name."""
        names = list(choices)
        width = max(map(len, names))
        for number, (name, what) in enumerate(choices.items(), start=1):
            self.show(f"  {number}  {name:<{width}}  {what}")
        while True:
            answer = await self.ask(question, default)
            if answer.isdecimal() and 1 <= int(answer) <= len(names):
                return names[int(answer) - 1]
            if answer in names:
                return answer
            self.say(f"Type a number from 1 to {len(names)}.")

    async def until(self, instruction: str, happens: Coroutine[Any, Any, T]) -> T | None:
        """Print *instruction*, run *happens* and return its result, or ``None`` if the user presses Enter first."""
        self.say(instruction)
        happening = asyncio.ensure_future(happens)
        typing = asyncio.ensure_future(self._terminal.line())
        try:
            await asyncio.wait({happening, typing}, return_when=asyncio.FIRST_COMPLETED)
            if happening.done():
                return happening.result()
            raise_if_command(typing.result().strip())
            return None
        finally:
            for task in (happening, typing):
                task.cancel()
            await asyncio.gather(happening, typing, return_exceptions=True)


def raise_if_command(answer: str) -> None:
    """Raise `Back`, `Skip` or `Quit` if *answer* is one of these commands."""
    exceptions: dict[str, Callable[[], Exception]] = {
        "b": Back,
        "back": Back,
        "s": Skip,
        "skip": Skip,
        "q": Quit,
        "quit": Quit,
    }
    if exception := exceptions.get(answer.lower()):
        raise exception()


def filled(text: str) -> str:
    """Return *text* wrapped to the width of the terminal, at most `WIDEST` columns."""
    width = min(shutil.get_terminal_size().columns, WIDEST) - 1
    return textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)


STDIN = 0
LONGEST_LINE_BYTES = 1000
"""The maximum length of an input line, in bytes. Only the end of a longer line is kept."""


class StandardTerminal:
    """The terminal on standard input and standard output.

    A daemon thread reads the input, because a read cannot be cancelled. It does not use ``sys.stdin``, because a
    blocked read would hold the lock of ``sys.stdin`` when the interpreter exits.
    """

    def __init__(self) -> None:
        self._lines: asyncio.Queue[bytes] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, name="terminal", daemon=True).start()

    def say(self, text: str, *, end: str = "\n") -> None:
        """Print *text*."""
        print(text, end=end, flush=True)

    async def line(self) -> str:
        """Return the next typed line. Raises `Quit` at the end of input."""
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
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._lines.put_nowait, line)


def _read_some() -> bytes:
    try:
        return os.read(STDIN, LONGEST_LINE_BYTES)
    except OSError:  # closed
        return b""
