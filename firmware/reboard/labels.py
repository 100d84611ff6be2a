"""Declared names that users read in words: reasons, outcomes, rejections."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Any, ClassVar, Self


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


class OutcomeKind(Labelled):
    """The name of an outcome of an accessory, with its English *label* for pages, by default the name.

    If it *is_booked*, the bank can book it by the amount in ``[outcomes.<accessory>]`` of the edition.
    """

    is_booked: bool

    def __new__(cls, name: str, label: str = "", *, is_booked: bool = True) -> Self:
        made = super().__new__(cls, name, label or name)
        made.is_booked = is_booked
        return made


class Labels:
    """The base class of declared names, its *members*. An enumeration of forty would cost 0.4 ms of each start."""

    members: ClassVar[Sequence[Any]] = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        names = {name: each for name, each in vars(cls).items() if not name.startswith("_")}
        for name, each in names.items():
            if not isinstance(each, Labelled):
                example = f"`{name} = OutcomeKind(…)` or `Why(…)`"
                raise TypeError(f"{cls.__name__}.{name} is {each!r:.100}: write {example} with a text for users")
        cls.members = [*names.values()]


class LabelledNumbers(IntEnum):
    """The base class of declared numbers with names. Catalogues decline a label with a context, such as ``payer``."""

    @property
    def label(self) -> str:
        """The English words for pages: ``the pot`` for ``POT``."""
        return f"the {self.name.lower()}"
