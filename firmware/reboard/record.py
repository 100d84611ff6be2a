"""The base class of values such as a roll of dice, a device's settings, an event or a request."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, dataclass_transform

NO_DATACLASS = "remove `@dataclass`: the class extends `Record`, so it is a frozen dataclass already"
"""What to do about a subclass of `Record` with the decorator ``@dataclass``."""


def wire_name(field: str) -> str:
    """Return the name of *field* in JSON: ``from`` for ``from_``."""
    return field.removesuffix("_")


_IS_FIELD = vars(dataclasses)["_FIELD"]
"""The mark by which `dataclasses.fields` knows a field."""


def _field(cls: type, name: str, of: Any, kw_only: bool) -> Any:
    """Return the field *name* as `dataclasses.dataclass` makes it, and set its default in the class."""
    given = vars(cls).get(name, MISSING)
    made: Any = given if isinstance(given, Field) else field(default=given)
    made.name, made.type, made._field_type = name, of, _IS_FIELD
    if made.kw_only is MISSING:
        made.kw_only = kw_only
    if made.default is not MISSING:
        setattr(cls, name, made.default)
    elif made is given:
        delattr(cls, name)
    return made


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Record:
    """A frozen dataclass: ``class Roll(Record)``, with its fields as annotations.

    `dataclasses.fields` and the like work. `dataclasses.dataclass` itself would generate code, which takes half a
    millisecond of each start of a table for each class.
    """

    __match_args__: ClassVar[tuple[str, ...]] = ()
    _fields: ClassVar[Mapping[str, Field[Any]]] = {}
    _json_names: ClassVar[Mapping[str, str]] = {}
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __init_subclass__(cls, *, kw_only: bool = False) -> None:
        super().__init_subclass__()
        found: dict[str, Field[Any]] = {}
        for base in cls.__mro__[:0:-1]:
            found |= vars(base).get("_fields", {})
        for name, of in cls.__annotations__.items():
            if "ClassVar[" not in str(of):
                found[name] = _field(cls, name, of, kw_only)
        cls._fields = found
        cls._json_names = {name: wire_name(name) for name in found}
        cls.__match_args__ = tuple(name for name, each in found.items() if not each.kw_only)  # type: ignore[misc]
        cls.__dataclass_fields__ = found

    def __init__(self, /, *values: Any, **named: Any) -> None:
        given = self.__dict__
        given.update(zip(self.__match_args__, values, strict=False), **named)
        if not len(given) == len(values) == len(self._fields):
            self._complete(len(values) + len(named))
        self.__post_init__()

    def _complete(self, count: int) -> None:
        """Add the defaults to the *count* values that were given. Raises ``TypeError`` for a wrong or missing one."""
        given = self.__dict__
        is_each_once = len(given) == count
        for name, each in self._fields.items():
            if name not in given and each.default is not MISSING:
                given[name] = each.default
            elif name not in given and each.default_factory is not MISSING:
                given[name] = each.default_factory()
        if not is_each_once or given.keys() != self._fields.keys():
            raise TypeError(self._wrong())

    def _wrong(self) -> str:
        wrong = sorted(self.__dict__.keys() ^ self._fields.keys())
        see = f": see the argument {wrong[0]!r}" if wrong else ""
        return f"{type(self).__name__} takes {', '.join(self._fields) or 'nothing'}, each once{see}"

    def __post_init__(self) -> None:
        """Check the values. A subclass can override this method, and raise ``ValueError``."""

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenInstanceError(f"{type(self).__name__}.{name} cannot change: use `replace`")

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        one, two = self.__dict__, other.__dict__  # each also has what a `cached_property` has kept
        return all(one[name] == two[name] for name, each in self._fields.items() if each.compare)

    def __hash__(self) -> int:
        hashed = (name for name, each in self._fields.items() if each.compare and each.hash is not False)
        return hash(tuple(self.__dict__[name] for name in hashed))

    def __repr__(self) -> str:
        shown = (f"{name}={self.__dict__[name]!r}" for name, each in self._fields.items() if each.repr)
        return f"{type(self).__qualname__}({', '.join(shown)})"

    def as_json(self) -> dict[str, Any]:
        """Return the fields as a JSON object."""
        values = self.__dict__
        return {in_json: values[name] for name, in_json in self._json_names.items()}


dataclass(init=False, repr=False, eq=False)(Record)  # its subclasses inherit what makes it a dataclass


if TYPE_CHECKING:  # type checkers know what this function of the standard library takes
    from dataclasses import replace as replace
else:

    def replace(record: Record, /, **changes: Any) -> Record:
        """Return a copy of *record* with *changes*. `dataclasses.replace` does the same in four times the time."""
        copy = object.__new__(type(record))
        before = record.__dict__
        if len(before) > len(record._fields):  # a `cached_property` of the copy has its own value
            before = {name: before[name] for name in record._fields}
        copy.__dict__.update(before, **changes)
        if len(copy.__dict__) > len(before):
            raise TypeError(copy._wrong())
        copy.__post_init__()
        return copy
