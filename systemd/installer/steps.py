"""A plan is a list of steps. Each says what it does, is asked about, and can be done again without harm."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from installer.target import InstallError


def _never() -> bool:
    return False


@dataclass(frozen=True)
class Step:
    """*what* is to be done, in words that begin a sentence, and *why*, where that is not plain.

    A step that *may be left out* is one that the others do without.
    """

    what: str
    do: Callable[[], None]
    is_done: Callable[[], bool] = _never
    why: str = ""
    may_be_left_out: bool = False


class Asking(Protocol):
    """Whoever decides about a step."""

    def agrees(self, step: Step) -> bool:
        """Whether *step* shall be done."""


class Person:
    """Somebody at a terminal."""

    def agrees(self, step: Step) -> bool:
        """Ask. Enter is yes; no answer at all is no."""
        print(step.what + "." + (f"\n  {step.why}" if step.why else ""))
        while True:
            print("  Shall I? [Y/n] ", end="", flush=True)
            answer = sys.stdin.readline()
            if not answer:
                return False
            match answer.strip().lower():
                case "" | "y" | "yes":
                    return True
                case "n" | "no":
                    return False


class Agreed:
    """Somebody who has said yes to everything beforehand."""

    def agrees(self, step: Step) -> bool:
        """Say what is done."""
        print(step.what + ".", flush=True)
        return True


def carry_out(steps: Iterable[Step], asking: Asking) -> None:
    """Do what is not done yet, step by step. Raises `InstallError` where one fails, or is needed and was declined."""
    for step in steps:
        if step.is_done():
            continue
        if asking.agrees(step):
            step.do()
        elif not step.may_be_left_out:
            raise InstallError("without that it cannot go on. What was done so far is kept; come back when you like")


def describe(steps: Iterable[Step]) -> None:
    """Print what would be done, and do nothing."""
    for number, step in enumerate(steps, start=1):
        state = " (is so already)" if step.is_done() else ""
        print(f"{number:2}. {step.what}{state}")
        if step.why and not state:
            print(f"    {step.why}")
