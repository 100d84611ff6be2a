"""Where each key of a TOML document stands: the line numbers that `tomllib` does not tell."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

Key = str | int
KeyPath = tuple[Key, ...]
"""From the outside in: names of tables and keys, and numbers (from 0) of an array's entries."""

_TOKEN = re.compile(
    r'''
      \#[^\n]*                                       # a comment
    | """ (?: \\. | [^\\] )*? "{3,5}                 # strings; up to two quotes may stand before the closing three
    | \'\'\' .*? \'{3,5}
    | " (?: \\. | [^"\\\n] )* "
    | ' [^'\n]* '
    | [][{}=,.\n]
    | [^][{}=,.\s\#"']+                              # bare keys, and what values are made of
    ''',
    re.VERBOSE | re.DOTALL,
)
_END = ""


@dataclass(slots=True)
class Place:
    """The line, counted from 1, where a key or an array's entry begins, and the places inside it."""

    line: int
    inside: dict[Key, Place] = field(default_factory=dict)

    def line_of(self, path: KeyPath) -> int:
        """The line of what *path* leads to, or else of the nearest known thing around it."""
        place = self
        for key in path:
            if key not in place.inside:
                break
            place = place.inside[key]
        return place.line

    def at(self, key: Key, line: int) -> Place:
        """The place of *key* in here, first seen on *line* if it is new."""
        return self.inside.setdefault(key, Place(line))

    def newest(self) -> Place:
        """The last entry of an array of tables, which is what its name means in a header; anything else itself."""
        return self.inside[len(self.inside) - 1] if 0 in self.inside else self


def places(text: str) -> Place:
    """Find the line of every key and array entry of *text*, a document that `tomllib` has read.

    Of a document that it would not read, the keys up to the first oddity are found, and nothing is raised.
    """
    scan = _Scan(text)
    with suppress(RecursionError, tomllib.TOMLDecodeError):
        scan.document()
    return scan.root


def _tokens(text: str) -> Iterator[tuple[str, int]]:
    line, counted = 1, 0
    for match in _TOKEN.finditer(text):
        line += text.count("\n", counted, match.start())
        counted = match.start()
        if not match[0].startswith("#"):
            yield match[0], line


class _Scan:
    """One walk through the tokens. That the document is right has been seen to: only its shape is followed."""

    def __init__(self, text: str) -> None:
        self.root = Place(1)
        self._tokens = _tokens(text)
        self._next()

    def _next(self) -> None:
        self._token, self._line = next(self._tokens, (_END, 0))

    def document(self) -> None:
        table = self.root
        while self._token != _END:
            if self._token == "\n":
                self._next()
            elif self._token == "[":
                table = self._header()
            else:
                self._pair(table)

    def _header(self) -> Place:
        line = self._line
        self._next()
        is_array = self._token == "["
        if is_array:
            self._next()
        *outer, name = self._key()
        while self._token not in ("\n", _END):
            self._next()
        place = self.root
        for key in outer:
            place = place.at(key, line).newest()
        place = place.at(name, line)
        if is_array:
            return place.at(len(place.inside), line)
        place.line = line
        return place

    def _key(self) -> list[str]:
        parts = [self._name()]
        while self._token == ".":
            self._next()
            parts.append(self._name())
        return parts

    def _name(self) -> str:
        name = self._token
        self._next()
        if name.startswith(('"', "'")):
            unquoted: str = tomllib.loads(f"name = {name}")["name"]
            return unquoted
        return name

    def _pair(self, place: Place) -> None:
        line = self._line
        for key in self._key():
            place = place.at(key, line)
        if self._token == "=":
            self._next()
            self._value(place)

    def _value(self, place: Place) -> None:
        opening = self._token
        self._next()
        if opening == "[":
            while self._inside_until("]"):
                self._value(place.at(len(place.inside), self._line))
        elif opening == "{":
            while self._inside_until("}"):
                self._pair(place)
        else:
            while self._token not in ("\n", ",", "]", "}", _END):
                self._next()

    def _inside_until(self, closing: str) -> bool:
        while self._token in ("\n", ","):
            self._next()
        if self._token not in (closing, _END):
            return True
        self._next()
        return False
