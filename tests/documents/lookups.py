"""Where each kind of quoted thing is looked up: `KINDS`, in which the first pattern that fits decides."""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import re
import shlex
import tomllib
from collections.abc import Callable, Iterator, Mapping
from fnmatch import translate
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from reboard import cli
from reboard.config.kinds import ByKind, Section
from reboard.config.reading import Reading, Unreadable
from reboard.editions.edition import Edition, editions_in_the_box
from reboard.languages import DISPLAY
from reboard.table_config import TableSection
from reboard_sim import cli as simulator
from reboard_sim.plays.play_language import PlayError, forms, parse_line
from reboard_sim.script.script_language import script_parser
from tests import translations
from tests.documents.quotations import TREE

FOLDERS = ("firmware", "sim", "systemd", "debian", "examples", "benchmarks", "hardware")
FILES = ("Makefile", "pyproject.toml", "setup.py")
NO_TEXT = {".md", ".csv", ".svg", ".stl", ".step", ".kicad_pcb", ".png", ".pdf", ".zip", ".wav", ".3mf"}


@cache
def sources() -> Mapping[str, str]:
    """Return the text of each file of code and data, keyed by its path."""
    files = [TREE / name for name in FILES]
    files += [file for folder in FOLDERS for file in sorted((TREE / folder).rglob("*")) if file.suffix not in NO_TEXT]
    return {
        str(file.relative_to(TREE)): file.read_text(encoding="utf-8", errors="ignore")
        for file in files
        if file.is_file() and "__pycache__" not in file.parts
    }


@cache
def source() -> str:
    """Return all code and data as one text."""
    return "\n".join(sources().values())


@cache
def words() -> frozenset[str]:
    """Return each word of the code, also words with dots and hyphens in them."""
    return frozenset(re.findall(r"\w+", source())) | frozenset(re.findall(r"-{0,2}\w[\w-]*(?:\.\w[\w-]*)*", source()))


@cache
def strings() -> str:
    """Return the texts in the code, a line each. A value that the program fills in is ``{}``."""
    code = (text for name, text in sources().items() if name.startswith(("firmware/", "sim/")) and name.endswith(".py"))
    python = (text for each in code for text in _strings(ast.parse(each)))
    return "\n".join([*python, *map(str, _for_users())])


def _strings(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)):
                yield text
            case ast.JoinedStr(values=values):
                yield "".join(str(each.value) if isinstance(each, ast.Constant) else "{}" for each in values)


def _for_users() -> Iterator[object]:
    for _, text, _ in translations.found():
        yield from text if isinstance(text, tuple) else (text,)


@cache
def display_texts() -> re.Pattern[str]:
    """Return the pattern of the texts of the banker unit's display."""
    texts = {str(text) for _, text, context in translations.found() if context == DISPLAY}
    texts |= {edition.short_title.upper() for edition in editions_in_the_box()}
    any_value = "|".join(re.sub(r"\\\{\w*\\\}", ".+", re.escape(text)) for text in texts)
    return re.compile(rf"(?:{any_value})(?: [\d.]+[KM]?)?|[!?] ?.+|[+-]\d? ?[\d.]+[KM]?")


def is_shown(text: str) -> bool:
    """Return whether the display can show *text*."""
    return bool(display_texts().fullmatch(text))


def occurs(text: str) -> bool:
    """Return whether *text* is in the code, not as a part of a longer word."""
    return text in words() or (not text.isidentifier() and bool(re.search(rf"{re.escape(text)}(?!\w)", source())))


@cache
def lines_by_word() -> Mapping[str, set[int]]:
    """Return the numbers of the lines that have each word of the code."""
    found: dict[str, set[int]] = {}
    for number, line in enumerate(source().splitlines()):
        for word in re.findall(r"\w+", line):
            found.setdefault(word, set()).add(number)
    return found


def has_known_words(text: str) -> bool:
    """Return whether the code has each word of *text*. A placeholder can cut words: ``sensor.reboard_<table>_bank``."""
    return all(word in words() for word in re.findall(r"(?<!\w)[A-Za-z]\w*[A-Za-z0-9](?!\w)", text))


