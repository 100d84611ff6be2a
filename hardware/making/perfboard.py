"""A layout on a perforated board, checked against the netlist: it joins what the netlist joins, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any, NamedTuple

from hardware.making.cables import Cable, Harness, LayoutError, board_files, harness
from reboard.netlist.circuit import Part, net_label

PITCH = 2.54
"""Millimetres from hole to hole."""
ROWS, COLUMNS = 18, 24
BOARD = (70.0, 50.0)
"""Width and height in millimetres, with the holes in the middle."""

DIRECTIONS: Mapping[str, tuple[int, int]] = {"right": (1, 0), "down": (0, 1), "left": (-1, 0), "up": (0, -1)}


class Hole(NamedTuple):
    """A hole, by its column and row from 0. ``A1`` is at the upper left as seen from above."""

    column: int
    row: int

    def __str__(self) -> str:
        return f"{chr(ord('A') + self.row)}{self.column + 1}"


def hole(name: str) -> Hole:
    """Return the hole with a *name* such as ``C12``. Raises `LayoutError` if there is none."""
    match = re.fullmatch(r"([A-R])(\d\d?)", name)
    if not match or not 1 <= int(match[2]) <= COLUMNS:
        raise LayoutError(f"{name} is no hole: they are A1 to {Hole(COLUMNS - 1, ROWS - 1)}.")
    return Hole(int(match[2]) - 1, ord(match[1]) - ord("A"))


class Box(NamedTuple):
    """A rectangle in holes: from *left* to *right* and from *top* to *bottom*."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: Box, gap: float = 0) -> bool:
        """Return whether two boxes are closer than *gap* holes."""
        across = min(self.right, other.right) - max(self.left, other.left)
        along = min(self.bottom, other.bottom) - max(self.top, other.top)
        return across > -gap and along > -gap


@dataclass(frozen=True, slots=True)
class Footprint:
    """The place that a part needs on the board, in millimetres, on a line from its first to its last lead.

    *spacing* is the number of holes from lead to lead. The body extends *ends* beyond the middle of the first and last
    lead, or begins that far inside of them if it is negative, and *left* and *right* of the line. *clear* is the air
    that it needs around it. *shape*: ``axial``, ``round``, ``box``, or ``wires``, which are soldered in. A chip has a
    second row of leads, so many holes *across*, on the right of the line.
    """

    shape: str
    spacing: int
    ends: float
    left: float
    right: float
    clear: float = 0
    across: int = 0

    @property
    def rows(self) -> int:
        """The number of rows of leads."""
        return 2 if self.across else 1


