"""`Reader`, the interface for reading TOML values, and `Reading`, which collects problems with file and line."""

from __future__ import annotations

import errno
import json
import re
import stat
import tomllib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from reboard.board import virtual_pi
from reboard.errors import ConfigError
from reboard.record import Record

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

Key = str | int
KeyPath = tuple[Key, ...]
"""The path of a setting: the names of tables and keys, and the indices of list entries, from 0."""

Lines = Mapping[KeyPath, int]
"""The line numbers of tables and keys, from 1. Values inside lists and inline tables have none; see `line_of`."""

LARGEST_FILE_BYTES = 65_536
LONGEST_LINE_BYTES = 2000
"""The maximum length of a line in bytes. ``tomllib`` needs half a minute for a dotted key of 64 kB."""
MOST_PROBLEMS = 20
"""The maximum number of problems in one message."""

NOWHERE: Lines = {}
"""The line numbers of a document that does not come from a file: an empty mapping."""

_HEADER_OR_KEY = re.compile(r"""\[+([\w.'" -]+)\]|([\w.'" \t-]+)=""")
_WHERE_IN_TOML = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_SAID_TWICE = re.compile(r"Cannot (declare|mutate|overwrite)|Duplicate")
_LONGEST_SHOWN = 60


class Unreadable(Exception):  # noqa: N818 - it never leaves a reading, which has noted the problem
    """The error raised if a value cannot be used. The `Reading` has already recorded the problem."""


class ConfigProblem(NamedTuple):
    """A problem in a config file. *where* is the name of the file or ``""``. *line* is 0 if it is unknown."""

    line: int
    where: str
    text: str

    def __str__(self) -> str:
        if not self.where:
            return self.text
        return f"{self.where}:{self.line}: {self.text}" if self.line else f"{self.where}: {self.text}"


class _Claim(Record):
    line: int
    path: KeyPath
    because: str
    remedy: str
    is_shared: bool


class Reader(Protocol[T_co]):
    """A function that converts a TOML value, or records a problem and raises `Unreadable`."""

    def __call__(self, reading: Reading, path: KeyPath, value: object, /) -> T_co:
        """Return the converted *value* of the setting at *path*. Raises `Unreadable`."""


class Reading:
    """The state while one file is read: its problems, and the pins, ports and cards that each setting claims.

    *where* replaces the name of the *file* in problems, for settings that do not come from a file.
    """

    def __init__(self, file: Path, lines: Lines = NOWHERE, *, where: str | None = None) -> None:
        self.file = file
        self._lines = lines
        self._where = str(file) if where is None else where
        self._problems: list[ConfigProblem] = []
        self._claims: dict[str, list[_Claim]] = {}

    def wrong(self, path: KeyPath, text: str) -> Unreadable:
        """Record a problem with the setting at *path*. Return an exception, which the caller can raise."""
        self._problems.append(ConfigProblem(line_of(self._lines, path), self._where, text))
        return Unreadable(text)

    def must_be(self, path: KeyPath, allowed: str, value: object, hint: str = "") -> Unreadable:
        """Record that the setting at *path* must be *allowed*, such as ``true or false``, but is *value*.

        *hint* is appended to the message. Return an exception, as `wrong` does.
        """
        return self.wrong(path, f"{called(path)} must be {allowed}, but is {shown(value)}{hint}")

    def claim(
        self,
        thing: str,
        path: KeyPath,
        because: str = "",
        *,
        remedy: str = "change one of them",
        is_shared: bool = False,
    ) -> None:
        """Record that the setting at *path* uses *thing*. `read` reports each *thing* that two settings use.

        Settings can share *thing* if each of them claims it with *is_shared*.
        """
        claim = _Claim(line_of(self._lines, path), path, because, remedy, is_shared)
        self._claims.setdefault(thing, []).append(claim)

    def read(self, reader: Reader[T], value: object) -> T:
        """Convert the document *value* with *reader*. Raises `ConfigError` with at most `MOST_PROBLEMS` problems."""
        with suppress(Unreadable):
            result = reader(self, (), value)
        self._settle_claims()
        if self._problems:
            shown = sorted(self._problems)[:MOST_PROBLEMS]
            if more := len(self._problems) - len(shown):
                shown.append(ConfigProblem(0, self._where, f"and {more} more"))
            raise ConfigError("\n".join(map(str, shown)))
        return result

    def _settle_claims(self) -> None:
        reported = set()
        for thing, claims in self._claims.items():
            first, *others = ordered = sorted(claims, key=lambda claim: claim.line)
            for other in others:
                is_shared = first.is_shared and other.is_shared
                if (first.path, other.path) not in reported and not is_shared:
                    reported.add((first.path, other.path))
                    line = f" (line {first.line})" if first.line else ""
                    because = first.because or other.because
                    reason = f" ({because})" if because else ""
                    used = f"{called(other.path)} uses {thing}{reason}, which {called(first.path)}{line} already uses"
                    self.wrong(other.path, f"{used}: {first.remedy}")
                    # one message for all settings that share the thing
                    reported |= {(a.path, b.path) for a, b in combinations(ordered, 2) if a.is_shared != b.is_shared}


def read_toml(path: Path) -> tuple[dict[str, Any], Lines]:
    """Return the document in a TOML file and the line numbers of its keys. Raises `ConfigError` if that fails."""
    return parse_toml(read_file(path), path)


