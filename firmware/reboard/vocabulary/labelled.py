"""Names that pages show in words."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import ClassVar, Self


class Labelled(str):
    """A name with its English *label* for pages, or ``""`` if it needs none there, and its *words* for commands.

    The subclasses of `Labels` declare them.
    """

    label: str
    words: str

    def __new__(cls, name: str, label: str = "", words: str = "") -> Self:
        made = super().__new__(cls, name)
        made.label, made.words = label, words or name
        return made


class Labels:
    """The base class of declared names, its *members*."""

    members: ClassVar[Sequence[Labelled]] = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.members = [each for each in vars(cls).values() if isinstance(each, Labelled)]


class LabelledNumbers(IntEnum):
    """The base class of declared numbers with names. Catalogues decline a label with a context, such as ``payer``."""

    @property
    def label(self) -> str:
        """The English words for pages: ``the pot`` for ``POT``."""
        return f"the {self.name.lower()}"
