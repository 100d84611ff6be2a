"""The findings of ``reboard doctor`` and ``reboard check``, and functions that format their text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """The severity of a finding."""

    FINE = "fine"
    NOTE = "note"
    """A hint. The table works."""
    WRONG = "wrong"
    """A fault: something does not work or is not safe."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A result of a check.

    *name* is for scripts and does not change between versions: ``display.address``. *what* is a sentence. *do* is a
    sentence with the remedy, or ``""``.
    """

    name: str
    level: Level
    what: str
    do: str = ""

    @property
    def area(self) -> str:
        """The first part of the finding's name: ``display``."""
        return self.name.partition(".")[0]

    def as_json(self) -> dict[str, str]:
        """Return the finding as JSON."""
        return {"area": self.area, "name": self.name, "level": self.level, "what": self.what, "do": self.do}


def fine(name: str, what: str) -> Finding:
    """Return a finding without a fault."""
    return Finding(name, Level.FINE, what)


def note(name: str, what: str, do: str = "") -> Finding:
    """Return a finding with a hint."""
    return Finding(name, Level.NOTE, what, do)


def wrong(name: str, what: str, do: str = "") -> Finding:
    """Return a finding with a fault, which needs a repair."""
    return Finding(name, Level.WRONG, what, do)


def sentence(words: object) -> str:
    """Return *words*, or the text of an error, with a capital letter and a full stop."""
    text = str(words)
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '?')) else '.'}"


MOST_DIGITS = 6


def apart(value: float, limit: float, digits: int) -> str:
    """Return *value* as text with *digits* decimals, or with more if it would look equal to its *limit*."""
    wanted = next((more for more in range(digits, MOST_DIGITS) if round(value, more) != round(limit, more)), digits)
    return f"{value:.{wanted}f}"


def all_of(words: Sequence[str]) -> str:
    """Return *words* as an English list: ``a``, ``a and b``, ``a, b and c``."""
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))
