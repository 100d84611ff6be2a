"""A guide as somebody reads it who follows it: its steps, what is typed, and what is said then."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

BLOCK = re.compile(r"^( *)```(\w+)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
ROW = re.compile(r"^\|(.+)\|$", re.MULTILINE)
WORK = re.compile(r"^(\*\*|\d+\. |- |### |<!-- made: (wires|config|parts) )", re.MULTILINE)
"""How a line begins that has somebody do something new."""

GAP = "…"
"""Stands for what is left out of a quotation."""


class Quotation(NamedTuple):
    """What a *command* says, in the guide's words."""

    command: str
    text: str


class Fault(NamedTuple):
    """A row of a table of faults: the *finding*'s name, and what the doctor *says*, each in its quotation marks."""

    finding: str
    says: tuple[str, ...]


def blocks(text: str) -> Iterator[tuple[str, str]]:
    """Every block of code: its language and its contents, without the indent of a list."""
    for indent, language, contents in BLOCK.findall(text):
        yield language, re.sub(rf"^{indent}", "", contents, flags=re.MULTILINE)


def typed(text: str) -> list[str]:
    """Every line that is to be typed, one after the other."""
    return [line for language, contents in blocks(text) if language == "sh" for line in contents.splitlines()]


def quotations(text: str) -> Iterator[Quotation]:
    """Every ``text`` block, after the line that was typed last."""
    command = ""
    for language, contents in blocks(text):
        if language == "sh":
            command = contents.splitlines()[-1]
        elif language == "text":
            yield Quotation(command, contents)


def plays(text: str) -> list[str]:
    """The first games."""
    return [contents for language, contents in blocks(text) if language == "play"]


def steps(text: str) -> dict[str, str]:
    """Every step, by its heading: ``Step 2: the speaker``."""
    parts = re.split(r"^## (Step [^\n]+)\n", text, flags=re.MULTILINE)
    return {heading: body.partition("\n## ")[0] for heading, body in zip(parts[1::2], parts[2::2], strict=True)}


def ends_with_a_check(step: str) -> bool:
    """Whether the last thing that a *step* has one do is to check: nothing is wired, listed or begun after it."""
    _, check, after = step.rpartition("\n**Check")
    return bool(check) and not WORK.search(after)


def faults(text: str) -> list[Fault]:
    """Every fault that the doctor names."""
    found = []
    for row in ROW.findall(text.partition("## Faults and cures")[2]):
        cells = [cell.strip() for cell in row.split("|")]
        if len(cells) == 4 and (name := re.fullmatch(r"`([a-z]+\.[a-z_]+)`", cells[1])):
            found.append(Fault(name[1], tuple(re.findall(r'"([^"]+)"', cells[2]))))
    return found


def columns(text: str, first: str) -> list[dict[str, str]]:
    """The table whose head begins with the cells of *first*: one dictionary for each further column, by
    the rows' names."""
    lines = text.partition(f"{first}\n")[2].splitlines()[1:]
    rows = []
    for line in lines:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return [{row[0]: row[number] for row in rows} for number in range(1, len(rows[0]))]


def is_said(quotation: str, words: str) -> bool:
    """Whether *words* have the *quotation*, piece by piece; where lines are broken does not matter."""
    said, place = _flat(words), 0
    for piece in map(_flat, quotation.split(GAP)):
        found = said.find(piece, place)
        if found < 0:
            return False
        place = found + len(piece)
    return True


def links(document: Path) -> list[str]:
    """Where a document leads, apart from the web."""
    text = document.read_text(encoding="utf-8")
    return [link for link in re.findall(r"\]\(([^)]+)\)", text) if "://" not in link]


def _flat(words: str) -> str:
    return " ".join(words.split())
