"""What docstrings list: a line for each name, and the docstrings of constants."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

ENTRY = re.compile(r"^``([a-z0-9_.]+)``: (.+(?:\n +.+)*)", re.MULTILINE)


def listed(file: Path) -> Iterator[tuple[str, str]]:
    """Yield the names that the docstring of a module lists, such as ``disk.space`` with a colon, and their words."""
    _, docstring, *_ = [*file.read_text("utf-8").split('"""', 2), ""]
    return ((name, plain(words)) for name, words in ENTRY.findall(docstring))


def constants(file: Path, of_class: str = "") -> Iterator[tuple[str, str, str]]:
    """Yield the name, value and docstring of the texts that a module, or a class there, assigns."""
    tree: ast.Module | ast.ClassDef = ast.parse(file.read_text("utf-8"))
    if of_class:
        [tree] = (each for each in tree.body if isinstance(each, ast.ClassDef) and each.name == of_class)
    for assigned, docstring in pairwise([*tree.body, ast.Pass()]):
        match assigned:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=str(value))):
                yield name, value, _text(docstring)


def _text(statement: ast.stmt) -> str:
    match statement:
        case ast.Expr(value=ast.Constant(value=str(text))):
            return plain(text)
    return ""


def plain(words: str) -> str:
    """Return *words* of a docstring as a line of Markdown, without a full stop."""
    return " ".join(words.split()).replace("``", "`").removesuffix(".")
