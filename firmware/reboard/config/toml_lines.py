"""The line of each key of a TOML file, which `tomllib` does not report."""

from __future__ import annotations

import re
from collections.abc import Mapping

Key = str | int
KeyPath = tuple[Key, ...]
"""Names of tables and keys from the outside in, and numbers (from 0) of an array's entries."""

Lines = Mapping[KeyPath, int]
"""Line numbers from 1, of tables and of keys at the beginning of a line. What is inside a key's value has its line."""

_HEADER_OR_KEY = re.compile(r"""\[+([\w.'" -]+)\]|([\w.'" \t-]+)=""")


def key_lines(text: str, document: Mapping[str, object]) -> Lines:
    """Return the lines of the keys in *text*, which `tomllib` has read as *document*.

    A line in a text of several lines can look like a key. It counts only if the document has this key.
    """
    lines: dict[KeyPath, int] = {(): 1}
    table: KeyPath = ()
    for number, line in enumerate(text.split("\n"), start=1):
        if match := _HEADER_OR_KEY.match(line.strip()):
            header, key = match.groups()
            path = (*(() if header else table), *(name.strip(" \t'\"") for name in (header or key).split(".")))
            if _has(document, path):
                for length in range(1, len(path) + 1):
                    lines.setdefault(path[:length], number)
                table = path if header else table
    return lines


def line_of(lines: Lines, path: KeyPath) -> int:
    """Return the line of *path*, or else of the nearest known key around it; 0 if no line is known."""
    return next((lines[path[:length]] for length in range(len(path), -1, -1) if path[:length] in lines), 0)


def _has(document: object, path: KeyPath) -> bool:
    for key in path:
        if not isinstance(document, Mapping) or key not in document:
            return False
        document = document[key]
    return True