def read_file(path: Path) -> bytes:
    """Return the bytes of a config file. Raises `ConfigError` if it cannot be read or is larger than 64 kB."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            # reading a pipe without a writer would wait for ever
            raise OSError(errno.EINVAL, f"it is {'a directory' if path.is_dir() else 'a pipe or a device'}, not a file")
        with path.open("rb") as file:
            raw = file.read(LARGEST_FILE_BYTES + 1)
    except FileNotFoundError:
        do = f"Run `sudo reboard setup` to write a config, or name another file with -c{virtual_pi()}"
        raise ConfigError(f"{path}: this file does not exist. {do}") from None
    except (OSError, ValueError) as error:
        do = ". Use sudo, or let `sudo reboard doctor` check the permissions" * isinstance(error, PermissionError)
        why = getattr(error, "strerror", None) or error
        raise ConfigError(f"{path}: this file cannot be read: {why}{do}") from None
    if len(raw) > LARGEST_FILE_BYTES:
        raise ConfigError(
            f"{path}: this file is larger than {LARGEST_FILE_BYTES // 1024} kB, the limit for a config file: shorten it"
        )
    return raw


def parse_toml(raw: bytes, path: Path) -> tuple[dict[str, Any], Lines]:
    """Return the TOML document in *raw* and the line numbers of its keys. Raises `ConfigError`, which names *path*."""
    text = _decoded(raw, path)
    try:
        document = tomllib.loads(text)
        return document, key_lines(text, document)
    except RecursionError:
        problem = ConfigProblem(0, str(path), "lists or tables are nested too deeply: use fewer levels")
    except ValueError as error:
        problem = _not_toml(path, text, str(error))
    raise ConfigError(str(problem))


def _decoded(raw: bytes, path: Path) -> str:
    for number, line in enumerate(raw.split(b"\n"), start=1):
        if len(line) > LONGEST_LINE_BYTES:
            too_long = f"this line is longer than {LONGEST_LINE_BYTES} bytes: shorten it"
            raise ConfigError(str(ConfigProblem(number, str(path), too_long)))
        try:
            line.decode()
        except UnicodeDecodeError:
            why = "this line is not UTF-8: save the file as UTF-8"
            raise ConfigError(str(ConfigProblem(number, str(path), why))) from None
    return raw.decode("utf-8-sig")


def _not_toml(path: Path, text: str, why: str) -> ConfigProblem:
    where = _WHERE_IN_TOML.search(why)
    line = int(where[1]) if where and where[1] else text.rstrip("\n").count("\n") + 1
    column = f" (column {where[2]})" if where and where[2] else ""
    sentence = _WHERE_IN_TOML.sub("", why)
    if _SAID_TWICE.match(sentence):
        return ConfigProblem(line, str(path), f"this key or section appears twice{column}: remove one of them")
    hint = '; write text in "quotes", and true or false without quotes' if sentence == "Invalid value" else ""
    return ConfigProblem(line, str(path), f"this is not TOML: {sentence[:1].lower()}{sentence[1:]}{column}{hint}")


def key_lines(text: str, document: Mapping[str, object]) -> Lines:
    """Return the line numbers of the keys in *text*. *document* is the result of ``tomllib`` for *text*.

    A line of a multi-line string can look like a key. It counts only if the document has this key.
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
    """Return the line number of *path* or of the nearest table or key around it, or 0 if none is known."""
    return next((lines[path[:length]] for length in range(len(path), -1, -1) if path[:length] in lines), 0)


def _has(document: object, path: KeyPath) -> bool:
    for key in path:
        if not isinstance(document, Mapping) or key not in document:
            return False
        document = document[key]
    return True


def called(path: KeyPath) -> str:
    """Return the name of a setting for users, such as ``bank.keypad.rows entry 3``."""
    name = ""
    for key in path:
        name += f" entry {key + 1}" if isinstance(key, int) else f".{key}" if name else key
    return name


def shown(value: object) -> str:
    """Return *value* as TOML text, or only its kind if it is long, a list or a table."""
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
            return f"a list of {len(value)} {'entry' if len(value) == 1 else 'entries'}"
        case dict():
            return "a table"
    return str(value)


def did_you_mean(found: object, names: Iterable[str]) -> str:
    """Return a hint such as ``; did you mean "button"?``, or ``""`` if no name is similar to *found*."""
    if not isinstance(found, str):
        return ""
    import difflib  # a table without a mistake in its config does not need it

    near = difflib.get_close_matches(found[:_LONGEST_SHOWN].lower(), list(names), n=1)
    return f'; did you mean "{near[0]}"?' if near else ""


DEFAULT_CONFIG = Path("/etc/reboard/table.toml")
DEFAULT_STATE_DIRECTORY = Path("/var/lib/reboard")
LAST_GOOD_NAME = "table.last-good.toml"
"""The name of the file in the state directory that stores the last config with which the table started."""

_DIRECTORY = re.compile(rb"""^[^#\n]*\bdirectory\s*=\s*["']([^"'\n]+)["']""", re.MULTILINE)
"""A pattern for the state directory in a config that cannot be parsed. No other key has this name."""


def state_directory(config: Path) -> Path:
    """Return the state directory from the file *config*, even if the file is invalid.

    Return the default directory if the file does not exist or does not set one.
    """
    if config.is_file():
        with suppress(OSError, ValueError), config.open("rb") as file:
            if found := _DIRECTORY.search(file.read(LARGEST_FILE_BYTES)):
                return config.absolute().parent / found[1].decode()
    return DEFAULT_STATE_DIRECTORY
