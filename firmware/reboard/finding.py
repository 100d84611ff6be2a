"""A finding of ``reboard doctor`` or ``reboard check``, and how to write lists and figures in one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """The severity of a finding."""

    FINE = "fine"
    NOTE = "note"
    """Worth knowing; the table works."""
    WRONG = "wrong"
    """Something does not work, or is not safe."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A result of a check.

    *name* is for scripts and does not change between versions: ``display.address``. *what* is a sentence; *do* is a
    sentence that says what to do, or ``""``.
    """

    name: str
    level: Level
    what: str
    do: str = ""

    @property
    def area(self) -> str:
        """The first part of its name: ``display``."""
        return self.name.partition(".")[0]

    def as_json(self) -> dict[str, str]:
        """Return it as JSON."""
        return {"area": self.area, "name": self.name, "level": self.level, "what": self.what, "do": self.do}


def fine(name: str, what: str) -> Finding:
    """Return a finding that all is well."""
    return Finding(name, Level.FINE, what)


def note(name: str, what: str, do: str = "") -> Finding:
    """Return a finding that is worth knowing."""
    return Finding(name, Level.NOTE, what, do)


def wrong(name: str, what: str, do: str = "") -> Finding:
    """Return a finding that has to be repaired."""
    return Finding(name, Level.WRONG, what, do)


def sentence(words: object) -> str:
    """Return *words*, or the text of an error, with a capital letter and a full stop."""
    text = str(words)
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '?')) else '.'}"


MOST_DIGITS = 6


def apart(value: float, limit: float, digits: int) -> str:
    """Return *value* with *digits* after the point, or with more if it would look equal to its *limit*."""
    wanted = next((more for more in range(digits, MOST_DIGITS) if round(value, more) != round(limit, more)), digits)
    return f"{value:.{wanted}f}"


def all_of(words: Sequence[str]) -> str:
    """Return *words* as a list: ``a``, ``a and b``, ``a, b and c``."""
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))
