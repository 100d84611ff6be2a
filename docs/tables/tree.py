"""The tables of the tree: the packages, and the targets of make that test."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from docs.tables.markdown import prose, table

TREE = Path(__file__).parents[2]
ROOTS = ("firmware/reboard", "sim/reboard_sim", "hardware/making", "docs")
TESTING = r"test.*|lint|power-cuts|explore|soak|chaos|mutants|spice|bench"


def packages() -> str:
    """Return the table of the packages and what each is, from their docstrings."""
    return table("folder | content", (row for root in ROOTS for row in _packages(TREE / root)))


def _packages(root: Path) -> Iterator[Sequence[str]]:
    for file in sorted(root.glob("*/__init__.py")):
        docstring = ast.get_docstring(ast.parse(file.read_text("utf-8")))
        yield f"`{file.parent.relative_to(TREE)}/`", prose(docstring, summary=True).removesuffix(".")


def targets() -> str:
    """Return the table of the targets of make that test or measure, as ``make help`` describes them."""
    lines = re.findall(r'^\t@echo "make (\S+) +(.*)"$', (TREE / "Makefile").read_text("utf-8"), re.MULTILINE)
    tests = (row for row in lines if re.fullmatch(TESTING, row[0]))
    return table("command | what it does", ((f"`make {name}`", does.replace(r"\"", '"')) for name, does in tests))


TABLES: Mapping[str, Callable[..., str]] = {"packages": packages, "targets of tests": targets}
