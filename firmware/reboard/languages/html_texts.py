"""The texts in our HTML: text between tags, with the short elements in it, and the attributes that people see."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

RUN = re.compile(r">([^<>]*[A-Za-z]{2}[^<>]*(?:<(b|code|kbd)\b[^>]*>[^<>]*</\2>[^<>]*)*)<")
TAG = re.compile(r"<[a-z][^<>]*>")
ATTRIBUTE = re.compile(r'(?<=[ \n])(aria-label|title|alt|placeholder|data-say-[a-z]+)="([^"]*[A-Za-z]{2}[^"]*)"')
KEPT = re.compile(r'<(style|script)\b.*?</\1>|<([a-z]+)\b[^<>]*\btranslate="no"[^<>]*>(?:[^<>]*</\2>)?', re.S)


def translated(html: str, say: Callable[[str], str]) -> str:
    """Return *html* with each of its texts replaced. An element with ``translate="no"`` stays as it is."""
    parts, begin = [], 0
    for kept in KEPT.finditer(html):
        parts += [_translated(html[begin : kept.start()], say), kept[0]]
        begin = kept.end()
    return "".join([*parts, _translated(html[begin:], say)])


def texts(html: str) -> Iterator[str]:
    """Yield the texts in *html*."""
    found: list[str] = []
    translated(html, lambda text: found.append(text) or text)  # type: ignore[func-returns-value]
    yield from found


def _translated(html: str, say: Callable[[str], str]) -> str:
    def run(found: re.Match[str]) -> str:
        text = " ".join(found[1].split())
        new = say(text)
        if new == text:
            return found[0]
        before, after = re.match(r"\s*", found[1]), re.search(r"\s*$", found[1])
        assert before
        assert after
        return f">{before[0]}{new}{after[0]}<"

    def attributes(tag: re.Match[str]) -> str:
        return ATTRIBUTE.sub(lambda found: f'{found[1]}="{say(found[2]).replace(chr(34), "&quot;")}"', tag[0])

    return TAG.sub(attributes, RUN.sub(run, html))
