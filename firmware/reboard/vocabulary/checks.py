"""The check of a request from outside, and the allowed values in words, from the annotations of its class."""

from __future__ import annotations

import re
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
    if values := choices(of):
        words = " or ".join(f'"{each}"' for each in values)
        return words, lambda value: type(value) in {type(each) for each in values} and value in values
    if of.shape is bool:
        return "true or false", lambda value: isinstance(value, bool)
    if of.shape in (int, float):
        return _number(of, "a whole number" if of.shape is int else "a number", int if of.shape is int else int | float)
    if of.shape is str:
        return _text(of)
    if isinstance(of.shape, type) and issubclass(of.shape, Mapping) and len(of.parameters) == 2:
        return _object(of)
    is_of_one_type = len(of.parameters) == 1 or of.parameters[1:] == (...,)
    if isinstance(of.shape, type) and issubclass(of.shape, Sequence) and is_of_one_type:
        return _list(of)
    raise TypeError(f"a request cannot have an argument of the type {of.type!r}")


def _number(of: Hint, what: str, kinds: Any) -> tuple[str, Allows]:
    between = of.limit(Between) or Between(None, None)
    least, most, is_above = between.least, between.most, between.is_above
    bounds = "" if least is None else f" above {least}" if is_above else f" from {least}"
    bounds += "" if most is None else f" and up to {most}" if is_above else f" to {most}"

    def allows(value: Any) -> bool:
        return (
            isinstance(value, kinds)
            and not isinstance(value, bool)
            and (least is None or value > least or (value == least and not is_above))
            and (most is None or value <= most)
            and value == value  # NaN is not
        )

    return what + bounds, allows


def _text(of: Hint) -> tuple[str, Allows]:
    length, matches = of.limit(Length) or Length(0), of.limit(Matches)
    how_long = "" if length.most is None else f" of {length.least} to {length.most}"
    is_right = re.compile(matches.pattern).fullmatch if matches else str.isprintable
    words = f"a string{how_long} {matches.words if matches else 'printable characters'}"

    def allows(value: Any) -> bool:
        return isinstance(value, str) and _has(length, value) and bool(is_right(value))

    return words, allows


def _object(of: Hint) -> tuple[str, Allows]:
    keys = of.limit(Keys) or Keys(".*", "texts")
    words, allows_value = check_of(hint(of.parameters[1]))
    is_key = re.compile(keys.pattern).fullmatch

    def allows(value: Any) -> bool:
        return isinstance(value, dict) and all(is_key(key) and allows_value(each) for key, each in value.items())

    return f"an object with {keys.words} as keys and {words} as each value", allows


def _list(of: Hint) -> tuple[str, Allows]:
    length = of.limit(Length) or Length(0)
    words, allows_entry = check_of(hint(of.parameters[0]))
    how_long = "" if length.most is None else f" of {length.least} to {length.most} entries"

    def allows(value: Any) -> bool:
        return isinstance(value, list | tuple) and _has(length, value) and all(map(allows_entry, value))

    return f"a list{how_long}, each {words}", allows


def _has(length: Length, value: Sequence[Any]) -> bool:
    return length.least <= len(value) and (length.most is None or len(value) <= length.most)


BY = Argument("by", *check_of(Hint(str, (Length(1, LONGEST_BY),))), is_optional=True)
"""The argument of every request that changes the table: the sender, for the log and the events."""
