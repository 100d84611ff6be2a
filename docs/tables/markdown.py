"""Tables, lists and links in Markdown, in lines of at most 100 characters."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence


def table(head: str, rows: Iterable[Sequence[str]]) -> str:
    """Return a table. *head* has the names of its columns with ``|`` between them, and ``--:`` after numbers' names."""
    columns = head.split(" | ")
    rules = "|".join("--:" if column.endswith(" --:") else "---" for column in columns)
    names = " | ".join(column.removesuffix(" --:") for column in columns)
    return "\n".join([f"| {names} |", f"|{rules}|", *(f"| {' | '.join(row)} |" for row in rows)])


def lines(text: str, *, before: str = "") -> str:
    """Return *text* as a paragraph with *before* in front of each line."""
    return textwrap.fill(
        text, 100, initial_indent=before, subsequent_indent=before, break_on_hyphens=False, break_long_words=False
    )


def code(names: Iterable[object]) -> str:
    """Return *names* as code, with commas."""
    return ", ".join(f"`{name}`" for name in names)


def either(names: Iterable[object]) -> str:
    """Return *names* as code, with ``or`` before the last one."""
    return " or ".join(code(names).rsplit(", ", 1))


def prose(docstring: str | None, *, summary: bool = False) -> str:
    """Return a docstring as Markdown, or its first sentence."""
    paragraphs = (docstring or "").strip().split("\n\n")
    text = " ".join(" ".join(paragraphs[:1] if summary else paragraphs).split())
    return re.sub(r"\*(\w+)\*", r"`\1`", text.replace("``", "`"))
