"""The design of the carrier board: its parts, the net of each pad, and their places. It needs no KiCad."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from typing import Any

from hardware.making.builds import HARDWARE
from hardware.making.parts_list import marking
from reboard.netlist.circuit import Circuit, Part, ohms
from reboard.netlist.hardware_data import PartKind, header, kinds
from reboard.table_config import load_config
from reboard.wiring.table_netlist import circuit_of

FOLDER = HARDWARE / "board"
FILE = FOLDER / "board.toml"
HEADER = "J1"
"""The socket for the Pi's header."""
TO_ORDER = ("manufacturer", "mpn", "plug", "contact", "only")
"""The data of a part that no file of KiCad has."""
RAIL_NAMES = {"ground": "GND", "3.3V": "+3V3", "5V": "+5V"}
"""KiCad's names of the rails."""


class DesignError(Exception):
    """``board.toml`` does not go together with the wiring data."""


@dataclass(frozen=True, slots=True)
class Footprint:
    """A part on the board. *x*, *y* are millimetres from the upper left corner, *turn* degrees counterclockwise.

    *nets* has the net of each connected pad, *terminals* the terminal of the wiring data for which a pad stands, such
    as ``U301.TX``. *height* is that of a connector with its plug, above the board or, if it is *below*, under it.
    *plug* and *contact* are the part numbers of what fits a socket. *inside* is from its pins to their names. *only*
    says which boards need a part that others leave out.
    """

    ref: str
    value: str
    symbol: str
    footprint: str
    group: str
    x: float
    y: float
    turn: float
    nets: Mapping[str, str]
    terminals: Mapping[str, str]
    label: str = ""
    label_at: Sequence[float] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    pins: int = 0
    pitch: float = 0.0
    height: float = 0.0
    inside: float = 0.0
    below: bool = False
    optional: bool = False
    manufacturer: str = ""
    mpn: str = ""
    plug: str = ""
    contact: str = ""
    only: str = ""


@dataclass(frozen=True, slots=True)
class Design:
    """The board: its *footprints*, and *data*, the content of ``board.toml``."""

    footprints: Sequence[Footprint]
    circuit: Circuit
    data: Mapping[str, Any]

    def nets(self) -> Mapping[str, frozenset[tuple[str, str]]]:
        """Return the pads on each net, as pairs of a designator and a pad's number."""
        nets: dict[str, set[tuple[str, str]]] = {}
        for part in self.footprints:
            for pad, net in part.nets.items():
                nets.setdefault(net, set()).add((part.ref, pad))
        return {net: frozenset(pads) for net, pads in nets.items()}

    def terminals(self) -> Mapping[tuple[str, str], str]:
        """Return the terminal for which each pad stands, keyed by designator and pad."""
        return {(part.ref, pad): name for part in self.footprints for pad, name in part.terminals.items()}

    def as_json(self) -> str:
        """Return all that KiCad's files are made from. What it makes is stale if this changes."""
        parts = [{key: value for key, value in asdict(part).items() if key not in TO_ORDER} for part in self.footprints]
        return json.dumps({"parts": parts, "board": self._board()}, indent=1, ensure_ascii=False, sort_keys=True)

    def _board(self) -> dict[str, Any]:
        keys = (
            "name",
            "title",
            "revision",
            "never_built",
            "company",
            "licence",
            "size",
            "corner",
            "thickness",
            "screw_head",
            "groups",
            "value",
            "texts",
        )
        board = {key: self.data[key] for key in keys}
        zone = self.data["zone"]
        return board | {
            "zone": zone | {"tracks": [net_name(net) for net in zone["tracks"]]},
            "pours": [pour | {"net": net_name(pour["net"])} for pour in self.data["pour"]],
            "widths": {net if net == "other" else net_name(net): sizes for net, sizes in self.data["widths"].items()},
        }


@cache
def board_design() -> Design:
    """Return the design. Raises `DesignError` if ``board.toml`` and the wiring data do not go together."""
    data = tomllib.loads(FILE.read_text(encoding="utf-8"))
    circuit = shared_circuit(data)
    terminals = {f"{part.designator}.{label}": net for part in circuit.parts for label, net in part.nets.items()}
    own = [_own(part, _kind(part, data), terminals) for part in data["part"]]
    placed = [_placed(part, data) for part in circuit.parts if part.designator in data["place"]]
    used = {net for part in [*own, *placed] if part.ref != HEADER for net in part.nets.values()}
    own = [replace(part, nets={pad: net for pad, net in part.nets.items() if net in used}) for part in own]
    holes = [_hole(ref, at, data["kind"]["hole"]) for ref, at in data["holes"].items()]
    only = {ref: words for words, refs in data["only"].items() for ref in refs}
    footprints = [replace(part, only=only.get(part.ref, "")) for part in (*own, *placed, *holes)]
    design = Design(footprints, circuit, data)
    check(design, terminals)
    return design


def shared_circuit(data: Mapping[str, Any]) -> Circuit:
    """Return the circuits of *data* as one. Parts are renumbered, so that each designator is used once."""
    parts: list[Part] = []
    for entry in data["circuit"]:
        devices = entry.get("devices")
        parts += [
            replace(part, designator=_renumbered(part.designator, entry.get("renumber", 0)))
            for part in circuit_of(load_config(HARDWARE.parent / entry["config"])).parts
            if devices is None or part.subcircuit.label in devices
        ]
    return Circuit(parts, {})


