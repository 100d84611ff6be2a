"""Finds what the documents quote: inline code, texts in double quotes, and blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

TREE = Path(__file__).parents[2]
DOCUMENTS = sorted(
    file for glob in ("*.md", "docs/**/*.md", "hardware/**/*.md", "examples/**/*.md") for file in TREE.glob(glob)
)
"""The documents that the site has."""

MADE = re.compile(r"<!-- made: .*?<!-- end -->", re.DOTALL)
"""A table that the code makes. What it quotes is right."""


class Quotation(NamedTuple):
    """A *text* that a document quotes. A block of commands has no *language*."""

    document: str
    line: int
    text: str
    language: str = ""

    def __str__(self) -> str:
        return f"{self.document}:{self.line}: {self.text}"


@cache
def tokens(text: str) -> list[Token]:
    """Return the tokens of a *text* in Markdown."""
    return MarkdownIt("commonmark").enable("table").parse(text)


def code(document: Path) -> Iterator[Quotation]:
    """Yield the inline code of a *document*."""
    for token in tokens(by_hand(document)):
        for part in token.children or ():
            if part.type == "code_inline":
                yield Quotation(_name(document), _line(token), part.content)


def texts(document: Path) -> Iterator[Quotation]:
    """Yield the texts in double quotes in the prose of a *document*."""
    for token in tokens(by_hand(document)):
        plain = "".join(_plain(part) for part in token.children or ())
        for text in re.findall(r'"([^"]+)"', plain):
            yield Quotation(_name(document), _line(token), text)


def blocks(document: Path) -> Iterator[Quotation]:
    """Yield the blocks of a *document*."""
    for token in tokens(by_hand(document)):
        if token.type in ("fence", "code_block"):
            yield Quotation(_name(document), _line(token), token.content, token.info.split(" ")[0])


@cache
def by_hand(document: Path) -> str:
    """Return the text of a *document*, in which each table that the code makes is empty lines."""
    return MADE.sub(lambda table: "\n" * table[0].count("\n"), document.read_text(encoding="utf-8"))


def _name(document: Path) -> str:
    return str(document.relative_to(TREE))


def _line(token: Token) -> int:
    return token.map[0] + 1 if token.map else 0


def _plain(part: Token) -> str:
    return {"text": part.content, "softbreak": " "}.get(part.type, "")
