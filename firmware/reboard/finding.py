"""The findings of ``reboard doctor`` and ``reboard check``, and functions that format text."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from reboard.record import Record


class Level(StrEnum):
    """The severity of a finding."""

    FINE = "fine"
    NOTE = "note"
    """A hint: the table works anyway."""
    WRONG = "wrong"
    """A fault: something does not work or is not safe."""


class Finding(Record):
    """A result of a check.

    *name*, such as ``display.address``, is for scripts and does not change between versions. *what* describes the
    result in full sentences, and *do* the remedy. Without a remedy, *do* is ``""``.
    """

    name: str
    level: Level
    what: str
    do: str = ""

    @property
    def area(self) -> str:
        """The part of the name before the first dot, such as ``display``."""
        return self.name.partition(".")[0]

    def as_json(self) -> dict[str, str]:
        """Return the finding as a JSON-serializable dictionary."""
        return {"area": self.area, "name": self.name, "level": self.level, "what": self.what, "do": self.do}


def fine(name: str, what: str) -> Finding:
    """Return a finding of the level ``fine``."""
    return Finding(name, Level.FINE, what)


def note(name: str, what: str, do: str = "") -> Finding:
    """Return a finding of the level ``note``: a hint, with the remedy *do*."""
    return Finding(name, Level.NOTE, what, do)


def wrong(name: str, what: str, do: str = "") -> Finding:
    """Return a finding of the level ``wrong``: a fault, with the remedy *do*."""
    return Finding(name, Level.WRONG, what, do)


def sentence(words: object) -> str:
    """Return *words* with a capital first letter. Add a full stop unless the text ends with one or with ``?``."""
    text = str(words)
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '?')) else '.'}"


MOST_DIGITS = 6


def apart(value: float, limit: float, digits: int) -> str:
    """Return *value* with *digits* decimals, or with up to 5 if it would otherwise look equal to *limit*."""
    wanted = next((more for more in range(digits, MOST_DIGITS) if round(value, more) != round(limit, more)), digits)
    return f"{value:.{wanted}f}"


def all_of(words: Sequence[str], last: str = "and") -> str:
    """Return *words* as an English list, with *last* before the last one: ``a``, ``a and b``, ``a, b and c``."""
    return f" {last} ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))