# A tripped MF-R050 is as hot as 125 °C (data sheet); 2 mm of air are our own caution. All sizes are from memory, the
# bodies rather too large: the fuse's wires 5.1 mm apart; ¼ W 6.5 × 2.5; DO-41 5.2 × 2.7; 470 µF up to 10 mm; TO-220
# 10.4 × 4.7, standing, its name on the right-hand side; XH (n - 1) × 2.5 + 4.9 by 5.75, either way round; screw
# terminals 10.2 × 10; DIP-14 in its socket 19.5 × 10.2.
FOOTPRINTS: Mapping[str, Footprint] = {
    "resistor": Footprint("axial", 4, -1.8, 1.25, 1.25),
    "diode": Footprint("axial", 4, -2.4, 1.35, 1.35),
    "line-capacitor": Footprint("box", 2, 0, 1.25, 1.25),
    "bypass-capacitor": Footprint("box", 2, 0, 1.25, 1.25),
    "fuse": Footprint("box", 2, 1.5, 1.75, 1.75, clear=2),
    "bulk-capacitor": Footprint("round", 2, 2.5, 5, 5),
    "mosfet": Footprint("box", 1, 2.7, 2.8, 1.9),
    "buffer": Footprint("box", 1, 2.1, 1.3, 8.9, across=3),
    "soldered": Footprint("wires", 1, 1, 1, 1),
    "XH": Footprint("box", 1, 2.5, 3.4, 3.4),
    "screws": Footprint("box", 2, 2.6, 5, 5),
}
"""The footprint of each kind of part, and of each plug of a cable."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A part or the end of a cable, with the hole and the net of each lead. The net of a free position is empty."""

    name: str
    item: Part | Cable
    footprint: Footprint
    holes: Sequence[Hole]
    nets: Sequence[str]
    direction: tuple[int, int]

    @property
    def length(self) -> float:
        """The distance from the first to the last lead of a row in millimetres."""
        return self.footprint.spacing * (len(self.holes) // self.footprint.rows - 1) * PITCH

    @property
    def middle(self) -> tuple[float, float]:
        """The column and row between all leads."""
        return self.point(self.length / 2, self.footprint.across * PITCH / 2)

    @property
    def body(self) -> Box:
        """The room that it takes."""
        return self.box(-self.footprint.ends, self.length + self.footprint.ends)

    def box(self, start: float, end: float, left: float | None = None, right: float | None = None) -> Box:
        """Return a piece of the body: from *start* to *end* in millimetres from the first lead.

        *left* and *right* of the line it extends as far as the body, or as these say.
        """
        sides = (-self.footprint.left if left is None else -left, self.footprint.right if right is None else right)
        columns, rows = zip(*(self.point(along, across) for along in (start, end) for across in sides), strict=True)
        return Box(min(columns), min(rows), max(columns), max(rows))

    def point(self, along: float, across: float) -> tuple[float, float]:
        """Return column and row of a point, in millimetres from the first lead and to the right of the line."""
        (x, y), first = self.direction, self.holes[0]
        return first.column + (x * along - y * across) / PITCH, first.row + (y * along + x * across) / PITCH


@dataclass(frozen=True, slots=True)
class Solder:
    """A wire through holes. *style* is ``bare``, ``thick`` or ``insulated``."""

    style: str
    path: Sequence[Hole]

    def joins(self) -> list[Hole]:
        """Return the holes that it is soldered to. Raises `LayoutError` if a bare wire is not straight."""
        if self.style == "insulated":
            return [self.path[0], self.path[-1]]
        holes = [self.path[0]]
        for start, end in pairwise(self.path):
            x, y = end.column - start.column, end.row - start.row
            if bool(x) == bool(y):
                raise LayoutError(f"the wire from {start} to {end} must go along a row or a column")
            length = abs(x + y)
            holes += [Hole(start.column + x * n // length, start.row + y * n // length) for n in range(1, length + 1)]
        return holes


@dataclass(frozen=True, slots=True)
class Layout:
    """The content of a board: parts, ends of cables, and wires."""

    name: str
    title: str
    harness: Harness
    placed: Sequence[Placed]
    solder: Sequence[Solder]

    def groups(self, *styles: str) -> list[set[Hole]]:
        """Return the groups of holes that wires of these *styles*, by default all, join."""
        groups: list[set[Hole]] = []
        for wire in self.solder:
            if not styles or wire.style in styles:
                group = set(wire.joins())
                groups, apart = [], [*groups, group]
                for other in apart:
                    if touching := [found for found in groups if found & other]:
                        for found in touching:
                            groups.remove(found)
                            other |= found
                    groups.append(other)
        return groups

    def net_of(self, group: set[Hole]) -> str:
        """Return the net that the leads in a group of holes are on, or an empty string."""
        return next((net for at, net in self.leads().items() if at in group), "")

    def label(self, net: str) -> str:
        """Return the name of a net for users."""
        return net_label(self.harness.circuit, net)

    def leads(self) -> Mapping[Hole, str]:
        """Return the net of each hole with a lead."""
        return {at: net for placed in self.placed for at, net in zip(placed.holes, placed.nets, strict=True)}


def layouts() -> list[Layout]:
    """Return all layouts, checked."""
    return [layout(name, data) for name, data in board_files().items()]


def layout(name: str, data: Mapping[str, Any]) -> Layout:
    """Return the layout of the board *name* from its *data*.

    Raises `LayoutError` if it does not join exactly what the netlist joins, or if something has no room.
    """
    cables = harness(data["build"])
    if missing := {cable.other_end(name) for cable in cables.at(name)} ^ data["cables"].keys():
        raise LayoutError(f"{name}: [cables] and cables.toml differ in {', '.join(sorted(missing))}.")
    placed = [_placed(part.designator, part, data["parts"][part.designator]) for part in cables.places[name]]
    placed += [_placed(cable.name, cable, data["cables"][cable.other_end(name)]) for cable in cables.at(name)]
    solder = [
        Solder(style, [hole(at) for at in path.split("-")]) for style, paths in data["solder"].items() for path in paths
    ]
    made = Layout(name, data["title"], cables, placed, solder)
    faults = [*_room(made), *_joined(made)]
    if faults:
        raise LayoutError("\n".join(f"{name}: {fault}" for fault in faults))
    return made


def leads_of(part: Part) -> Sequence[str]:
    """Return the terminals of a part in the order of its leads."""
    return [pin for row in part.kind.pinout for pin in row] or list(part.nets)


def _placed(name: str, item: Part | Cable, place: str) -> Placed:
    at, direction = place.split()
    first, (x, y) = hole(at), DIRECTIONS[direction]
    if isinstance(item, Cable):
        footprint = FOOTPRINTS[item.plug]
        nets = [*item.nets, *[""] * (item.positions - len(item.nets))]
    else:
        footprint, nets = FOOTPRINTS[item.kind.name], [item.nets.get(lead, "") for lead in leads_of(item)]
    ahead = [footprint.spacing * number for number in range(len(nets) // footprint.rows)]
    aside = [footprint.across * row for row in range(footprint.rows)]
    holes = [Hole(first.column + x * far - y * by, first.row + y * far + x * by) for by in aside for far in ahead]
    return Placed(name, item, footprint, [hole(str(at)) for at in holes], nets, (x, y))


def _room(made: Layout) -> Iterator[str]:
    """Yield what has no room: two leads in a hole, or two bodies that touch."""
    taken: dict[Hole, str] = {}
    ends = [
        (f"an insulated wire at {at}", at) for wire in made.solder if wire.style == "insulated" for at in wire.joins()
    ]
    for name, at in [*((placed.name, at) for placed in made.placed for at in placed.holes), *ends]:
        if at in taken:
            yield f"{taken[at]} and {name} are both in the hole {at}. Move one of them."
        taken[at] = name
    edge = Box(
        (COLUMNS - 1) / 2 - BOARD[0] / PITCH / 2,
        (ROWS - 1) / 2 - BOARD[1] / PITCH / 2,
        (COLUMNS - 1) / 2 + BOARD[0] / PITCH / 2,
        (ROWS - 1) / 2 + BOARD[1] / PITCH / 2,
    )
    for placed in made.placed:
        body = placed.body
        if body.left < edge.left or body.top < edge.top or body.right > edge.right or body.bottom > edge.bottom:
            yield f"{placed.name} extends beyond the board."
    for one, other in combinations(made.placed, 2):
        if one.body.overlaps(other.body, max(one.footprint.clear, other.footprint.clear) / PITCH):
            yield f"{one.name} and {other.name} have no room side by side. Move one of them."
        for lead, above in ((one, other), (other, one)):
            if any(above.body.overlaps(Box(*at, *at)) for at in lead.holes):
                yield f"a lead of {lead.name} is below {above.name}. Move one of them."


def _joined(made: Layout) -> Iterator[str]:
    """Yield what is joined and should not be, and the other way round."""
    leads = made.leads()
    named = {at: f"{placed.name} ({at})" for placed in made.placed for at in placed.holes}
    groups = made.groups()
    for group in groups:
        nets: dict[str, str] = {}
        for at in sorted(group & leads.keys()):
            nets.setdefault(leads[at], named[at])
        if len(nets) > 1:
            different = ", ".join(f"{end}: {made.label(net) if net else 'free'}" for net, end in nets.items())
            yield f"a wire joins different nets: {different}."
        elif not nets or (len(group & leads.keys()) == 1):
            yield f"the wire at {min(group)} joins nothing."
    for net in sorted({net for net in leads.values() if net}):
        wanted = {at for at, other in leads.items() if other == net}
        parts = [group & wanted for group in groups if group & wanted]
        alone = wanted - set().union(*parts)
        if len(parts) + len(alone) > 1:
            ends = [sorted(part)[0] for part in parts] + sorted(alone)
            yield f"these ends of {made.label(net)} are not joined: {', '.join(named[at] for at in ends)}."
    yield from _motor_current(made)


def _motor_current(made: Layout) -> Iterator[str]:
    """Yield the ends that carry the motor's current and are not joined by thick wires."""
    carrying: dict[str, list[Hole]] = {}
    for placed in made.placed:
        carries = (
            placed.item.plug == "screws"
            if isinstance(placed.item, Cable)
            else placed.item.kind.name in ("fuse", "diode", "bulk-capacitor")
        )
        for at, net in zip(placed.holes, placed.nets, strict=True):
            if carries or (isinstance(placed.item, Part) and placed.item.kind.name == "mosfet" and "gate" not in net):
                carrying.setdefault(net, []).append(at)
    thick = made.groups("thick")
    for net, holes in carrying.items():
        if not any(set(holes) <= group for group in thick):
            ends = ", ".join(map(str, holes))
            yield f"{made.label(net)} carries the motor's current, so join {ends} by `thick` wires only."
