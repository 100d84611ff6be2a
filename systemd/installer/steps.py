"""Steps of a plan: each describes itself, is confirmed, and can be repeated."""

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
    """One step: *what* it does, in words that begin a sentence, and *why*, if that is not plain.

    The user may decline a step that *may_be_left_out*.
    """

    what: str
    do: Callable[[], None]
    is_done: Callable[[], bool] = _never
    why: str = ""
    may_be_left_out: bool = False


class Confirmation(Protocol):
    """The decision about each step."""

    def agrees(self, step: Step) -> bool:
        """Return whether to do *step*."""


class AskUser:
    """The user at the terminal confirms each step."""

    def agrees(self, step: Step) -> bool:
        """Ask the user. Enter is yes; the end of the input is no."""
        print(step.what + "." + (f"\n  {step.why}" if step.why else ""))
        while True:
            print("  Continue? [Y/n] ", end="", flush=True)
            answer = sys.stdin.readline()
            if not answer:
                return False
            match answer.strip().lower():
                case "" | "y" | "yes":
                    return True
                case "n" | "no":
                    return False


class YesToAll:
    """Every step is confirmed."""

    def agrees(self, step: Step) -> bool:
        """Print the step."""
        print(step.what + ".", flush=True)
        return True


def carry_out(steps: Iterable[Step], confirmation: Confirmation) -> None:
    """Do each step that is not done. Raises `InstallError` if one fails, or if a necessary one is declined."""
    for step in steps:
        if step.is_done():
            continue
        if confirmation.agrees(step):
            step.do()
        elif not step.may_be_left_out:
            raise InstallError("this step is necessary. The steps done so far are kept. Start again to continue")


def describe(steps: Iterable[Step]) -> None:
    """Print the steps, and do nothing."""
    for number, step in enumerate(steps, start=1):
        state = " (already done)" if step.is_done() else ""
        print(f"{number:2}. {step.what}{state}")
        if step.why and not state:
            print(f"    {step.why}")