def net_name(net: str) -> str:
    """Return KiCad's name of a *net*: ``apple.motor: motor +`` is ``MOTOR_+``."""
    if net in RAIL_NAMES:
        return RAIL_NAMES[net]
    name = re.sub(r"[^A-Z0-9+-]+", "_", net.rpartition(".")[2].upper())
    return re.sub(r"^(\w+?)_\1_", r"\1_", name)


def header_nets() -> Mapping[str, str]:
    """Return the net of each pin of the Pi's header, keyed by its number."""
    return {str(number): net for number, net in enumerate(header(), start=1)}


def parts_by_group(design: Design) -> Iterator[tuple[str, str, Sequence[Footprint]]]:
    """Yield each group of the schematic, its title and its parts."""
    for group, title in design.data["groups"].items():
        yield group, title, [part for part in design.footprints if part.group == group]


def _renumbered(designator: str, by: int) -> str:
    letters = designator.rstrip("0123456789")
    return f"{letters}{int(designator.removeprefix(letters)) + by}"


def _kind(part: Mapping[str, Any], data: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the data of a part's kind; that of a family of sockets, for the number of its ways."""
    kind, ways = data["kind"][part["kind"]], part.get("ways", 0)
    return {key: value.format(n=ways) if isinstance(value, str) else value for key, value in kind.items()}


def _own(part: Mapping[str, Any], kind: Mapping[str, Any], terminals: Mapping[str, str]) -> Footprint:
    pads = {str(pad): end for pad, end in part.get("pads", {}).items()}
    if part["ref"] == HEADER:
        pads = dict(header_nets())
    x, y, turn = part["at"]
    bought = kinds().get(part["kind"])
    value = ohms(part["ohm"]) if "ohm" in part else kind.get("value") or part.get("label")
    return Footprint(
        part["ref"],
        value or (bought.short_value if bought else ""),
        kind["symbol"],
        kind["footprint"],
        part["group"],
        x,
        y,
        turn,
        nets={pad: net_name(terminals.get(end, end)) for pad, end in pads.items()},
        terminals={pad: end for pad, end in pads.items() if end in terminals},
        label=part.get("label", ""),
        label_at=part.get("label_at", ()),
        names=_pin_names(part, pads),
        pins=part.get("ways", 0),
        pitch=kind.get("pitch", 0.0),
        height=kind.get("height", 0.0),
        inside=kind.get("inside", 0.0),
        below=kind.get("below", False),
        optional=part.get("optional", False),
        manufacturer=bought.manufacturer if bought else kind.get("manufacturer", ""),
        mpn=kind.get("mpn", "") or part_number(bought, part.get("ohm")),
        plug=kind.get("plug", ""),
        contact=kind.get("contact", ""),
    )


def _pin_names(part: Mapping[str, Any], pads: Mapping[str, str]) -> Mapping[str, str]:
    if "label" not in part:
        return {}
    names: Mapping[str, str] = part.get("names", {pad: end.partition(".")[2] for pad, end in pads.items()})
    return names


def _placed(part: Part, data: Mapping[str, Any]) -> Footprint:
    kind, (x, y, turn) = data["kind"][part.kind.name], data["place"][part.designator]
    ends = {kind["pads"][label]: (f"{part.designator}.{label}", net) for label, net in part.nets.items()}
    return Footprint(
        part.designator,
        ohms(part.ohm) if part.ohm else part.kind.short_value,
        kind["symbol"],
        kind["footprint"],
        part.subcircuit.label,
        x,
        y,
        turn,
        nets={pad: net_name(net) for pad, (_, net) in ends.items()},
        terminals={pad: terminal for pad, (terminal, _) in ends.items()},
        manufacturer=part.kind.manufacturer,
        mpn=part_number(part.kind, part.ohm),
    )


def _hole(ref: str, at: Sequence[float], kind: Mapping[str, Any]) -> Footprint:
    x, y = at
    return Footprint(ref, kind["value"], kind["symbol"], kind["footprint"], "holes", x, y, 0.0, {}, {})


def part_number(kind: PartKind | None, ohm: float | None = None) -> str:
    """Return the manufacturer's part number of a *kind*, of a resistor for *ohm*, or ``""`` where the data has none."""
    number = str(getattr(kind, "mpn", ""))
    return number.format(ohm=marking(ohm)) if ohm else number


def check(design: Design, terminals: Mapping[str, str]) -> None:
    """Raise `DesignError` if no pad stands for one of *terminals*, or a designator or a net's name is there twice."""
    refs = [part.ref for part in design.footprints]
    if twice := {ref for ref in refs if refs.count(ref) > 1}:
        raise DesignError(f"{FILE.name}: {', '.join(sorted(twice))} is there twice. Change `renumber` of a circuit.")
    names = {net_name(net) for net in {*terminals.values(), *header()}}
    if len(names) != len({*terminals.values(), *header()}):
        raise DesignError(f"{FILE.name}: two nets have the same name in KiCad")
    left_out = set(design.data["off_board"]["terminals"])
    missing = terminals.keys() - set(design.terminals().values()) - left_out
    if missing:
        raise DesignError(
            f"{FILE.name}: no pad stands for {', '.join(sorted(missing))}. Give the part a place, or a connector a "
            "pad, or name the terminal under [off_board]."
        )
