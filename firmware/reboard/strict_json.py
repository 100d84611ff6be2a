"""JSON that every program can read: the check of values from outside, and the encoder of every output.

`plain` checks a value once, where it enters: an event, the state of an accessory, or the answer to a request. So
`encoded` cannot fail for it, wherever it leaves: control socket, HTTP, MQTT, bench and files.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, TypeVar

from reboard.errors import ReboardError
from reboard.vocabulary.limits import LARGEST_WHOLE

T = TypeVar("T")

DEEPEST = 12
"""The maximum number of lists and dictionaries around a value. A message around it has up to four of its own."""

MOST_BYTES = 16 * 1024
"""The maximum length of an event, and of what an accessory shares over MQTT, as JSON."""

MOST_STATE_BYTES = 4 * MOST_BYTES
"""The maximum length of an accessory's state, as JSON."""

MOST_ANSWER_BYTES = 512 * 1024
"""The maximum length of an answer to a request, as JSON. A client reads lines of twice that length."""

LEAST_WHOLE = -LARGEST_WHOLE - 1

# generous lengths in JSON: of a number, true, false or null with its comma; of a short text; of one character like ü
NUMBER_LENGTH = 12
SHORT = 12
ESCAPED_LENGTH = 6

PLAINLY: Mapping[type, Callable[[Any], Any]] = {
    str: str.__str__,
    int: int.__int__,
    float: float.__float__,
    dict: dict.copy,
    list: list.copy,
    tuple: lambda value: [*tuple.__iter__(value)],
}
"""The methods that return a value of a subclass as one of the class itself, whatever the subclass overrides."""


class Json:
    """An answer that is already encoded as JSON, so that a long answer can be encoded on another thread."""

    def __init__(self, text: str) -> None:
        self.text = text


class NotJsonError(ReboardError, ValueError):
    """The error raised for a value that JSON does not have, or that is too large. The text names its place."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.name = ""
        self.path: list[str] = []
        """The keys and indices that lead to the value, the innermost first."""

    def __str__(self) -> str:
        path = "".join(reversed(self.path)).removeprefix(".")
        return f"{self.name}{': ' if self.name and path else ''}{path} {self.problem}".strip()


def encoded(value: object) -> bytes:
    """Return *value* as JSON in ASCII, without spaces and line breaks. Raises ``ValueError`` or ``TypeError``."""
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode()


def plain(value: object, name: str = "", *, most_bytes: int = MOST_BYTES) -> Any:
    """Return a copy of *value* with dictionaries, lists, texts, numbers, true, false and null only.

    The copy shares nothing with *value*, which can change later. Raises `NotJsonError`, whose text begins with *name*.
    """
    try:
        return _copy(value, [most_bytes, most_bytes], DEEPEST)
    except NotJsonError as error:
        error.name = name
        raise


def _copy(value: Any, room: list[int], depth: int) -> Any:
    """Return a copy of *value*, and take its length from ``room[0]``. ``room[1]`` is the limit."""
    kind = type(value)
    if kind is bool or value is None:
        return _taken(value, 5, room)
    if kind not in PLAINLY:
        value = _plainly(value)
    if isinstance(value, str):
        return _taken(_text(value), _length(value), room)
    if isinstance(value, int):
        if not LEAST_WHOLE <= value <= LARGEST_WHOLE:
            raise NotJsonError("is a whole number of more than 64 bits: use a smaller one, or a text")
        return _taken(value, NUMBER_LENGTH, room)
    if isinstance(value, float):
        if not isfinite(value):
            raise NotJsonError(f"is {value}, which is no number in JSON: use None for an unknown value")
        return _taken(value, NUMBER_LENGTH, room)
    if not isinstance(value, dict | list | tuple):
        remedy = "use a text" if isinstance(value, bytes | bytearray) else "use a list, a text or a number"
        raise NotJsonError(f"has the type {kind.__name__}, which JSON does not have: {remedy}")
    if not depth:
        raise NotJsonError(f"is nested more than {DEEPEST} deep, or contains itself: use fewer levels")
    _taken(None, 2 + len(value), room)
    is_dictionary = isinstance(value, dict)
    copy: Any = {} if is_dictionary else []
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        text = _key(key, room) if is_dictionary else ""
        inner_kind = type(inner)
        # most values: a shortcut that saves half the time
        if inner_kind is bool or inner is None or (inner_kind is int and LEAST_WHOLE <= inner <= LARGEST_WHOLE):
            room[0] -= NUMBER_LENGTH
        elif inner_kind is str and len(inner) < SHORT and inner.isascii():
            room[0] -= SHORT
        else:
            try:
                inner = _copy(inner, room, depth - 1)
            except NotJsonError as error:
                error.path.append(f".{text[:40]}" if is_dictionary else f"[{key}]")
                raise
        if is_dictionary:
            copy[text] = inner
        else:
            copy.append(inner)
    return _taken(copy, 0, room)


def _plainly(value: object) -> object:
    return next((plainly(value) for kind, plainly in PLAINLY.items() if issubclass(type(value), kind)), value)


def _key(key: object, room: list[int]) -> str:
    if type(key) is str and len(key) < SHORT and key.isascii():
        room[0] -= SHORT
        return key
    key = key if isinstance(key, bool) else _plainly(key)
    if isinstance(key, int) and not isinstance(key, bool) and LEAST_WHOLE <= key <= LARGEST_WHOLE:
        key = str(key)
    if not isinstance(key, str):
        raise NotJsonError(f"has a key of the type {type(key).__name__}: use a text")
    try:
        return _taken(_text(key), _length(key), room)
    except NotJsonError as error:
        error.problem = f"has a key that {error.problem}"
        raise


def _text(value: str) -> str:
    try:
        value.isascii() or value.encode()
    except UnicodeEncodeError:
        raise NotJsonError("has half a character (a lone surrogate): use a whole text") from None
    return value


def _length(value: str) -> int:
    return len(value) * (1 if value.isascii() else ESCAPED_LENGTH) + 3


def _taken(value: T, length: int, room: list[int]) -> T:
    room[0] -= length
    if room[0] < 0:
        raise NotJsonError(f"is longer than {room[1] // 1024} kB, or makes its message longer: shorten it")
    return value
