"""The cables of everything that can be built: which nets each carries, from the netlist and ``cables.toml``."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from hardware.making.builds import BUILDS, HARDWARE
from reboard.netlist.circuit import Circuit, Part, connections, net_label
from reboard.netlist.hardware_data import GROUND, POWER_3V3, POWER_5V, RAILS, header

FILE = HARDWARE / "cables.toml"
BOARDS = HARDWARE / "perfboards"
PI = "Pi"

SUPPLIES = (POWER_3V3, POWER_5V, "power", "supply")
"""The last words of nets that supply something."""
SIGNALS = ("YE", "WH", "GN", "BU", "OG", "VT", "GY", "BN")
"""The colours of signals, in the order of their positions (IEC 60757)."""


class LayoutError(ValueError):
    """A layout or a cable that does not join what the netlist joins, or that cannot be built."""


@dataclass(frozen=True, slots=True)
class Wires:
    """The material of a cable. *gauge_mm2* is ``None`` where it is not known."""

    type: str
    length_m: float
    gauge_mm2: float | None = None


@dataclass(frozen=True, slots=True)
class Cable:
    """A cable with one wire for each of its *nets*, in the order of the positions.

    A breadboard, which joins nets and has no parts, has a wire for each terminal: then a net is there several times.
    *start* and *end* are `PI`, a board, or a place of ``cables.toml``. *plug* is what it has at a board: ``soldered``,
    ``screws`` or ``XH``; empty if no end is a board. Positions beyond the nets are free. *header_pins* are those of the
    Pi, one for each net, and empty if no end is the Pi.
    """

    name: str
    start: str
    end: str
    wires: Wires
    plug: str
    nets: Sequence[str]
    positions: int
    header_pins: Sequence[int]

    def other_end(self, place: str) -> str:
        """Return the end that is not *place*."""
        return self.end if place == self.start else self.start

    @property
    def colours(self) -> list[str]:
        """The colour of each wire: red for supplies and +, black for grounds and -."""
        signals = iter(SIGNALS)
        return [_colour(net) or next(signals) for net in self.nets]


@dataclass(frozen=True, slots=True)
class Harness:
    """All cables of a *build*, and the parts at each place: the Pi has none of its own.

    *circuit* is wired to the header with these cables, so all drawings and guides name their pins.
    """

    build: str
    circuit: Circuit
    places: Mapping[str, Sequence[Part]]
    cables: Sequence[Cable]

    def at(self, place: str) -> list[Cable]:
        """Return the cables of a place."""
        return [cable for cable in self.cables if place in (cable.start, cable.end)]

    def box(self, place: str) -> str:
        """Return the box that a place is in."""
        pis_box = "unit" if self.build == "all" else self.build.partition("-")[0]
        if place in board_files():
            return "apple" if place.endswith("apple") else pis_box
        return str(_data()["places"].get(place, {}).get("box", pis_box))

    def called(self, place: str) -> str:
        """Return the name of a place for people."""
        return f"{self.box(place)} board" if place in board_files() else place

    def fitting(self, place: str) -> str:
        """Return what the wires go to at a place that is no board."""
        return "header, 2 × 20 pins" if place == PI else str(_data()["places"][place]["fitting"])

    def ends(self, cable: Cable, place: str) -> list[str]:
        """Return what each wire of *cable* goes to at *place*: terminals, or a net of a board or the Pi."""
        parts = () if place in board_files() else self.places.get(place, ())
        if not parts:
            return [net_label(self.circuit, net) for net in cable.nets]
        side = place.partition(" ")[0]
        terminals = {
            net: [
                terminal if len(parts) == 1 else f"{part.name.removeprefix(f'{side} ')} {terminal}"
                for part in parts
                for terminal, at in part.nets.items()
                if at == net
            ]
            for net in cable.nets
        }
        alone = {net: iter(names) for net, names in terminals.items() if cable.nets.count(net) > 1}
        return [next(alone[net]) if net in alone else ", ".join(terminals[net]) for net in cable.nets]


def _colour(net: str) -> str:
    word = net.split()[-1]
    if word == POWER_3V3:
        return "PK"
    return "RD" if word in (*SUPPLIES, "+") else "BK" if word in (GROUND, "-") else ""


@cache
def board_files() -> Mapping[str, Mapping[str, Any]]:
    """Return the content of each board's file, keyed by the board's name."""
    return {file.stem: tomllib.loads(file.read_text(encoding="utf-8")) for file in sorted(BOARDS.glob("*.toml"))}


@cache
def _data() -> Mapping[str, Any]:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


@cache
def harness(build: str) -> Harness:
    """Return all cables of what is built. Raises `LayoutError` if the data does not fit the netlist."""
    circuit = BUILDS[build].circuit()
    places = _places(build, circuit)
    present = {
        name: data for name, data in _data()["cables"].items() if {data["from"], data["to"]} <= {PI, *places.keys()}
    }
    edges = {name: (data["from"], data["to"]) for name, data in present.items()}
    order = list(dict.fromkeys(net for part in circuit.parts for net in part.nets.values()))
    order.sort(key=lambda net: (net.split()[-1] not in SUPPLIES, net.split()[-1] == GROUND))
    behind = {name: _behind(name, edges) for name in edges}
    at = {net: _with(net, places) for net in order}
    for net, wanted in at.items():
        if missing := wanted - _reached(min(wanted), list(edges.values())):
            raise LayoutError(
                f"{FILE.name}, {build}: no cable brings {net_label(circuit, net)} to {', '.join(sorted(missing))}."
            )
    nets = {name: [net for net in order if at[net] & beyond and at[net] - beyond] for name, beyond in behind.items()}
    pins = _header_pins(
        circuit, {name: behind[name] for name, (start, _) in edges.items() if start == PI}, places, nets
    )
    cables = []
    for name, data in present.items():
        nets[name] = _wires(nets[name], places[data["to"]], is_for_each=not places.get(data["from"], True))
        positions = data.get("positions", len(nets[name]))
        wires = Wires(**_data()["wires"][data["wires"]])
        plug = data.get("plug", "")
        cables.append(Cable(name, *edges[name], wires, plug, nets[name], positions, pins.get(name, ())))
    wired = {
        (part.subcircuit, net): pin
        for name, numbers in pins.items()
        for net, pin in zip(nets[name], numbers, strict=True)
        if net in RAILS
        for place in behind[name]
        for part in places[place]
        if net in part.nets.values()
    }
    return Harness(build, replace(circuit, board_pins=wired), places, cables)


def _places(build: str, circuit: Circuit) -> Mapping[str, Sequence[Part]]:
    designated = {part.designator: part for part in circuit.parts}
    named = {part.name: part for part in circuit.parts}
    boards = {board: data["parts"] for board, data in board_files().items() if data["build"] == build}
    for board, names in boards.items():
        if unknown := names.keys() - designated.keys():
            raise LayoutError(f"{board}.toml: the netlist has no {', '.join(sorted(unknown))}. Take it out.")
    places = {board: [designated[name] for name in names] for board, names in boards.items()}
    places |= {
        place: [named[name] for name in data["parts"] if name in named]
        for place, data in _data()["places"].items()
        if build in data.get("builds", BUILDS)
    }
    times = Counter(part.designator for parts in places.values() for part in parts)
    if wrong := [f"{name} ({part.name})" for name, part in designated.items() if times[name] != 1]:
        raise LayoutError(
            f"{build}: {', '.join(wrong)} must be in exactly one place: on a board in {BOARDS.name}/, or in [places] "
            f"of {FILE.name}."
        )
    return {place: parts for place, parts in places.items() if parts or not _data()["places"][place]["parts"]}


def _wires(nets: Sequence[str], parts: Sequence[Part], *, is_for_each: bool) -> list[str]:
    """Return the net of each wire to *parts*: one for each net, or one for each of its terminals."""
    ends = Counter(net for part in parts for net in part.nets.values())
    return [net for net in nets for _ in range(ends[net] if is_for_each else 1)]


def _behind(name: str, edges: Mapping[str, tuple[str, str]]) -> set[str]:
    """Return the places on the far side of a cable. Raises `LayoutError` if another way leads there."""
    start, end = edges[name]
    reached = _reached(end, [ends for other, ends in edges.items() if other != name])
    if start in reached:
        raise LayoutError(f"{FILE.name}: {name} is one of several ways from {start} to {end}: each net needs only one.")
    return reached


def _reached(start: str, edges: Sequence[tuple[str, str]]) -> set[str]:
    reached, ahead = {start}, [start]
    while ahead:
        here = ahead.pop()
        new = {place for ends in edges if here in ends for place in ends} - reached
        reached |= new
        ahead += new
    return reached


def _with(net: str, places: Mapping[str, Sequence[Part]]) -> set[str]:
    """Return the places that have a terminal on a net."""
    at = {place for place, parts in places.items() if any(net in part.nets.values() for part in parts)}
    return at | {PI} if net in header() else at


def _header_pins(
    circuit: Circuit,
    behind: Mapping[str, set[str]],
    places: Mapping[str, Sequence[Part]],
    nets: Mapping[str, Sequence[str]],
) -> Mapping[str, Sequence[int]]:
    """Return the header's pins of each cable of the Pi: of those that the drawings have behind it, one that is free."""
    pins: dict[tuple[str, str], list[int]] = {}
    for name, beyond in behind.items():
        designators = {part.designator for place in beyond for part in places[place]}
        for end in connections(circuit):
            if end.pin is not None and end.part.designator in designators:
                pins.setdefault((name, end.net), []).append(end.pin)
    shared = Counter(pin for numbers in pins.values() for pin in set(numbers))
    return {name: [min(pins[name, net], key=lambda pin: (shared[pin], pin)) for net in nets[name]] for name in behind}