def is_said_together(text: str) -> bool:
    """Return whether a line of the code has each two neighbouring words of a line of *text*, without placeholders."""
    found = lines_by_word()
    parts = (re.findall(r"\b(?!\d+\b)\w+", part) for line in text.splitlines() for part in re.split(r"…|<\w*>", line))
    return all(
        found.get(one, set()) & found.get(two, set()) for part in parts for one, two in pairwise([*part, *part[-1:]])
    )


def is_name(text: str) -> bool:
    """Return whether the code has the name *text*, or the tree a file of this name."""
    return occurs(text) or is_file(text)


def is_said(text: str) -> bool:
    """Return whether the code has the text, in which numbers may come from the program."""
    return text in strings() or re.sub(r"\d+", "{}", text) in strings()


def is_command(text: str) -> bool:
    """Return whether ``reboard`` or ``reboard-sim`` takes these arguments. Words in capitals are any value."""
    line = re.sub(r"\bN(UMBER)?\b", "1", re.sub(r"\[:PORT\]|[][…]", "", text))
    program, *arguments = shlex.split(re.split(r" [|>] ", line.removeprefix("sudo "))[0], comments=True)
    with contextlib.redirect_stderr(io.StringIO()) as said, contextlib.redirect_stdout(io.StringIO()):
        try:
            parser(Path(program).name).parse_args(arguments)
        except SystemExit as end:
            # a name such as `reboard ledger` leaves the rest out
            return not end.code or "are required" in said.getvalue()
    return True


@cache
def parser(program: str) -> argparse.ArgumentParser:
    """Return the parser of ``reboard`` or ``reboard-sim``."""
    return cli.make_parser() if program == "reboard" else simulator.make_parser()


def is_target(text: str) -> bool:
    """Return whether the Makefile has these targets and variables."""
    makefile = sources()["Makefile"]
    targets = set(re.search(r"^\.PHONY: (.*)", makefile, re.MULTILINE)[1].split())  # type: ignore[index]
    given = [word.partition("=") for word in shlex.split(text, comments=True)[1:]]
    return all(re.search(rf"\b{name}\b", makefile) if is_set else name in targets for name, is_set, _ in given)


def is_unit(text: str) -> bool:
    """Return whether the package has the systemd units in a command, and what the command needs of them."""
    verb, *names = [word for word in shlex.split(text, comments=True) if word not in ("sudo", "systemctl")]
    if verb == "journalctl":
        names = re.findall(r"-u (\S+)", text)
    units = [sources().get(f"systemd/{name.removesuffix('.service')}.service", "") for name in names if name[0] != "-"]
    return all(units) and (verb != "reload" or all("ExecReload=" in unit for unit in units))


def is_file(text: str) -> bool:
    """Return whether the tree has such a file or edition, or the code names it. A star or ``…`` is any part of it."""
    if text.startswith(("/", "~", "$", ".")):
        name = re.escape(text.rstrip("/*…"))
        return bool(re.search(rf"{name}(?!\w)", source())) or any(route.fullmatch(text) for route in routes())
    pattern = re.compile(f".*/{translate(text.replace('…', '*').rstrip('/'))}")
    variants = {edition.name for edition in editions_in_the_box()}
    return any(map(pattern.match, paths())) or text in variants or occurs(text)


@cache
def routes() -> list[re.Pattern[str]]:
    """Return the patterns of the paths with a value in them, such as ``/tables/{name}``."""
    found = set(re.findall(r'"(/[a-z/]+{[^"]+)"', source()))
    return [re.compile("[^/]+".join(map(re.escape, re.split(r"{.*?}", path)))) for path in found]


@cache
def paths() -> frozenset[str]:
    """Return the paths of the tree's files and of their folders, each after a slash."""
    folders = [TREE / folder for folder in (*FOLDERS, "docs", "tests")]
    # what tests and tools write is in other folders
    files = [*(file for folder in folders for file in folder.rglob("*")), *filter(Path.is_file, TREE.glob("*"))]
    return frozenset(f"/{file.relative_to(TREE)}" for file in [*folders, *files])


