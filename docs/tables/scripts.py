"""The classes for scripts, from their docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from docs.tables.markdown import lines, prose, table
from reboard import script
from reboard.script.scripted import ScriptedAccessory


def _class(name: str) -> str:
    """Return how a class is made, its docstring and its members. A script does not make the base class."""
    described = getattr(script, name, ScriptedAccessory)
    made = [f"`{name}{_signature(vars(described)['__init__'])}`"] if described is not ScriptedAccessory else []
    paragraphs = re.sub(r"\*(\w+)\*", r"`\1`", (inspect.getdoc(described) or "").replace("``", "`")).split("\n\n")
    words = [text if text.startswith("- ") else lines(text) for text in paragraphs]
    return "\n\n".join([*made, *words, table("attribute | meaning", _members(described))])


def _members(described: type[Any]) -> Iterator[Sequence[str]]:
    for name, member in vars(described).items():
        if not name.startswith("_") and (isinstance(member, property) or inspect.isfunction(member)):
            yield f"`{name}{_signature(member) if callable(member) else ''}`", prose(member.__doc__)


def _signature(described: Callable[..., object]) -> str:
    parameters = list(inspect.signature(described).parameters.values())[1:]
    plain = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in parameters]
    return str(inspect.Signature(plain)).replace("'", '"')


TABLES: Mapping[str, Callable[..., str]] = {"class of": _class}
