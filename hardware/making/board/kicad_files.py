"""KiCad's files: nested lists of strings, numbers and bare words, in brackets; and the nets in them."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

TOKEN = re.compile(r'\s*(?:(\()|(\))|"((?:[^"\\]|\\.)*)"|([^\s()"]+))', re.DOTALL)


class Word(str):
    """A string that is written without quotes."""

    __slots__ = ()


def parse(text: str) -> list[Any]:
    """Return the list that *text* contains."""
    stack: list[list[Any]] = [[]]
    for token in TOKEN.finditer(text):
        opens, closes, quoted, word = token.groups()
        if opens:
            stack.append([])
        elif closes:
            done = stack.pop()
            stack[-1].append(done)
        elif word is not None:
            stack[-1].append(Word(word))
        else:
            stack[-1].append(re.sub(r"\\(.)", lambda escape: {"n": "\n"}.get(escape[1], escape[1]), quoted))
    [found] = stack[0]
    assert isinstance(found, list)
    return found


def dump(node: Any, depth: int = 0) -> str:
    """Return *node* as text. The first string of a list is a bare word."""
    if isinstance(node, list):
        return f"\n{'  ' * depth}({' '.join([node[0], *(dump(child, depth + 1) for child in node[1:])])})"
    if isinstance(node, Word):
        return node
    if isinstance(node, str):
        escaped = node.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        return f'"{escaped}"'
    return f"{round(node, 4):g}"


def block(text: str, head: str) -> str:
    """Return the text of the list that begins with *head*. Libraries are too large to parse as a whole."""
    start = text.index(head)
    depth, is_quoted, at = 0, False, start
    while True:
        character = text[at]
        if is_quoted:
            at += character == "\\"
            is_quoted = character != '"'
        elif character == '"':
            is_quoted = True
        else:
            depth += (character == "(") - (character == ")")
            if not depth:
                return text[start : at + 1]
        at += 1


def find(node: list[Any], name: str) -> list[list[Any]]:
    """Return the lists in *node* that begin with *name*."""
    return [child for child in node if isinstance(child, list) and child and child[0] == name]


SPACE = uuid.UUID("5a9d3a6e-0000-4000-8000-000000000000")


def uid(*names: object) -> str:
    """Return an id that is made from *names*, so that the same design always gives the same files."""
    return str(uuid.uuid5(SPACE, "/".join(map(str, names))))


Nets = Mapping[str, frozenset[tuple[str, str]]]
"""The pads on each net, as pairs of a designator and a pad's number."""

OPEN = "unconnected-"
"""The beginning of KiCad's names of the nets of open pins."""


def of_netlist(path: Path, *, with_open: bool = False) -> Nets:
    """Return the nets of a netlist that KiCad exported; *with_open*: the open pins as well."""
    nets: dict[str, frozenset[tuple[str, str]]] = {}
    for net in find(find(parse(path.read_text(encoding="utf-8")), "nets")[0], "net"):
        name = find(net, "name")[0][1]
        if with_open or not name.startswith(OPEN):
            nodes = find(net, "node")
            nets[name] = frozenset((find(node, "ref")[0][1], find(node, "pin")[0][1]) for node in nodes)
    return nets