def is_setting(text: str) -> bool:
    """Return whether a section has the key, and takes its value."""
    head, _, setting = text.rpartition("] ") if text.startswith("[") else ("", "", text)
    section = head.removeprefix("[").split(".") if head else None
    if text.endswith("]") and "=" not in text:
        return any(path == tuple(text[1:-1].split(".")) for path, _ in sections()) or f"[{text[1:-1]}]" in source()
    key, equals, value = setting.partition(" = ")
    for path, reader in sections():
        if section is None or path == tuple(section):
            of = _key(reader, key.split("."))
            if of is not None and (not equals or "…" in value or _reads(of, path, value)):
                return True
    before = rf"^\[{re.escape(head[1:])}\].*\n(?:(?!\[).*\n)*?" if head else r"^\s*"
    # no configs of tables, whose settings were looked up above
    data = (text for name, text in sources().items() if name.endswith(".toml") and "edition =" not in text)
    return any(re.search(rf"{before}{re.escape(key)} *=", each, re.MULTILINE) for each in data)


@cache
def sections() -> list[tuple[tuple[str, ...], Any]]:
    """Return the path and the reader of each table of settings, in ``table.toml`` and in editions."""
    editions: Any = Section(Edition, name="", variant_title={}, plain=None)
    return [((), editions), *_inner((), TableSection(Path())), *_inner((), editions)]


def _inner(path: tuple[str, ...], reader: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield path, reader
    for key, inner in _keys(reader).items():
        if _keys(inner):
            yield from _inner((*path, key), inner)


def _keys(reader: Any) -> Mapping[str, Any]:
    if isinstance(reader, ByKind):
        return {key: inner for kind in reader.kinds.values() for key, inner in kind.keys.items()} | {reader.key: None}
    return getattr(reader, "keys", None) or {}


def _key(reader: Any, keys: list[str]) -> Any:
    for key in keys:
        if key not in _keys(reader):
            return None
        reader = _keys(reader)[key] or (lambda *_: None)
    return reader


def _reads(reader: Any, path: tuple[str, ...], value: str) -> bool:
    try:
        reader(Reading(Path()), path, tomllib.loads(f"value = {value}")["value"])
    except (Unreadable, tomllib.TOMLDecodeError):
        return False
    return True


def is_line_of_a_play(text: str) -> bool:
    """Return whether a play can have this line, or such a line begins like this."""
    for parse in (parse_line, script_parser().parse_line):
        with contextlib.suppress(PlayError):
            return parse(text) is not None
    known = (*forms(), *script_parser().forms)
    usages = [form.usage.replace("[not]", word) for form in known for word in ("", "not")]
    return any(" ".join(usage.split()).startswith(text) for usage in usages)


class Kind(NamedTuple):
    """A kind of quoted thing. What fits *pattern* must be found by *lookup*."""

    name: str
    pattern: str
    lookup: Callable[[str], bool]


VERBS = "press|type|key|enter|hold|insert|remove|pull|release|expect|fault|mend|wait|seed|power|config"
ENDINGS = "py|toml|md|json|svg|csv|service|po|wav|c|play|sqlite|vcd|jsonl"

KINDS = (
    Kind("command", r"(sudo )?(\.venv/bin/)?reboard(-sim)?( .*)?", is_command),
    Kind("target of make", r"make [a-z].*", is_target),
    Kind("unit", r"(sudo )?(systemctl (?!edit)[a-z-]+|journalctl) .*", is_unit),
    Kind("setting of the Pi", r"(sudo )?raspi-config .*", occurs),
    Kind("setting", r"\[[a-z_.-]+\]( .*)?|[a-z_.]+ = .*", is_setting),
    Kind("text of the display", r"(?=.*[A-Z]{2})[!?+\-\d]*[A-Z\d]* [A-Z\d ,.:+?!>/-]+", is_shown),
    Kind("file", rf"[~/$\w.][\w.*~$-]*/[\w.*/…-]*|[\w.*-]+\.({ENDINGS})", is_file),
    Kind("line of a play", rf"({VERBS}) .*", is_line_of_a_play),
    Kind("name", r"-{0,2}\w[\w-]*(\.\w[\w-]*)*", is_name),
    Kind("code to write", r".*(Annotated\[|await ).*|\{ \w+(, \w+)+ \}", has_known_words),
    Kind("anything else", r".*", is_said_together),
)
"""Where each kind of quoted thing is looked up. The first pattern that fits decides."""


def kind_of(text: str) -> Kind:
    """Return the kind of a quoted *text*."""
    return next(kind for kind in KINDS if re.fullmatch(kind.pattern, text, re.DOTALL))
