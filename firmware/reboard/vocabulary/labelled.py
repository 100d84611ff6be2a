"""Names that pages show in words."""

from __future__ import annotations

from typing import Self


class Labelled(str):
    """A name with its English *label* for pages, or ``""`` if it needs none there, and its *words* for commands.

    An enumeration of it declares them: ``class Reason(Labelled, ReprEnum)``.
    """

    label: str
    words: str

    def __new__(cls, name: str, label: str = "", words: str = "") -> Self:
        made = super().__new__(cls, name)
        made.label, made.words = label, words or name
        return made
