"""What a look at something finds: one thing that is the case, how bad it is, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How bad it is."""

    FINE = "fine"
    NOTE = "note"
    """Worth knowing; the table plays."""
    WRONG = "wrong"
    """Something does not work, or is not safe."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is the case.

    *name* is for scripts and stays what it is from version to version: ``display.address``. *what* is a sentence, and
    *do* one with what to type, or ``""``.
    """

    name: str
    level: Level
    what: str
    do: str = ""

    @property
    def area(self) -> str:
        """What it is about: ``display``."""
        return self.name.partition(".")[0]

    def as_json(self) -> dict[str, str]:
        """Fit for JSON."""
        return {"area": self.area, "name": self.name, "level": self.level, "what": self.what, "do": self.do}


def fine(name: str, what: str) -> Finding:
    """Something that is as it should be."""
    return Finding(name, Level.FINE, what)


def note(name: str, what: str, do: str = "") -> Finding:
    """Something that is worth knowing."""
    return Finding(name, Level.NOTE, what, do)


def wrong(name: str, what: str, do: str = "") -> Finding:
    """Something that has to be mended."""
    return Finding(name, Level.WRONG, what, do)


def sentence(words: object) -> str:
    """*words*, which may be an error's, with a capital letter and a full stop."""
    text = str(words)
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '?')) else '.'}"
