"""The check of a request from outside, and the allowed values in words, from the annotations of its class."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from reboard.record import Record
from reboard.vocabulary.declared import Request
from reboard.vocabulary.hints import Hint, choices, fields_of, hint
from reboard.vocabulary.limits import Between, Keys, Length, Matches

LONGEST_SHOWN = 200
"""The maximum number of characters of an unknown name in an error message."""

LONGEST_BY = 60
"""The maximum length of ``by``, the sender of a request, in characters."""

Allows = Callable[[Any], bool]


class Argument(Record):
    """An argument of a request: the allowed values in *words*, and the function *allows* that checks one."""

    name: str
    words: str
    allows: Allows
    is_optional: bool


_known: dict[type, Sequence[Argument]] = {}


def arguments_of(request: type[Record]) -> Sequence[Argument]:
    """Return the arguments of a request, without ``by``, or the fields of a message.

    Raises ``TypeError`` for an annotation that no argument can have, and ``NameError`` for an unknown one.
    """
    if request not in _known:
        made = (Argument(each.name, *check_of(each.hint), each.is_optional) for each in fields_of(request))
        _known[request] = tuple(made)
    return _known[request]


def problem_with(request: type[Request], args: Mapping[str, object], *further: Argument) -> str:
    """Return what is wrong with the *args* of a *request*, which also takes *further* arguments, or ``""``."""
    arguments = [*arguments_of(request), *further]
    for argument in arguments:
        left_out = argument.is_optional and argument.name not in args
        if not left_out and not argument.allows(args.get(argument.name)):
            return f'{request.do}: "{argument.name}" must be {argument.words}'
    if strange := args.keys() - {argument.name for argument in arguments}:
        return f"{request.do} takes no argument {min(strange)[:LONGEST_SHOWN]!r}"
    return ""


def check_of(of: Hint) -> tuple[str, Allows]:
    """Return the allowed values in words, and a function that checks a value."""
    words, allows = _check(of)
    if of.is_nullable:
        return f"{words}, or null", lambda value: value is None or allows(value)
    return words, allows


def _check(of: Hint) -> tuple[str, Allows]:
    shape, length = of.shape, of.limit(Length) or Length(0)
    if values := choices(of):
        words = " or ".join(f'"{each}"' for each in values)
        return words, lambda value: type(value) in {type(each) for each in values} and value in values
    if shape is bool:
        return "true or false", lambda value: isinstance(value, bool)
    if shape in (int, float):
        between, whole = of.limit(Between) or Between(None, None), "whole " if shape is int else ""
        kinds: Any = int if whole else int | float
        return (
            f"a {whole}number{between.words}",
            lambda value: isinstance(value, kinds) and not isinstance(value, bool) and between.allows(value),
        )
    if shape is str:
        matches = of.limit(Matches)
        words = f"a string{length.words('')} {matches.words if matches else 'printable characters'}"
        is_right = matches.allows if matches else str.isprintable
        return words, lambda value: isinstance(value, str) and length.allows(value) and is_right(value)
    if isinstance(shape, type) and issubclass(shape, Mapping) and len(of.parameters) == 2:
        keys = of.limit(Keys) or Keys(".*", "texts")
        words, allows = check_of(hint(of.parameters[1]))
        return (
            f"an object with {keys.words} as keys and {words} as each value",
            lambda value: (
                isinstance(value, dict) and all(keys.allows(key) and allows(each) for key, each in value.items())
            ),
        )
    is_of_one_type = len(of.parameters) == 1 or of.parameters[1:] == (...,)
    if isinstance(shape, type) and issubclass(shape, Sequence) and is_of_one_type:
        words, allows = check_of(hint(of.parameters[0]))
        return (
            f"a list{length.words(' entries')}, each {words}",
            lambda value: isinstance(value, list | tuple) and length.allows(value) and all(map(allows, value)),
        )
    raise TypeError(f"a request cannot have an argument of the type {of.type!r}")


BY = Argument("by", *check_of(Hint(str, (Length(1, LONGEST_BY),))), is_optional=True)
"""The argument of every request that changes the table: the sender, for the log and the events."""
