"""Questions and answers at a terminal, in lines: no more is needed over any connection."""

from __future__ import annotations

import asyncio
import shutil
import textwrap
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Protocol, TypeVar

T = TypeVar("T")

WIDEST = 80
HOW_TO_ANSWER = (
    "Enter takes what stands in [brackets]. s leaves a thing as it is, b goes back, q ends and writes nothing."
)


class Back(Exception):  # noqa: N818 - a way to go, not an error
    """Somebody wants the question before this one again."""


class Skip(Exception):  # noqa: N818 - a way to go, not an error
    """Somebody wants to leave this as it is."""


class Quit(Exception):  # noqa: N818 - a way to go, not an error
    """Somebody has had enough, or the terminal is gone: nothing is written."""


class Terminal(Protocol):
    """Where somebody reads and types."""

    def say(self, text: str, *, end: str = "\n") -> None:
        """Show *text*."""

    async def line(self) -> str:
        """The next line that is typed, without its end. Calling the wait off loses none. Raises `Quit` at the end."""


class Talk:
    """What is said and asked; *questions* counts. Any can be answered with ``s``, ``b`` or ``q``, which raise."""

    def __init__(self, terminal: Terminal) -> None:
        self.questions = 0
        self._terminal = terminal

    def say(self, text: str = "") -> None:
        """Say a paragraph, in lines that fit."""
        self._terminal.say(filled(text))

    def show(self, text: str) -> None:
        """Show *text* in the lines that it has."""
        self._terminal.say(text)

    async def ask(self, question: str, default: str = "") -> str:
        """What somebody answers to *question*, without blanks at its ends; *default* for an empty line."""
        self.questions += 1
        shown = f" [{default}]" if default else ""
        self._terminal.say(filled(f"{question}{shown} "), end=" ")
        answer = (await self._terminal.line()).strip()
        leave(answer)
        return answer or default

    async def yes(self, question: str, default: bool = True) -> bool:
        """Whether somebody says yes to *question*."""
        while True:
            answer = (await self.ask(f"{question} y or n?", "y" if default else "n")).lower()
            if answer in ("y", "yes", "n", "no"):
                return answer.startswith("y")
            self.say("That is neither y nor n.")

    async def choose(self, question: str, choices: Mapping[str, str], default: str) -> str:
        """Which of *choices* somebody wants, each with a word on what it is; by number or by name."""
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
            self.say(f"That is none of them: type a number from 1 to {len(names)}.")

    async def until(self, instruction: str, happens: Coroutine[Any, Any, T]) -> T | None:
        """Say *instruction* and wait until it *happens*, or (``None``) somebody presses Enter because it does not."""
        self.say(instruction)
        happening = asyncio.ensure_future(happens)
        typing = asyncio.ensure_future(self._terminal.line())
        try:
            await asyncio.wait({happening, typing}, return_when=asyncio.FIRST_COMPLETED)
            if happening.done():
                return happening.result()
            leave(typing.result().strip())
            return None
        finally:
            for task in (happening, typing):
                task.cancel()
            await asyncio.gather(happening, typing, return_exceptions=True)


def leave(answer: str) -> None:
    """Raise what *answer* says, if it is one of the three letters that any question takes."""
    ways: dict[str, Callable[[], Exception]] = {
        "b": Back,
        "back": Back,
        "s": Skip,
        "skip": Skip,
        "q": Quit,
        "quit": Quit,
    }
    if way := ways.get(answer.lower()):
        raise way()


def filled(text: str) -> str:
    """*text* in lines that fit the terminal."""
    width = min(shutil.get_terminal_size().columns, WIDEST) - 1
    return textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)
