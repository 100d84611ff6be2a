"""``reboard wiring``: what is to be joined to what."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from reboard.config import load_config
from reboard.errors import ReboardError
from reboard.wiring.connections import Connection, connections, named
from reboard.wiring.pi import RAILS
from reboard.wiring.soldering import circuit_of, title_of

TITLE = "What is wired to the Pi"
ANY_RAIL = (
    "Each ground is as good as any other, and so is each 3.3 V and each 5 V: a wire that is on one may stay there."
)


def wiring(file: Path, *, svg: Path | None = None) -> None:
    """Print every connection of the config in *file*, or draw them into the file *svg*.

    Raises `ConfigError` for a bad config, `ReboardError` when nothing here can draw.
    """
    circuit = circuit_of(load_config(file))
    if svg is None:
        print("\n".join(_lines(list(connections(circuit)))))
        return
    try:
        from reboard.wiring.drawing.sheet import drawing_of
    except ImportError:
        raise ReboardError(
            f"drawing needs schemdraw, which is not installed: {sys.executable} -m pip install schemdraw"
        ) from None
    svg.write_bytes(drawing_of(circuit, TITLE))
    print(f"Drawn: {svg}")


def _lines(wires: list[Connection]) -> Iterator[str]:
    if not wires:
        yield "Nothing is wired."
        return
    names = max(len(named(wire.part)) for wire in wires)
    terminals = max(len(wire.terminal) for wire in wires)
    for number, (accessory, group) in enumerate(groupby(wires, key=lambda wire: wire.part.accessory)):
        yield from ["", title_of(accessory)] if number else [title_of(accessory)]
        before = ""
        for wire in group:
            name = named(wire.part)
            yield f"  {'' if name == before else name:<{names}}  {wire.terminal:<{terminals}}  {wire.to}"
            before = name
    if any(wire.wire in RAILS for wire in wires):
        yield from ["", ANY_RAIL]
