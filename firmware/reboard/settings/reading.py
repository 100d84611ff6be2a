"""Reading a file of settings: everything that is wrong in it is told at once, each with its line."""

from __future__ import annotations

import difflib
import errno
import json
import re
import stat
import tomllib
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from reboard.errors import ConfigError
from reboard.settings.toml_lines import KeyPath, Place, places

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

LARGEST_FILE_BYTES = 65_536
LONGEST_LINE_BYTES = 2000
"""`tomllib` takes half a minute over one dotted key of 64 kB."""
MOST_PROBLEMS = 20
"""How many are told at once; whoever mends these can ask again."""

NOWHERE = Place(0)
"""The lines of settings that did not come from a file."""

_WHERE_IN_TOML = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_SAID_TWICE = re.compile(r"Cannot (declare|mutate|overwrite)|Duplicate")
_LONGEST_SHOWN = 60


class Unreadable(Exception):  # noqa: N818 - it never leaves a reading: what is wrong is a noted problem
    """A value cannot be used; why has been noted."""


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One thing that is wrong *where* somebody can mend it; ``""`` and 0 when where or the line is not known."""

    line: int
    where: str
    text: str

    def __str__(self) -> str:
        if not self.where:
            return self.text
        return f"{self.where}:{self.line}: {self.text}" if self.line else f"{self.where}: {self.text}"


@dataclass(frozen=True, slots=True)
class _Claim:
    line: int
    path: KeyPath
    because: str


class Reader(Protocol[T_co]):
    """Makes something of a TOML value, or notes what is wrong with it and raises `Unreadable`."""

    def __call__(self, reading: Reading, path: KeyPath, value: object, /) -> T_co:
        """What *value*, which stands at *path*, means."""


class Reading:
    """One file being read: collects what is wrong, and what must not be used twice.

    Settings that did not come from the *file* are told as wrong *where* they came from instead.
    """

    def __init__(self, file: Path, lines: Place = NOWHERE, *, where: str | None = None) -> None:
        self.file = file
        self._lines = lines
        self._where = str(file) if where is None else where
        self._problems: list[Problem] = []
        self._claims: dict[str, list[_Claim]] = {}

    def wrong(self, path: KeyPath, text: str) -> Unreadable:
        """Note that what stands at *path* is wrong; raise what is returned if nothing can be made of it."""
        self._problems.append(Problem(self._lines.line_of(path), self._where, text))
        return Unreadable(text)

    def must_be(self, path: KeyPath, allowed: str, value: object, hint: str = "") -> Unreadable:
        """Note that *value* is not what is *allowed* at *path*."""
        return self.wrong(path, f"{called(path)} must be {allowed}, and is {shown(value)}{hint}")

    def claim(self, thing: str, path: KeyPath, because: str = "") -> None:
        """The setting at *path* uses *thing*, which no other setting may use too."""
        self._claims.setdefault(thing, []).append(_Claim(self._lines.line_of(path), path, because))

    def read(self, reader: Reader[T], value: object) -> T:
        """Make of the whole file's *value* what *reader* makes of it. Raises `ConfigError` with every problem."""
        with suppress(Unreadable):
            result = reader(self, (), value)
        self._settle_claims()
        if self._problems:
            told = sorted(self._problems)[:MOST_PROBLEMS]
            if more := len(self._problems) - len(told):
                told.append(Problem(0, self._where, f"and {more} more"))
            raise ConfigError("\n".join(map(str, told)))
        return result

    def _settle_claims(self) -> None:
        told = set()
        for thing, claims in self._claims.items():
            first, *others = sorted(claims, key=lambda claim: claim.line)
            for other in others:
                if (first.path, other.path) not in told:
                    told.add((first.path, other.path))
                    line = f" (line {first.line})" if first.line else ""
                    because = first.because or other.because
                    text = f"{called(other.path)} takes {thing}, which {called(first.path)}{line} has already"
                    self.wrong(other.path, f"{text}: {because}" if because else text)


