"""The table of the calls of the hall's page."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from docs.tables.docstrings import plain
from docs.tables.markdown import table
from reboard.hall import hall_page

PAGE = "page"
"""The function that answers with a page for people."""


def calls() -> str:
    """Return the table of the calls for programs. Raises ``KeyError`` for one without a docstring."""
    return table("address | what it does", _calls(ast.parse(Path(hall_page.__file__).read_text("utf-8"))))


def _calls(module: ast.Module) -> Iterator[Sequence[str]]:
    functions = (node for node in ast.walk(module) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    meanings = {node.name: words for node in functions if (words := ast.get_docstring(node))}
    for node in ast.walk(module):
        match node:
            case ast.Call(func=ast.Name(id="Route"), args=[ast.Constant(value=str(path)), ast.Name(id=name)]):
                if name != PAGE:
                    yield f"`{path}`", plain(meanings[name])


TABLES: Mapping[str, Callable[..., str]] = {"calls of hall": calls}
