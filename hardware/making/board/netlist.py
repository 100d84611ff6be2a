"""KiCad's nets, read from a netlist that it exported, or from a board."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hardware.making.board.sexp import find, parse

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


def of_board(board: list[Any]) -> Nets:
    """Return the nets of a parsed ``.kicad_pcb``, without open pins."""
    nets: dict[str, set[tuple[str, str]]] = {}
    for footprint in find(board, "footprint"):
        ref = next(entry[2] for entry in find(footprint, "property") if entry[1] == "Reference")
        for pad in find(footprint, "pad"):
            if (net := find(pad, "net")) and not net[0][2].startswith(OPEN):
                nets.setdefault(net[0][2], set()).add((ref, pad[1]))
    return {net: frozenset(pads) for net, pads in nets.items()}