def read_toml(path: Path) -> tuple[dict[str, Any], Place]:
    """What a TOML file says, and where. Raises `ConfigError` for a file that is not there, too large, or no TOML."""
    return parse_toml(read_file(path), path)


def read_file(path: Path) -> bytes:
    """What is in a file of settings. Raises `ConfigError` for one that cannot be read or is larger than any is."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            # a pipe that nobody writes to would keep us waiting
            raise OSError(
                errno.EINVAL, f"it is {'a directory' if path.is_dir() else 'a pipe or a device'}, and no file"
            )
        with path.open("rb") as file:
            raw = file.read(LARGEST_FILE_BYTES + 1)
    except FileNotFoundError:
        raise ConfigError(f"{path}: there is no such file") from None
    except PermissionError as error:
        who = "put sudo in front, or have `sudo reboard doctor` look who may"
        raise ConfigError(f"{path}: it cannot be read: {error.strerror}: {who}") from None
    except OSError as error:
        raise ConfigError(f"{path}: it cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise ConfigError(f"{path}: it cannot be read: {error}") from None
    if len(raw) > LARGEST_FILE_BYTES:
        raise ConfigError(f"{path}: it is larger than {LARGEST_FILE_BYTES // 1024} kB, which no file of settings is")
    return raw


def parse_toml(raw: bytes, path: Path) -> tuple[dict[str, Any], Place]:
    """What *raw*, which was read from *path*, says, and where. Raises `ConfigError` when it is no TOML."""
    text = _decoded(raw, path)
    try:
        return tomllib.loads(text), places(text)
    except RecursionError:
        problem = Problem(0, str(path), "lists or tables stand in each other too deeply")
    except ValueError as error:
        problem = _not_toml(path, text, str(error))
    raise ConfigError(str(problem))


def _decoded(raw: bytes, path: Path) -> str:
    for number, line in enumerate(raw.split(b"\n"), start=1):
        if len(line) > LONGEST_LINE_BYTES:
            raise ConfigError(str(Problem(number, str(path), f"this line is longer than {LONGEST_LINE_BYTES} bytes")))
        try:
            line.decode()
        except UnicodeDecodeError:
            raise ConfigError(
                str(Problem(number, str(path), "this line is not UTF-8: save the file as UTF-8"))
            ) from None
    return raw.decode("utf-8-sig")


def _not_toml(path: Path, text: str, why: str) -> Problem:
    where = _WHERE_IN_TOML.search(why)
    line = int(where[1]) if where and where[1] else text.rstrip("\n").count("\n") + 1
    column = f" (column {where[2]})" if where and where[2] else ""
    sentence = _WHERE_IN_TOML.sub("", why)
    if _SAID_TWICE.match(sentence):
        return Problem(line, str(path), f"this key or section stands further up already{column}")
    hint = '; a text stands in "quotes", yes and no are true and false' if sentence == "Invalid value" else ""
    return Problem(line, str(path), f"this is not TOML: {sentence[:1].lower()}{sentence[1:]}{column}{hint}")


def called(path: KeyPath) -> str:
    """A setting's name in words: ``bank.keypad.rows entry 3``."""
    name = ""
    for key in path:
        name += f" entry {key + 1}" if isinstance(key, int) else f".{key}" if name else key
    return name


def shown(value: object) -> str:
    """A value as it would stand in TOML, or what it is when it is long."""
    match value:
        case bool():
            return "true" if value else "false"
        case int() if abs(value) > 10**12:
            return "a huge number"
        case str() if len(value) > _LONGEST_SHOWN:
            return f"a text of {len(value)} characters"
        case str():
            return json.dumps(value, ensure_ascii=False)
        case list():
            return f"a list of {len(value)}"
        case dict():
            return "a table"
    return str(value)


def did_you_mean(found: object, names: Iterable[str]) -> str:
    """``; did you mean "button"?``, or nothing when no name is near what was *found*."""
    if not isinstance(found, str):
        return ""
    near = difflib.get_close_matches(found[:_LONGEST_SHOWN].lower(), list(names), n=1)
    return f'; did you mean "{near[0]}"?' if near else ""
