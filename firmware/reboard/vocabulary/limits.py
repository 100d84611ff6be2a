"""The limits and marks that the annotation of a field can have besides its type."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

LARGEST_WHOLE = 2**63 - 1
"""The largest whole number that the ledger and JSON messages can have."""


def check_order(least: float | None, most: float | None, limit: object) -> None:
    """Raise ``ValueError`` if nothing is within *limit*, because *least* is more than *most*."""
    if least is not None and most is not None and least > most:
        raise ValueError(f"{type(limit).__name__}: {least} is more than {most}, so no value is between them: swap them")


class Between:
    """Numbers from *least* to *most*, or above *least* if it *is_above*. ``None`` is no limit.

    Raises ``ValueError`` if no number is between them, as `Length` does.
    """

    fits = (int, float)

    def __init__(self, least: float | None, most: float | None, *, is_above: bool = False) -> None:
        check_order(least, most, self)
        self.least = least
        self.most = most
        self.is_above = is_above

    @property
    def words(self) -> str:
        """The limit in words, after ``a number``."""
        words = "" if self.least is None else f" {'above' if self.is_above else 'from'} {self.least}"
        return words if self.most is None else f"{words}{' and up' if self.is_above else ''} to {self.most}"

    def allows(self, value: float) -> bool:
        """Return whether *value* is between them. NaN is not, even without a limit."""
        is_enough = self.least is None or value > self.least or (value == self.least and not self.is_above)
        return is_enough and (self.most is None or value <= self.most) and value == value


class Length:
    """Texts of *least* to *most* characters, or lists with so many entries. ``None`` is no limit."""

    fits = (str, Sequence)

    def __init__(self, least: int, most: int | None = None) -> None:
        check_order(least, most, self)
        self.least = least
        self.most = most

    def words(self, unit: str) -> str:
        """Return the limit in words, after ``a string`` or ``a list``."""
        return "" if self.most is None else f" of {self.least} to {self.most}{unit}"

    def allows(self, value: Sequence[object]) -> bool:
        """Return whether *value* has so many characters or entries."""
        return self.least <= len(value) and (self.most is None or len(value) <= self.most)


class OneOf:
    """Texts that are one of the *names*."""

    fits = (str,)

    def __init__(self, *names: str) -> None:
        self.values = tuple(map(str, names))


class Matches:
    """Texts that match the whole of *pattern*, a regular expression that JSON schema has, too. *words* describes them.

    Without it, a text that is sent to the table must be printable. Half a character (a lone surrogate) never matches.
    """

    fits: tuple[type, ...] = (str,)

    def __init__(self, pattern: str, words: str) -> None:
        self.pattern = pattern
        self.words = words

    def allows(self, value: str) -> bool:
        """Return whether *value* matches."""
        return bool(re.fullmatch(self.pattern, value)) and not re.search("[\ud800-\udfff]", value)


class Keys(Matches):
    """The keys of an object: texts that match *pattern*."""

    fits = (Mapping,)


class Local:
    """The mark of a field of the state that never leaves the table over MQTT."""


LOCAL = Local()


class Sensor:
    """The mark of a field that smart homes show as an entity with the English *name*.

    *key* identifies the entity within the accessory: 1 to 32 of a-z, 0-9 and ``_``. *settings* are those of Home
    Assistant, such as ``icon``. The field belongs to the state or to a shared event, which then is an event there, too.
    """

    def __init__(self, key: str, name: str, **settings: str) -> None:
        self.key = key
        self.name = name
        self.settings = settings
