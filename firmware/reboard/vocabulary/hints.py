"""The fields of declared classes and of ``TypedDict``, taken apart: what checks, schemas and tables have in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, Required, TypeVar, Union, get_args, get_origin, get_type_hints
from typing import is_typeddict as is_typed_dict

from reboard.record import Record, wire_name
from reboard.vocabulary.declared import Request, State
from reboard.vocabulary.limits import OneOf

L = TypeVar("L")


class Hint(Record):
    """An annotation: its *type* without ``None``, the *limits* in ``Annotated``, and whether it *is_nullable*."""

    type: Any
    limits: tuple[Any, ...] = ()
    is_nullable: bool = False
    is_not_required: bool = False

    @property
    def meaning(self) -> str:
        """The meaning of the field in words."""
        return next((each for each in reversed(self.limits) if isinstance(each, str)), "")

    def limit(self, kind: type[L]) -> L | None:
        """Return the outermost limit of a *kind*, or ``None``."""
        return next((each for each in reversed(self.limits) if isinstance(each, kind)), None)

    @property
    def parameters(self) -> tuple[Any, ...]:
        """The parameters of the type: ``int`` of ``list[int]``, and the values of a ``Literal``."""
        return get_args(self.type)

    @property
    def shape(self) -> Any:
        """The type without its parameters."""
        return get_origin(self.type) or self.type


def hint(annotation: Any) -> Hint:
    """Return *annotation* taken apart."""
    limits: tuple[Any, ...] = ()
    is_nullable = is_not_required = False
    while True:
        origin = get_origin(annotation)
        if origin is Annotated:
            annotation, *more = get_args(annotation)
            limits = (*more, *limits)
        elif origin in (Union, UnionType) and NoneType in get_args(annotation):
            is_nullable = True
            [annotation] = (each for each in get_args(annotation) if each is not NoneType)
        elif origin in (NotRequired, Required):
            is_not_required = origin is NotRequired
            [annotation] = get_args(annotation)
        else:
            return Hint(annotation, limits, is_nullable=is_nullable, is_not_required=is_not_required)


class Field(Record):
    """A field: its *name* in JSON, its annotation, and whether it *is_optional*."""

    name: str
    hint: Hint
    is_optional: bool


def has_fields(kind: object) -> bool:
    """Return whether *kind* is a class with declared fields."""
    return isinstance(kind, type) and (issubclass(kind, Record | State) or is_typed_dict(kind))


_known: dict[type, Sequence[Field]] = {}


def fields_of(declared: type) -> Sequence[Field]:
    """Return the fields of a declared class or a ``TypedDict``. Raises ``NameError`` for an unknown annotation."""
    if declared not in _known:
        _known[declared] = tuple(_fields(declared))
    return _known[declared]


def _fields(declared: type) -> Iterator[Field]:
    hints: Mapping[str, Any] = get_type_hints(declared, include_extras=True)
    if issubclass(declared, Record):
        for each in declared._fields.values():
            has_default = (each.default, each.default_factory) != (MISSING, MISSING)
            is_optional = has_default and issubclass(declared, Request)  # all fields of an event are sent
            yield Field(wire_name(each.name), hint(hints[each.name]), is_optional)
        return
    for name, annotation in hints.items():
        of = hint(annotation)
        yield Field(name, of, of.is_not_required)


def check_limits(of: Hint, where: str) -> None:
    """Raise ``TypeError`` if a limit of the field *where* fits another type, or the type of a list is missing."""
    shape = of.shape
    for limit in of.limits:
        fits: tuple[type, ...] = getattr(limit, "fits", (object,))
        if isinstance(shape, type) and not issubclass(shape, fits):
            words = " or ".join(each.__name__ for each in fits)
            raise TypeError(f"{where}: {type(limit).__name__} is a limit for {words}, but not for {shape.__name__}")
    for each in of.parameters if shape is not Literal else ():
        check_limits(hint(each), where)


def choices(of: Hint) -> tuple[Any, ...]:
    """Return the allowed values of a ``Literal`` or of the limit `OneOf`, or ``()``."""
    one_of = of.limit(OneOf)
    return of.parameters if of.shape is Literal else one_of.values if one_of else ()
