"""The kinds of settings: readers that convert a TOML value to a number, a name, a list or a frozen dataclass.

A dataclass names the reader of each key: ``seconds: Annotated[float, Number(5, 120)] = 13.0``. A key without a default
is required. A key that the dataclass does not have is an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, fields, is_dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeGuard, TypeVar, cast, get_type_hints

from reboard.config.reading import KeyPath, Reader, Reading, Unreadable, called, did_you_mean, shown
from reboard.record import NO_DATACLASS, Record
from reboard.vocabulary.limits import check_order

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

LONGEST_TEXT = 200


def is_whole(value: object, low: int, high: int) -> TypeGuard[int]:
    """Return whether *value* is a whole number from *low* to *high*, and not a boolean."""
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


class Whole(Record):
    """A reader of whole numbers from *low* to *high*. Raises ``ValueError`` if none is between them."""

    low: int
    high: int

    def __post_init__(self) -> None:
        check_order(self.low, self.high, self)

    def __call__(self, reading: Reading, path: KeyPath, value: object, /) -> int:
        if not is_whole(value, self.low, self.high):
            raise reading.must_be(path, f"a whole number from {self.low} to {self.high}", value)
        return value


RESISTOR = Whole(0, 10_000_000)
"""The reader of a resistance in ohms. 0 means that the resistor is left out, or replaced by a wire."""


class Number(Record):
    """A reader of numbers from *low* to *high* in *unit*, with or without a fraction."""

    low: float
    high: float
    unit: str = ""

    def __post_init__(self) -> None:
        check_order(self.low, self.high, self)

    def __call__(self, reading: Reading, path: KeyPath, value: object, /) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not self.low <= value <= self.high:
            allowed = f"a number from {self.low:g} to {self.high:g} {self.unit}".rstrip()
            raise reading.must_be(path, allowed, value)
        return float(value)


PULL = re.compile("(^|_)pull(_?(up|down))?($|_)")
NO_PULL = "remove it. A switch connects its pin to ground, and the Pi's own pull-up is always on"
"""What to do with a setting or an argument for a pull resistor, which other software has."""


def flag(reading: Reading, path: KeyPath, value: object, /) -> bool:
    """Read a boolean."""
    if not isinstance(value, bool):
        raise reading.must_be(path, "true or false", value)
    return value


def text(reading: Reading, path: KeyPath, value: object, /) -> str:
    """Read a printable text of 1 to `LONGEST_TEXT` characters."""
    if not (isinstance(value, str) and 0 < len(value) <= LONGEST_TEXT and value.isprintable()):
        raise reading.must_be(path, f'a text in "quotes", one line of 1 to {LONGEST_TEXT} characters', value)
    return value


def file_path(reading: Reading, path: KeyPath, value: object, /) -> Path:
    """Read a path. A relative path is relative to the folder of the config file."""
    return reading.file.absolute().parent / text(reading, path, value)


class Choice:
    """A reader of one of several names. *otherwise* ends the message about another name that resembles none of them."""

    def __init__(self, *names: str, otherwise: str = "") -> None:
        self.names = names
        self.otherwise = otherwise

    def __call__(self, reading: Reading, path: KeyPath, value: object, /) -> str:
        if value not in self.names:
            allowed = " or ".join(f'"{name}"' for name in self.names)
            raise reading.must_be(path, allowed, value, did_you_mean(value, self.names) or self.otherwise)
        return str(value)


class Several(Generic[T]):
    """A reader of lists of *least* to *most* entries. *entry* reads each entry."""

    def __init__(self, entry: Reader[T], least: int, most: int) -> None:
        check_order(least, most, self)
        self.entry = entry
        self.least = least
        self.most = most

    def __call__(self, reading: Reading, path: KeyPath, value: object, /) -> tuple[T, ...]:
        if not isinstance(value, list) or not self.least <= len(value) <= self.most:
            count = f"{self.least}" if self.least == self.most else f"{self.least} to {self.most}"
            raise reading.must_be(path, f"a list of {count} entries", value)
        read: list[T] = []
        for index, entry in enumerate(value):
            try:
                read.append(self.entry(reading, (*path, index), entry))
            except Unreadable:
                continue
        if len(read) < len(value):
            raise Unreadable
        return tuple(read)


class Section(Generic[T_co]):
    """A reader that converts a TOML table to the dataclass *made*.

    *keys* maps each key to its reader. By default, the keys are the fields, whose annotations have the readers. With
    *keys*, *made* can also be ``dict``, which needs them all, or another class, which needs none of them. *given* has
    the values of fields that a file cannot set. If all known keys are valid, *then* checks the whole section. If
    the class raises a ``ValueError``, the error is reported as a problem with the whole section.
    """

    def __init__(
        self,
        made: type[T_co],
        keys: Mapping[str, Reader[object]] | None = None,
        *,
        then: Callable[[Reading, KeyPath, T_co], None] | None = None,
        **given: object,
    ) -> None:
        if issubclass(made, Record) and "__init__" in vars(made):
            raise TypeError(f"{made.__name__}: {NO_DATACLASS}")
        self.made = made
        self._keys = keys
        self._then = then
        self._given = given
        if not made.__module__.startswith("reboard."):
            self.keys  # noqa: B018 - it raises an exception for a mistake. Ours are tested, and a table reads few of them

    @cached_property
    def keys(self) -> Mapping[str, Reader[object]]:
        return self._keys or dict(_readers(self.made, self._given))

    @cached_property
    def needed(self) -> Sequence[str]:
        """The keys that a table must have."""
        of_class = fields(self.made) if is_dataclass(self.made) else ()
        without_default = (each for each in of_class if (each.default, each.default_factory) == (MISSING, MISSING))
        needed = self.keys if self.made is dict else {each.name for each in without_default}
        return [key for key in self.keys if key in needed]

    def __call__(self, reading: Reading, path: KeyPath, value: object, /) -> T_co:
        if not isinstance(value, dict):
            raise reading.must_be(path, f"a table with some of the keys {', '.join(self.keys)}", value)
        where = f"[{called(path)}]" if path else "the file"
        for key in value:
            if key not in self.keys:
                hint = did_you_mean(key, self.keys) or f": its keys are {', '.join(self.keys)}"
                hint = f": {NO_PULL}" if PULL.search(key) else hint
                if not path and (
                    of := [name for name, reader in self.keys.items() if key in (getattr(reader, "keys", None) or ())]
                ):
                    hint = f": write it below {' or '.join(f'[{name}]' for name in of)}"
                reading.wrong((*path, key), f"{where} has no key {shown(key)}{hint}")
        for key in self.needed:
            if key not in value:
                reading.wrong(path, f"{where} needs the key {shown(key)}")
        read = self._read(reading, path, value)
        if not read.keys() >= set(self.needed):
            raise Unreadable
        try:
            section = self.make(**self._given, **read)
        except ValueError as error:
            raise reading.wrong(path, f"{where}: {error}") from None
        if self._then and len(read) == len(value.keys() & self.keys.keys()):
            self._then(reading, path, section)
        return section

    def make(self, **read: Any) -> T_co:
        """Return an instance of the dataclass with the values that were read. A subclass can override this method."""
        return self.made(**read)

    def _read(self, reading: Reading, path: KeyPath, value: Mapping[str, object]) -> dict[str, object]:
        read: dict[str, object] = {}
        for key, reader in self.keys.items():
            if key in value:
                try:
                    read[key] = reader(reading, (*path, key), value[key])
                except Unreadable:
                    continue
        return read


def _readers(made: type, given: Mapping[str, object]) -> Iterator[tuple[str, Reader[object]]]:
    """Yield the name and the reader of each setting in *made*.

    Raises ``TypeError`` for a field that has no reader, unless it is *given* or has a ``default_factory``.
    """
    hints = get_type_hints(made, include_extras=True)
    for field in fields(cast(Any, made)):
        [reader, *_] = getattr(hints[field.name], "__metadata__", [None])
        if reader is None and (field.name in given or field.default_factory is not MISSING):
            continue
        if not callable(reader) or isinstance(reader, type):
            example = "`Annotated[int, pin]` for a pin, or `Annotated[int, Whole(1, 99)]`"
            raise TypeError(f"{made.__name__}.{field.name} has no reader for its setting: write {example}")
        yield field.name, reader


class ByKind(Generic[T]):
    """A reader of TOML tables whose *key* names one of *kinds*. The kind determines the other keys.

    Scripts can write the setting *short* of the first kind, such as its ``port``, instead of a table.
    """

    def __init__(self, key: str, kinds: Mapping[str, Section[T]], short: str = "") -> None:
        self.key = key
        self.kinds = kinds
        self.short = short

    def __call__(self, reading: Reading, path: KeyPath, value: object, /) -> T:
        if not isinstance(value, dict):
            example = f'{{ {self.key} = "{next(iter(self.kinds))}", … }}'
            raise reading.must_be(path, f"a table like {example}", value)
        try:
            kind = self._kind(reading, path, value)
        except Unreadable:
            self._look_at_the_rest(reading, path, value)
            raise
        return self.kinds[kind](reading, path, value)

    def _kind(self, reading: Reading, path: KeyPath, value: Mapping[str, object]) -> str:
        if self.key not in value:
            names = " or ".join(f'"{name}"' for name in self.kinds)
            raise reading.wrong(path, f"[{called(path)}] needs the key {shown(self.key)}, which is {names}")
        if isinstance(name := value[self.key], str) and name in self.kinds:  # a list of all kinds would load them
            return name
        otherwise = "; if a package brings this kind, install that package"
        return Choice(*self.kinds, otherwise=otherwise)(reading, (*path, self.key), name)

    def _look_at_the_rest(self, reading: Reading, path: KeyPath, value: Mapping[str, object]) -> None:
        """Read the other keys although the kind is unknown, so that one message lists all problems."""
        readers = {key: reader for kind in self.kinds.values() for key, reader in kind.keys.items() if key != self.key}
        for key, setting in value.items():
            if key in readers:
                with suppress(Unreadable):
                    readers[key](reading, (*path, key), setting)
